-- code from: 8
-- The client token that took the key, so that no other browser learns what it made; null for a secret key.
alter table once add column taken_by text;
