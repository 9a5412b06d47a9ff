-- code from: 5
-- The audit trail: who did what. An entry is written in the commit of the act, and sealed into the team's chain afterwards: from then on
-- it has a number, the link that holds it to the entry before, and a keyed hash of that. Acts of the installation have the team
-- 00000000-0000-0000-0000-000000000000.
create table audit (
    team_id text not null,
    audit_id text not null,
    at bigint not null,
    act text not null,
    actor text not null,
    actor_id text,
    address text,
    request_id text,
    subject text not null,
    subject_id text,
    outcome text not null,
    details text not null,
    seq bigint,
    link text,
    mac text,
    primary key (team_id, audit_id)
);

-- Entries that are not sealed yet.
create index audit_unsealed on audit (team_id, audit_id) where seq is null;

create index audit_sealed on audit (team_id, seq) where seq is not null;

-- By their age, to be removed.
create index audit_at on audit (at);

-- The end of each team's chain, and its beginning once older entries were removed.
create table audit_chain (
    team_id text not null primary key,
    seq bigint not null,
    link text not null,
    mac text not null,
    sealed_at bigint not null,
    anchor_seq bigint not null,
    anchor_link text not null,
    anchor_mac text not null,
    anchored_at bigint not null
);
