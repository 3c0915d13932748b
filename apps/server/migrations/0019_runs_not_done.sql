-- A run by hand that a person ended within a minute was stopped early; it counted as completed before.
update runs set outcome = 'STOPPED'
where outcome = 'COMPLETED' and action_type <> 'SCHEDULED' and reason in ('STOP', 'MAINTENANCE')
  and ended_at - began_at < interval '1 minute';

-- Starts of a group that robots refused or never showed are runs, too: neither due nor begun, they count where they ended.
drop index runs_of_robot, runs_of_site, runs_newest, runs_last_of_robot;
alter table runs
  drop column at,
  drop constraint runs_have_a_time,
  add constraint runs_have_a_time check (coalesce(due_at, began_at, ended_at) is not null),
  add column at timestamptz generated always as (coalesce(due_at, began_at, ended_at)) stored;
create index runs_of_robot on runs (robot_id, at desc);
create index runs_of_site on runs (site_id, at desc, id desc);
create index runs_newest on runs (at desc, id desc);
create index runs_last_of_robot on runs (robot_id, site_id, serial_number, at desc)
  where ended_at is not null and began_at is not null;
create index runs_newest_of_robot on runs (robot_id, site_id, serial_number, at desc);
