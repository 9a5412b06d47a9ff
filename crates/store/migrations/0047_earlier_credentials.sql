-- The credentials before the last rotation, which prove notifications until a time.
alter table connection add column earlier_credentials_id text;
alter table connection add column earlier_until bigint;
