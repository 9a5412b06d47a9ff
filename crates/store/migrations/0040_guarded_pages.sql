-- Pages of merchants on which customers pay, with the inventory of their scripts. The token stands in the address to which browsers
-- send reports. `seen` goes up in each commit that adds a kind of violation, `events` with each event of the page.
create table guarded_page (
    team_id text not null,
    page_id text not null,
    version bigint not null,
    token text not null,
    body text not null,
    created_at bigint not null,
    seen bigint not null,
    events bigint not null,
    primary key (team_id, page_id)
);

-- What browsers report of them: one row for each directive and source, with how often it came.
create table page_violation (
    team_id text not null,
    page_id text not null,
    mark text not null,
    directive text not null,
    blocked text not null,
    is_enforced bigint not null,
    reports bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    primary key (team_id, page_id, mark)
);

-- By their age, to be removed.
create index page_violation_age on page_violation (last_at);
