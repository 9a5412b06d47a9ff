-- The versions of the key-encryption key that records were ever sealed under. The reference below lets a version be
-- retired only when no record is under it, and no record be written under a retired one, whoever writes at the same time.
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
