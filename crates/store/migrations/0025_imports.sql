-- What becomes of payments that a connection's processor reports and that were not made here.
alter table connection add column imports text not null default 'OFF';

-- The payment that was made of what a processor has under an id of its own: one at most.
create table imported_payment (
    team_id text not null,
    connection_id text not null,
    processor_id text not null,
    payment_id text not null,
    primary key (team_id, connection_id, processor_id)
);
