-- code from: 8
-- What a secret key may do, its scopes with commas between them; everything when null.
alter table credential add column scopes text;
