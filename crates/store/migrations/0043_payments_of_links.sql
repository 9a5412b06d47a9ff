-- Which payments were made by which link: one for many payments has no intent that holds them.
create table payment_link_payment (
    team_id text not null,
    link_id text not null,
    payment_id text not null,
    primary key (team_id, link_id, payment_id)
);
