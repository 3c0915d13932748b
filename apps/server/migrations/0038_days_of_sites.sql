-- additive: Days keep what reports need of runs and alerts that are deleted at their age. See decision 57.

alter table robot_days
  -- What the robot was called in its last run of the day; null where it had none.
  add column robot_name text,
  add column serial_number text;
alter table site_days
  -- Alerts of the site and its robots: critical ones raised on the day, and those cleared on it, with how long they were
  -- open.
  add column critical_alerts integer not null default 0,
  add column resolved_alerts integer not null default 0,
  add column resolution_ms bigint not null default 0;
-- Days that were closed without these are computed again.
delete from site_days;

-- Alerts of another kind than those in the figures of a robot: they only count for the site, which is robot 0.
create function mark_days_of_other_alert() returns trigger language plpgsql as $$
declare
  since timestamptz := new.raised_at;
begin
  if tg_op = 'UPDATE' and old.severity = new.severity then
    since := least(
      case when old.raised_at <> new.raised_at then least(old.raised_at, new.raised_at) end,
      case when old.cleared_at is distinct from new.cleared_at then least(old.cleared_at, new.cleared_at) end);
  end if;
  perform mark_days_stale(new.site_id, 0, 'ALERTS', since, 'infinity');
  return null;
end $$;
create trigger alerts_mark_days_of_site after insert on alerts
  for each row when (new.site_id is not null and (new.severity <> 'CRITICAL' or new.robot_id is null))
  execute function mark_days_of_other_alert();
create trigger alerts_mark_days_of_site_again after update of severity, raised_at, cleared_at on alerts
  for each row when (new.site_id is not null
    and (new.robot_id is null or 'CRITICAL' not in (old.severity, new.severity)))
  execute function mark_days_of_other_alert();
