-- additive: A device may be the weather sensor of a site instead of a robot's. See decision 90.

create table site_sensors (
  site_id integer primary key references sites (id),
  serial text not null unique references devices (serial),
  assigned_at timestamptz not null,
  -- The newest reading: a message counts if (session, seq) is above these.
  session bigint not null default 0,
  seq bigint not null default 0,
  -- By the server's clock and by the sensor's.
  received_at timestamptz,
  sensor_ts timestamptz,
  -- Null if it has no instrument for it.
  gust_kmh real,
  rain_mm_h real,
  temperature_c real,
  constraint site_sensors_reading check ((received_at is null) = (sensor_ts is null))
);

-- STOP: without a fresh reading, as bad as a limit that is passed. FORECAST: the forecast alone decides.
alter table site_guards add column without_sensor text not null default 'FORECAST'
  check (without_sensor in ('STOP', 'FORECAST'));

-- A machine is that partner's whose site it stands at, sensors like robots.
create function allocate_device_of_sensor() returns trigger language plpgsql as $$
begin
  update devices d set partner_id = coalesce(s.maintenance_partner_id, 1), last_site_id = s.id
  from sites s where s.id = new.site_id and d.serial = new.serial;
  return null;
end $$;
create trigger site_sensors_allocate_device after insert or update of serial on site_sensors for each row
  execute function allocate_device_of_sensor();

create or replace function allocate_devices_of_site() returns trigger language plpgsql as $$
begin
  update devices d set partner_id = coalesce(new.maintenance_partner_id, 1)
  where d.serial in (
    select r.serial_number from robots r where r.deleted_at is null and r.site_id = new.id
    union all select s.serial from site_sensors s where s.site_id = new.id);
  update devices d set partner_id = 1
  where d.last_site_id = new.id and d.partner_id = coalesce(old.maintenance_partner_id, 1)
    and not exists (select from robots r where r.serial_number = d.serial and r.deleted_at is null)
    and not exists (select from site_sensors s where s.serial = d.serial);
  return null;
end $$;
