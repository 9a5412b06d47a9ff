-- Security codes that wait for their authorisation, sealed, where several nodes share the database; at most for an hour. On
-- PostgreSQL the table is unlogged: nothing of it gets into the write-ahead log, a standby or an archive, and a crash of the
-- server empties it. The embedded database never has a row here: there codes are kept in memory.
create /* unlogged */ table security_code (
    holder text not null primary key,
    key_version bigint not null,
    sealed text not null,
    until_at bigint not null
);

create index security_code_until on security_code (until_at);
