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
