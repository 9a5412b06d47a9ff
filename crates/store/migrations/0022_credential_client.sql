-- code from: 8
-- concurrently
create index credential_client on credential (team_id, key_id) where kind = 'client';
