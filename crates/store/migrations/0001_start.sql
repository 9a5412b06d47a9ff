-- What holds for the whole installation, whichever node serves it: written once.
create table installation (
    name text not null primary key,
    value text not null
);

-- Since `closed_at` no key of the team is accepted.
create table team (
    team_id text not null primary key,
    name text not null,
    created_at bigint not null,
    closed_at bigint
);

-- What a team has set, as one document under a version.
create table team_setting (
    team_id text not null primary key,
    version bigint not null,
    body text not null,
    changed_at bigint not null
);

-- API keys and client tokens. Only a keyed hash of each is stored.
-- `scopes`: what a secret key may do, with commas between them; everything when null.
-- `parent_id`: the secret key that made a client token; the token ends with it.
-- `numbers`, `number_marks`: distinct numbers that a client token has brought, how many, and their keyed hashes, each with a dot before it.
-- `made_to_end_at`: when a key was made to end; a key that takes its place lives as long, also when this one is ended early.
-- `last_used_at`: to within some minutes.
create table credential (
    key_id text not null primary key,
    team_id text not null,
    kind text not null,
    mode text not null,
    hash text not null,
    name text not null,
    hint text not null,
    rights text,
    scopes text,
    parent_id text,
    attempts bigint not null,
    live_payment text,
    numbers bigint,
    number_marks text,
    created_at bigint not null,
    made_to_end_at bigint,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
);

create unique index credential_hash on credential (hash);

create index credential_team on credential (team_id, created_at);

create index credential_client on credential (team_id, key_id) where kind = 'client';

create index credential_expiry on credential (expires_at) where expires_at is not null;

-- `credentials_id` is the sealed record with the connection's credentials.
create table connection (
    team_id text not null,
    connection_id text not null,
    processor text not null,
    name text not null,
    enabled bigint not null,
    settings text not null,
    credentials_id text,
    created_at bigint not null,
    primary key (team_id, connection_id)
);

-- Idempotency keys and the answers under them. `taken_by` is the client token that took the key, so that no other browser learns
-- what it made; null for a secret key.
create table once (
    team_id text not null,
    scope text not null,
    key_hash text not null,
    fingerprint text not null,
    taken_by text,
    stream text,
    answer text,
    created_at bigint not null,
    primary key (team_id, scope, key_hash)
);

create index once_created on once (created_at);

-- Tokens alone: erasing a customer must find the answers that name the customer's tokens.
create index once_token on once (team_id, stream) where scope = 'tokenise';

-- How far a job that walks over everything has come, so that a restart, or another node, goes on there.
create table job_place (
    job text not null primary key,
    place text not null
);
