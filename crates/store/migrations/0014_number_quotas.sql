-- Distinct numbers that a client token has brought: how many, and their marks (keyed hashes), each with a dot before it.
alter table credential add column numbers bigint;

alter table credential add column number_marks text;

-- Numbers of one first six and last four that a team has brought within the hour. `bucket` is a keyed hash of the digits.
create table number_quota (
    team_id text not null,
    bucket text not null,
    version bigint not null,
    body text not null,
    until_at bigint not null,
    primary key (team_id, bucket)
);

create index number_quota_until on number_quota (until_at);
