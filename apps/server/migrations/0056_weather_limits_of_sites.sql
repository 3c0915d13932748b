-- additive: Limits of gust, rain and temperature of a site, and whether they hold. See decision 86.

create table site_guards (
  site_id integer primary key references sites (id),
  -- Kilometres per hour; millimetres within an hour; degrees Celsius. A site without any limit has no guard.
  max_gust_kmh real,
  max_rain_mm real,
  min_temperature_c real,
  max_temperature_c real,
  version integer not null default 1,
  -- The newest judgement, by whichever server came first. Without one, or with an old one, no robot of the site starts.
  judged_at timestamptz,
  verdict text check (verdict in ('CLEAR', 'PASSED', 'UNKNOWN')),
  -- Which limit was passed, by how much and by whom it was told.
  passed jsonb,
  -- Since when it has been within the limits again, while it still counts as passed.
  within_since timestamptz,
  -- Changes with what people see, not with every judgement.
  change_no xid8 not null default pg_current_xact_id(),
  constraint site_guards_judged check ((verdict is null) = (judged_at is null)),
  constraint site_guards_passed check ((verdict is not distinct from 'PASSED') = (passed is not null)),
  constraint site_guards_order check (min_temperature_c < max_temperature_c)
);
create index site_guards_change on site_guards (change_no);
