-- A flow that was deleted keeps its versions, since payments that began under them run on.
create table flow (
    team_id text not null,
    flow_id text not null,
    name text not null,
    is_default bigint not null,
    created_at bigint not null,
    latest_version bigint not null,
    published_version bigint,
    deleted_at bigint,
    primary key (team_id, flow_id)
);

create unique index flow_default on flow (team_id) where is_default = 1;

-- The document of a flow at each save. Written once; a payment keeps to the version that it began under.
create table flow_version (
    team_id text not null,
    flow_id text not null,
    version bigint not null,
    document text not null,
    saved_at bigint not null,
    published_at bigint,
    primary key (team_id, flow_id, version)
);

-- Which payment an instance of a flow belongs to that waits, or waited, for an approval.
create table flow_wait (
    team_id text not null,
    instance_id text not null,
    payment_id text not null,
    primary key (team_id, instance_id)
);

-- Instances of flows that began without a payment: with a webhook, or with an intent that became inactive.
create table flow_instance (
    team_id text not null,
    instance_id text not null,
    version bigint not null,
    due_at bigint,
    intent_id text,
    started_at bigint not null,
    body text not null,
    primary key (team_id, instance_id)
);

create index flow_instance_due on flow_instance (due_at) where due_at is not null;

create index flow_instance_intent on flow_instance (team_id, intent_id) where intent_id is not null;
