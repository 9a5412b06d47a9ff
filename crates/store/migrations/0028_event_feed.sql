-- concurrently
create index event_feed on event (team_id, stamp);
