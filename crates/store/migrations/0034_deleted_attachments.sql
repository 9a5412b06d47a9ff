-- Deleted attachments whose content is still there count too.
-- concurrently
create index attachment_deleted on attachment (team_id, subject) where deleted_at is not null;
