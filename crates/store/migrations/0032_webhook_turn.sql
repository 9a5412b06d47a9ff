-- What is to become of an endpoint's deliveries that were pending at a time: it is done in parts, before anything is sent.
alter table webhook_endpoint add column turn text not null default '';

alter table webhook_endpoint add column turned_at bigint not null default 0;
