-- code from: 5
-- Addresses of merchants to which events are sent. Each has a place in the feed: everything up to there was sent, or has a row in
-- webhook_delivery. A node that works on one holds its lease.
-- `turn`, `turned_at`: what is to become of its deliveries that were pending at that time; done in parts, before anything is sent.
create table webhook_endpoint (
    team_id text not null,
    endpoint_id text not null,
    url text not null,
    kinds text not null,
    enabled bigint not null,
    secret_id text not null,
    created_at bigint not null,
    place_stamp bigint not null,
    place_stream text not null,
    place_seq bigint not null,
    failures bigint not null,
    failing_since bigint,
    retry_at bigint not null,
    lease text not null,
    lease_until bigint not null,
    events bigint not null,
    turn text not null default '',
    turned_at bigint not null default 0,
    primary key (team_id, endpoint_id)
);

-- Deliveries that were tried, or that wait behind one that was.
create table webhook_delivery (
    team_id text not null,
    endpoint_id text not null,
    delivery_id text not null,
    event_id text not null,
    kind text not null,
    stream text not null,
    sequence bigint not null,
    state text not null,
    tries bigint not null,
    next_at bigint,
    created_at bigint not null,
    body text not null,
    primary key (team_id, endpoint_id, delivery_id)
);

-- Those that are to be sent, in the order of their streams.
create index webhook_delivery_pending on webhook_delivery (team_id, endpoint_id, stream, sequence) where state = 'PENDING';

-- Those that are due, in the order of their times, those of a stream together.
create index webhook_delivery_order on webhook_delivery (team_id, endpoint_id, next_at, stream, sequence, delivery_id)
    where state = 'PENDING';

-- By their age, to be removed.
create index webhook_delivery_age on webhook_delivery (created_at);
