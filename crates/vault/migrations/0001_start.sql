-- The versions of the key-encryption key that records were ever sealed under. The reference below lets a version be
-- retired only when no record is under it, and no record be written under a retired one, no matter who writes at the same time.
create table sealing_key (
    version bigint not null primary key,
    retired bigint not null,
    mark text not null,
    unique (version, retired)
);

-- Sealed numbers: written once, under a random id; only the wrapping of the data key is renewed by a rotation.
-- `key_retired` is 0 in every row: half of the reference.
create table sealed (
    blob_id text not null primary key,
    team_id text not null,
    kind text not null,
    key_version bigint not null,
    key_retired bigint not null,
    sealed_key text not null,
    sealed text not null,
    created_at bigint not null,
    foreign key (key_version, key_retired) references sealing_key (version, retired)
);

create index sealed_version on sealed (key_version, blob_id);

-- Sealed secrets of a team that are no numbers: credentials at processors, keys of wallets. Written once, under a random
-- id. The reference does what it does for `sealed`.
create table secret (
    blob_id text not null primary key,
    team_id text not null,
    key_version bigint not null,
    key_retired bigint not null,
    sealed_key text not null,
    sealed text not null,
    created_at bigint not null,
    foreign key (key_version, key_retired) references sealing_key (version, retired)
);

create index secret_version on secret (key_version, blob_id);

-- Security codes that wait for their authorisation, sealed, where several nodes share the database; at most for an hour. On
-- PostgreSQL the table is unlogged: nothing of it gets into the write-ahead log, a standby or an archive, and a crash of the
-- server empties it. The embedded database never has a row here: there codes are kept in memory.
-- `used_by` is the authorisation that has opened a code, `look_at` when to look whether that has ended: a node can die before it
-- erases what its authorisation needs no more.
create /* unlogged */ table security_code (
    holder text not null primary key,
    key_version bigint not null,
    sealed text not null,
    until_at bigint not null,
    used_by text,
    look_at bigint
);

create index security_code_until on security_code (until_at);

create index security_code_look on security_code (look_at) where look_at is not null;
