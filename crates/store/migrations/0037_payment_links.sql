-- Addresses that merchants send to customers, who pay there. The id is a UUID of version 7, so that the key's order is that of date.
create table payment_link (
    team_id text not null,
    link_id text not null,
    version bigint not null,
    token text not null,
    intent_id text,
    created_at bigint not null,
    body text not null,
    primary key (team_id, link_id)
);

create unique index payment_link_token on payment_link (team_id, token);
