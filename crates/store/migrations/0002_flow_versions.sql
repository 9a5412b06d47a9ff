-- What a flow said at each save. Written once; a payment keeps to the version that it began under.
create table flow_version (
    team_id text not null,
    flow_id text not null,
    version bigint not null,
    document text not null,
    saved_at bigint not null,
    published_at bigint,
    primary key (team_id, flow_id, version)
);

create unique index flow_default on flow (team_id) where is_default = 1;

-- The sealed record with the connection's credentials.
alter table connection add column credentials_id text;
