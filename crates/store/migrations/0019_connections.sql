-- code from: 8
-- The connection of a payment's last attempt, by which payments are listed and a connection is known to be in use.
alter table payment add column connection_id text;

-- A flow that was deleted keeps its versions, since payments that began under them run on.
alter table flow add column deleted_at bigint;
