-- The id is a UUID of version 7, so that the key's order is that of date. payment_id is the intent's one live or paid
-- payment: the one that sets it holds the intent.
create table intent (
    team_id text not null,
    intent_id text not null,
    version bigint not null,
    status text not null,
    tracking_id text not null,
    customer_id text,
    payment_id text,
    created_at bigint not null,
    due_at bigint,
    body text not null,
    primary key (team_id, intent_id)
);

create index intent_status on intent (team_id, status, intent_id);

create index intent_tracking on intent (team_id, tracking_id, intent_id);

create index intent_customer on intent (team_id, customer_id, intent_id) where customer_id is not null;

create unique index intent_payment on intent (team_id, payment_id) where payment_id is not null;

create index intent_due on intent (due_at) where due_at is not null;
