-- What holds for the whole installation, whichever node serves it: written once.
create table installation (
    name text not null primary key,
    value text not null
);
