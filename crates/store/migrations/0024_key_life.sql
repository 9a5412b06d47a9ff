-- code from: 8
-- When a key was last used, to within some minutes.
alter table credential add column last_used_at bigint;

-- Since when no key of the team is accepted.
alter table team add column closed_at bigint;
