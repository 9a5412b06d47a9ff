create table team (
    team_id text not null primary key,
    name text not null,
    created_at bigint not null
);

-- API keys and client tokens. Only a keyed hash of each is stored.
create table credential (
    key_id text not null primary key,
    team_id text not null,
    kind text not null,
    mode text not null,
    hash text not null,
    name text not null,
    hint text not null,
    rights text,
    attempts bigint not null,
    live_payment text,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint
);

create unique index credential_hash on credential (hash);

create index credential_team on credential (team_id, created_at);

create index credential_expiry on credential (expires_at) where expires_at is not null;

create table connection (
    team_id text not null,
    connection_id text not null,
    processor text not null,
    name text not null,
    enabled bigint not null,
    settings text not null,
    created_at bigint not null,
    primary key (team_id, connection_id)
);

create table flow (
    team_id text not null,
    flow_id text not null,
    name text not null,
    is_default bigint not null,
    created_at bigint not null,
    latest_version bigint not null,
    published_version bigint,
    primary key (team_id, flow_id)
);

create table customer (
    team_id text not null,
    customer_id text not null,
    version bigint not null,
    name text not null,
    email text,
    body text not null,
    created_at bigint not null,
    primary key (team_id, customer_id)
);

create index customer_email on customer (team_id, email, customer_id) where email is not null;

create table method (
    team_id text not null,
    token text not null,
    customer_id text,
    blob_id text not null,
    body text not null,
    created_at bigint not null,
    deleted_at bigint,
    primary key (team_id, token)
);

create index method_customer on method (team_id, customer_id, created_at, token) where customer_id is not null;

create index method_blob on method (team_id, blob_id);

create index method_deleted on method (deleted_at) where deleted_at is not null;

-- A raw card's sealed number, which lives until its payment's authorisation has ended.
create table hidden_card (
    team_id text not null,
    blob_id text not null,
    payment_id text not null,
    due_at bigint not null,
    primary key (team_id, blob_id)
);

create index hidden_card_due on hidden_card (due_at);

-- The id is a UUID of version 7 made from created_at (whole milliseconds), so that the key's order is that of date.
create table payment (
    team_id text not null,
    payment_id text not null,
    version bigint not null,
    status text not null,
    created_at bigint not null,
    due_at bigint,
    amount bigint not null,
    currency text not null,
    method text not null,
    gateway text,
    country text,
    flow_id text,
    customer_id text,
    order_id text,
    body text not null,
    primary key (team_id, payment_id)
);

create index payment_status on payment (team_id, status, payment_id);

create index payment_customer on payment (team_id, customer_id, payment_id) where customer_id is not null;

create index payment_order on payment (team_id, order_id, payment_id) where order_id is not null;

create index payment_due on payment (due_at) where due_at is not null;

-- Version check, timeline, outbox and audit at once: one row for each commit of an aggregate.
create table event (
    team_id text not null,
    stream text not null,
    seq bigint not null,
    change_id text not null,
    at bigint not null,
    kind text not null,
    data text not null,
    primary key (team_id, stream, seq)
);

create table once (
    team_id text not null,
    scope text not null,
    key_hash text not null,
    fingerprint text not null,
    stream text,
    answer text,
    created_at bigint not null,
    primary key (team_id, scope, key_hash)
);

create index once_created on once (created_at);

-- Tokens alone: erasing a customer must find what was told of the customer's tokens.
create index once_token on once (team_id, stream) where scope = 'tokenise';

-- Customers that are gone, whose data are yet to be erased from what stays.
create table erasure (
    team_id text not null,
    customer_id text not null,
    due_at bigint not null,
    primary key (team_id, customer_id)
);

create index erasure_due on erasure (due_at);
