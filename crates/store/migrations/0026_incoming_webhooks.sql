-- Signed messages that an endpoint's server sent and that had an effect: each has one, however often it comes.
create table webhook_received (
    team_id text not null,
    endpoint_id text not null,
    message_id text not null,
    received_at bigint not null,
    primary key (team_id, endpoint_id, message_id)
);

create index webhook_received_age on webhook_received (received_at);
