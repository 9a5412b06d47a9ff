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
    started_at bigint not null,
    body text not null,
    primary key (team_id, instance_id)
);

create index flow_instance_due on flow_instance (due_at) where due_at is not null;
