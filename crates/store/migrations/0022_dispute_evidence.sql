-- What merchants respond to disputes: the texts, and which files. Apart from the dispute, since it is long and holds personal data.
create table dispute_evidence (
    team_id text not null,
    dispute_id text not null,
    n bigint not null,
    body text not null,
    primary key (team_id, dispute_id, n)
);
