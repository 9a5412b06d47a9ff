-- code from: 8
-- What a team has set, as one document under a version.
create table team_setting (
    team_id text not null primary key,
    version bigint not null,
    body text not null,
    changed_at bigint not null
);

-- The secret key that made a client token: the token ends with it.
alter table credential add column parent_id text;
