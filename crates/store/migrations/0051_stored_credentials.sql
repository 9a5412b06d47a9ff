-- The scheme's transaction by which a stored card may be charged later, with what decides whether another replaces it.
alter table method add column network_reference text;
alter table method add column network_rank bigint;
alter table method add column network_payment_id text;

-- The processor's name for the owner of a card, where its token counts only together with it.
alter table processor_token add column customer_at_processor text;
