-- Alerts as people see them: about a robot or a whole site, acknowledged, in one order, told live.

alter table alerts
  -- Null where it is about the whole site.
  alter column robot_id drop not null,
  -- As they were then, so that a robot that moves tells neither partner the other's words.
  add column robot_name text,
  add column serial_number text,
  add column acknowledged_at timestamptz,
  add column acknowledged_by_user_id integer references users (id),
  add column acknowledged_by text,
  add column change_no xid8 not null default pg_current_xact_id(),
  add constraint alerts_of_sites_are_the_servers check (robot_id is not null or source = 'SERVER'),
  add constraint alerts_acknowledged_by_somebody check ((acknowledged_at is null) = (acknowledged_by is null));

update alerts set serial_number = r.serial_number, robot_name = r.robot_name from robots r where r.id = alerts.robot_id;
-- Each edit of a robot is in the audit, with what the robot was called before it; it held since the edit before that.
update alerts set serial_number = coalesce(f.serial_number, alerts.serial_number),
  robot_name = coalesce(f.robot_name, alerts.robot_name)
from (
  select entity_id::integer as robot_id, at as until, before ->> 'serial_number' as serial_number,
    before ->> 'robot_name' as robot_name, coalesce(lag(at) over edits, '-infinity') as since
  from audit
  where entity = 'robot' and action = 'UPDATE_ROBOT' and outcome = 'DONE' and entity_id is not null
  window edits as (partition by entity_id order by at, id)
) f
where f.robot_id = alerts.robot_id and alerts.cleared_at is not null
  and alerts.raised_at >= f.since and alerts.raised_at < f.until;
create trigger alerts_keep_names before insert on alerts for each row execute function keep_robot_names();

drop index alerts_open_once;
create unique index alerts_open_once on alerts (robot_id, source, code) where cleared_at is null and robot_id is not null;
create unique index alerts_of_site_open_once on alerts (site_id, source, code)
  where cleared_at is null and robot_id is null;
-- Those that hold, of some sites.
create index alerts_open on alerts (site_id) where cleared_at is null;
create index alerts_newest on alerts (raised_at desc, id desc);
create index alerts_of_robot on alerts (robot_id, raised_at desc);
-- How often the same was raised, about a robot or about the whole site.
create index alerts_same on alerts (site_id, coalesce(robot_id, 0), source, code, raised_at);
create index alerts_change on alerts (change_no);
