-- code from: 8
-- What browsers made and nobody may ever use: looked at when it is due, and erased when nothing needs it.
create table browser_made (
    team_id text not null,
    what text not null,
    id text not null,
    due_at bigint not null,
    primary key (team_id, what, id)
);

create index browser_made_due on browser_made (due_at);

alter table flow_instance add column intent_id text;
