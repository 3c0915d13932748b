-- Sites, robots, partners and devices as people change them.

-- Counts the edits of a row's form, so that nobody saves over what somebody else saved meanwhile.
alter table sites add column version integer not null default 1;
alter table robots add column version integer not null default 1;
alter table partners add column version integer not null default 1;

-- A generated password, encrypted, until its user has set an own one.
alter table users add column enc_password text;

alter table devices
  add column secret_at timestamptz not null default now(),
  -- What the broker has not been told yet; told again until it has.
  add column broker_pending text check (broker_pending in ('ADD', 'SECRET', 'RETIRE')),
  add column broker_pending_at timestamptz,
  add constraint devices_pending_since check ((broker_pending is null) = (broker_pending_at is null));
update devices set secret_at = created_at;
create index devices_broker_pending on devices (broker_pending_at) where broker_pending is not null;

-- §5 Robot form: names are compared without any spaces, case kept.
drop index robots_name_once;
create unique index robots_name_once on robots (site_id, regexp_replace(normalize(robot_name, NFC), '\s+', '', 'g'))
  where deleted_at is null;
-- §5 Site create: names are compared trimmed, in any case.
drop index sites_name_once;
create unique index sites_name_once on sites (lower(btrim(normalize(name, NFC)))) where deleted_at is null;
