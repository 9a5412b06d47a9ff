-- Sealed secrets of a team that are no numbers: credentials at processors, keys of wallets. Written once, under a random
-- id; in a table of their own, so that a binary that knows nothing of them neither sweeps nor rotates them. The reference
-- does what it does for `sealed`.
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
