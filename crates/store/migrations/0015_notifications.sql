-- The token in the address to which a connection's processor sends notifications.
alter table connection add column inbound_token text;

-- What processors sent. The id is a UUID of version 7, so that the key's order is that of date. The mark is made of the connection
-- and of the processor's ids, so that a copy finds it taken.
create table notification (
    team_id text not null,
    notification_id text not null,
    mark text not null,
    connection_id text not null,
    received_at bigint not null,
    word text not null,
    status text not null,
    message text,
    payment_id text,
    tries bigint not null,
    due_at bigint,
    body text not null,
    primary key (team_id, notification_id)
);

create unique index notification_mark on notification (team_id, mark);

create index notification_due on notification (due_at) where due_at is not null;

create index notification_age on notification (received_at);
