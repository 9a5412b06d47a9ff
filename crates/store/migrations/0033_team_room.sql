-- Lists of a team that have a bound. The version goes up in each commit that makes one more, so that of two at once that have both
-- counted the same the second one counts again.
create table team_room (
    team_id text not null,
    list text not null,
    version bigint not null,
    primary key (team_id, list)
);
