-- A run that no STOP ended has its end in the activity log as well, once.
alter table activity add column ended_run_id uuid;
create unique index activity_once_per_run_end on activity (ended_run_id) where ended_run_id is not null;
