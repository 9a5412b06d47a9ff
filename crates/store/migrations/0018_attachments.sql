-- Files that merchants keep with their payments. `slot` bounds how many a payment has: no two that are there have the same.
create table attachment (
    team_id text not null,
    attachment_id text not null,
    subject text not null,
    slot bigint not null,
    name text not null,
    kind text not null,
    bytes bigint not null,
    sha256 text not null,
    object_key text not null,
    made_by text not null,
    created_at bigint not null,
    deleted_at bigint,
    primary key (team_id, attachment_id)
);

create unique index attachment_slot on attachment (team_id, subject, slot) where deleted_at is null;

-- Content that was written, or is about to be. What nothing uses any more, or has never used, is due to be removed.
create table attachment_object (
    team_id text not null,
    object_key text not null,
    attachment_id text not null,
    due_at bigint,
    primary key (team_id, object_key)
);

create index attachment_object_due on attachment_object (due_at) where due_at is not null;
