-- code from: 7
-- concurrently
-- Holds all that a list can be filtered and sorted by, but for what has an index of its own, so that looking at many payments does
-- not read their documents.
create index payment_scan on payment (team_id, payment_id, created_at, status, amount, currency, method, gateway, country,
    flow_id, order_id, intent_id);
