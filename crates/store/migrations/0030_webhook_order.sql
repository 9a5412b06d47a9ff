-- Deliveries that are due are sent in the order of their times, those of a stream together.
drop index webhook_delivery_due;

create index webhook_delivery_due on webhook_delivery (team_id, endpoint_id, next_at, stream, sequence, delivery_id)
    where state = 'PENDING';
