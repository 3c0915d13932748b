-- Counts the edits of a row's form, so that nobody saves over what somebody else saved meanwhile.
alter table robot_groups add column version integer not null default 1;
alter table schedules add column version integer not null default 1;
