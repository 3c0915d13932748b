-- A robot may be renamed, replaced by another machine, or move to a site of another partner. What happened keeps the
-- serial number and name that the robot had then, so that neither partner is told the other's words.

alter table runs add column serial_number text, add column robot_name text;
alter table commands add column robot_name text;

update runs set serial_number = r.serial_number, robot_name = r.robot_name from robots r where r.id = runs.robot_id;
update commands set robot_name = r.robot_name from robots r where r.id = commands.robot_id;

-- Each edit of a robot is in the audit, with what the robot was called before it; it held since the edit before that.
create temporary table former_names on commit drop as
select entity_id::integer as robot_id, at as until, before ->> 'serial_number' as serial_number,
  before ->> 'robot_name' as robot_name, coalesce(lag(at) over edits, '-infinity') as since
from audit
where entity = 'robot' and action = 'UPDATE_ROBOT' and outcome = 'DONE' and entity_id is not null
window edits as (partition by entity_id order by at, id);
update runs set serial_number = coalesce(f.serial_number, runs.serial_number),
  robot_name = coalesce(f.robot_name, runs.robot_name)
from former_names f
where f.robot_id = runs.robot_id and runs.at >= f.since and runs.at < f.until;
update commands set robot_name = coalesce(f.robot_name, commands.robot_name)
from former_names f
where f.robot_id = commands.robot_id and commands.issued_at >= f.since and commands.issued_at < f.until;

alter table runs alter column serial_number set not null, alter column robot_name set not null;
alter table commands alter column robot_name set not null;

-- What is stored without them happens now, and gets those that the robot has now.
create function keep_robot_names() returns trigger language plpgsql as $$
begin
  if new.serial_number is null or new.robot_name is null then
    select coalesce(new.serial_number, r.serial_number), coalesce(new.robot_name, r.robot_name)
    into new.serial_number, new.robot_name from robots r where r.id = new.robot_id;
  end if;
  return new;
end $$;
create trigger runs_keep_names before insert on runs for each row execute function keep_robot_names();
create trigger commands_keep_names before insert on commands for each row execute function keep_robot_names();

-- The last run of a robot is one at the site and with the serial number that it has now.
create index runs_last_of_robot on runs (robot_id, site_id, serial_number, at desc)
  where ended_at is not null and began_at is not null;
