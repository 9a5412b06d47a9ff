-- code from: 8
-- concurrently
create index flow_instance_intent on flow_instance (team_id, intent_id) where intent_id is not null;
