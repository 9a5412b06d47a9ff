-- code from: 5
-- concurrently
create index event_feed on event (team_id, stamp);
