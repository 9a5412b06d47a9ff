-- code from: 3
-- Which authorisation has opened a code, in the words of whoever opened it, and when to look whether that has ended: a node can
-- die before it erases what its authorisation needs no more.
alter table security_code add column used_by text;

alter table security_code add column look_at bigint;

create index security_code_look on security_code (look_at) where look_at is not null;
