-- code from: 8
-- How far a job that walks over everything has come, so that a restart, or another node, goes on there.
create table job_place (
    job text not null primary key,
    place text not null
);
