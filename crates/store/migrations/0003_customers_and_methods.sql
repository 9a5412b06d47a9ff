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

-- Customers that are gone, whose data are yet to be erased from what stays.
create table erasure (
    team_id text not null,
    customer_id text not null,
    due_at bigint not null,
    primary key (team_id, customer_id)
);

create index erasure_due on erasure (due_at);

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

-- What browsers made and nobody may ever use: looked at when it is due, and erased when nothing needs it.
create table browser_made (
    team_id text not null,
    what text not null,
    id text not null,
    due_at bigint not null,
    primary key (team_id, what, id)
);

create index browser_made_due on browser_made (due_at);

-- Numbers of one first six and last four that a team has brought within the hour. `bucket` is a keyed hash of the digits.
create table number_quota (
    team_id text not null,
    bucket text not null,
    version bigint not null,
    body text not null,
    until_at bigint not null,
    primary key (team_id, bucket)
);

create index number_quota_until on number_quota (until_at);

-- Processors' own tokens for stored cards.
create table processor_token (
    team_id text not null,
    token text not null,
    connection_id text not null,
    value text not null,
    reusable bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (team_id, token, connection_id)
);

-- Requests for such tokens; committed before the processor is asked.
create table token_request (
    team_id text not null,
    request_id text not null,
    version bigint not null,
    token text not null,
    connection_id text not null,
    is_open bigint not null,
    body text not null,
    created_at bigint not null,
    primary key (team_id, request_id)
);

create unique index token_request_open on token_request (team_id, token, connection_id) where is_open = 1;

create index token_request_token on token_request (team_id, token);

create index token_request_created on token_request (created_at);

-- Tokens of wallets that were used, by a keyed hash of their identity.
create table wallet_token (
    team_id text not null,
    token_hash text not null,
    payment_id text not null,
    forget_at bigint,
    primary key (team_id, token_hash)
);

create index wallet_token_forget on wallet_token (forget_at) where forget_at is not null;

-- A team's own keys and identifiers at a wallet: where they stand sealed in the vault.
create table wallet_setting (
    team_id text not null,
    wallet text not null,
    secret_id text not null,
    saved_at bigint not null,
    primary key (team_id, wallet)
);

-- The merchants of wallet A's console that a team has registered.
create table wallet_merchant (
    team_id text not null,
    merchant_id text not null,
    created_at bigint not null,
    primary key (team_id, merchant_id)
);
