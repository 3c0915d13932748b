-- additive: A device is allocated to a partner, and no other partner gives it to a robot. See decision 43.

alter table devices
  -- In-house (1) has those of the operator.
  add column partner_id integer not null default 1 references partners (id),
  -- Where a robot last had it; null since it was allocated by hand, and where none ever had it.
  add column last_site_id integer references sites (id);
create index devices_of_partner on devices (partner_id);
create index devices_of_last_site on devices (last_site_id) where last_site_id is not null;

update devices d set partner_id = coalesce(s.maintenance_partner_id, 1), last_site_id = s.id
from robots r join sites s on s.id = r.site_id
where r.serial_number = d.serial and r.deleted_at is null;

-- A free one is that partner's who last had it, by the robot that was deleted or became another machine. Where the site
-- has changed hands since, nobody knows who has the machine: a Super Admin allocates it.
with left_behind as (
  select serial_number as serial, site_id, deleted_at as at from robots where deleted_at is not null
  union all
  select before ->> 'serial_number', (before ->> 'site_id')::int, at from audit
  where entity = 'robot' and action = 'UPDATE_ROBOT' and outcome = 'DONE'
    and before ->> 'serial_number' <> after ->> 'serial_number'
), newest as (
  select distinct on (serial) serial, site_id, at from left_behind order by serial, at desc
)
update devices d set partner_id = p.id, last_site_id = s.id
from newest n join sites s on s.id = n.site_id
  join partners p on p.id = s.maintenance_partner_id and p.deleted_at is null
where d.serial = n.serial and d.last_site_id is null and not exists (
  select from audit a where a.entity = 'site' and a.entity_id = s.id::text and a.action = 'UPDATE_SITE'
    and a.outcome = 'DONE' and a.at >= n.at
    and a.before ->> 'maintenance_partner_id' is distinct from a.after ->> 'maintenance_partner_id');

-- A machine is that partner's whose site it stands at, whatever stores the robot, also a server of the version before.
create function allocate_device_of_robot() returns trigger language plpgsql as $$
begin
  update devices d set partner_id = coalesce(s.maintenance_partner_id, 1), last_site_id = s.id
  from sites s where s.id = new.site_id and d.serial = new.serial_number;
  return null;
end $$;
create trigger robots_allocate_device_of_new after insert on robots for each row
  when (new.deleted_at is null) execute function allocate_device_of_robot();
create trigger robots_allocate_device_of_changed after update of site_id, serial_number on robots for each row
  when (new.deleted_at is null and (old.site_id, old.serial_number) is distinct from (new.site_id, new.serial_number))
  execute function allocate_device_of_robot();

-- A site that is given to another partner takes its robots' devices along. Of a free one that was last there nobody knows
-- whether the machine still stands there: it goes to the operator, so that neither partner can move it.
create function allocate_devices_of_site() returns trigger language plpgsql as $$
begin
  update devices d set partner_id = coalesce(new.maintenance_partner_id, 1)
  from robots r where r.serial_number = d.serial and r.deleted_at is null and r.site_id = new.id;
  update devices d set partner_id = 1
  where d.last_site_id = new.id and d.partner_id = coalesce(old.maintenance_partner_id, 1)
    and not exists (select from robots r where r.serial_number = d.serial and r.deleted_at is null);
  return null;
end $$;
create trigger sites_allocate_devices after update of maintenance_partner_id on sites for each row
  when (old.maintenance_partner_id is distinct from new.maintenance_partner_id)
  execute function allocate_devices_of_site();
