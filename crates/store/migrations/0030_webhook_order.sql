-- Deliveries that are due are sent in the order of their times, those of a stream together.
-- concurrently
create index webhook_delivery_order on webhook_delivery (team_id, endpoint_id, next_at, stream, sequence, delivery_id)
    where state = 'PENDING';
