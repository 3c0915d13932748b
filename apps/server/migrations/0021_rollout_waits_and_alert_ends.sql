-- A robot that cannot be offered firmware is not waited for without end.
alter table rollouts add column wait_limit_hours integer not null default 24
  check (wait_limit_hours between 1 and 720);
alter table rollout_robots add column gave_up boolean not null default false,
  add check (not gave_up or state = 'SKIPPED');

-- Nothing is pending after settings or a release that a robot did not confirm, so that nothing would end these alerts.
update alerts set cleared_at = greatest(raised_at, now()), change_no = pg_current_xact_id()
  where source = 'SERVER' and code = 'COMMAND_UNCONFIRMED' and cleared_at is null
    and text in ('The robot has not confirmed its new settings.',
      'The robot has not confirmed its release from maintenance.');
