-- code from: 8
-- When a key was made to end: a key that takes its place lives as long, also when this one is ended early.
alter table credential add column made_to_end_at bigint;
