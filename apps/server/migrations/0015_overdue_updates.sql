-- A robot that failed by its deadline may still be installing, and may show the new version later.
alter table rollout_robots
  -- It failed because its time was over, not because it said so.
  add column overdue boolean not null default false,
  -- It was last heard downloading or installing: until then it is taken to be.
  add column installing_until timestamptz,
  add check (not overdue or state = 'FAILED'),
  add check (installing_until is null or overdue);
create index rollout_robots_overdue on rollout_robots (robot_id) where overdue;
