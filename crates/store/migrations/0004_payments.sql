-- The id is a UUID of version 7 made from created_at (whole milliseconds), so that the key's order is that of date.
-- `connection_id` is the connection of the last attempt, by which payments are listed and a connection is known to be in use.
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
    connection_id text,
    country text,
    flow_id text,
    customer_id text,
    order_id text,
    intent_id text,
    body text not null,
    primary key (team_id, payment_id)
);

create index payment_status on payment (team_id, status, payment_id);

create index payment_customer on payment (team_id, customer_id, payment_id) where customer_id is not null;

create index payment_order on payment (team_id, order_id, payment_id) where order_id is not null;

create index payment_intent on payment (team_id, intent_id, payment_id) where intent_id is not null;

create index payment_due on payment (due_at) where due_at is not null;

-- Holds all that a list can be filtered and sorted by, but for what has an index of its own, so that looking at many payments does
-- not read their documents.
create index payment_scan on payment (team_id, payment_id, created_at, status, amount, currency, method, gateway, country,
    flow_id, order_id, intent_id);

-- A raw card's sealed number, which lives until its payment's authorisation has ended.
create table hidden_card (
    team_id text not null,
    blob_id text not null,
    payment_id text not null,
    due_at bigint not null,
    primary key (team_id, blob_id)
);

create index hidden_card_due on hidden_card (due_at);

-- Version check, timeline, outbox and audit at once: one row for each commit of an aggregate. `stamp` is that of the commit:
-- readers of the feed follow it.
create table event (
    team_id text not null,
    stream text not null,
    seq bigint not null,
    change_id text not null,
    at bigint not null,
    kind text not null,
    data text not null,
    stamp bigint not null,
    primary key (team_id, stream, seq)
);
