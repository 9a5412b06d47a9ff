-- The stamp of the commit: readers of the feed follow it. Rows from before come first.
alter table event add column stamp bigint not null default 0;
