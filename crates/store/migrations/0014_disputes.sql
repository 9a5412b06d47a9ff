-- The id is made of team, connection and the processor's id, so that each dispute is there once. `disputed_at` is the
-- processor's date.
create table dispute (
    team_id text not null,
    dispute_id text not null,
    version bigint not null,
    payment_id text not null,
    connection_id text not null,
    source_id text not null,
    status text not null,
    stage text not null,
    reason text not null,
    amount bigint not null,
    currency text not null,
    disputed_at bigint not null,
    response_at bigint,
    due_at bigint,
    body text not null,
    primary key (team_id, dispute_id)
);

create index dispute_date on dispute (team_id, disputed_at, dispute_id);

create index dispute_payment on dispute (team_id, payment_id, dispute_id);

create index dispute_due on dispute (due_at) where due_at is not null;
