-- Sealed numbers: written once, under a random id; only the wrapping of the data key is renewed by a rotation.
create table sealed (
    blob_id text not null primary key,
    team_id text not null,
    kind text not null,
    key_version bigint not null,
    sealed_key text not null,
    sealed text not null,
    created_at bigint not null
);

create index sealed_version on sealed (key_version, blob_id);
