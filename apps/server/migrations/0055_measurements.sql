-- additive: What was measured at a site: its energy by inverters and meter, and the ratio of a soiling station.

create table site_measurements (
  site_id integer not null references sites (id),
  resolution text not null check (resolution in ('hour', 'day')),
  -- The hour's beginning; of a day its first instant by the site's clock.
  starts_at timestamptz not null,
  inverter_energy_kwh double precision check (inverter_energy_kwh >= 0),
  meter_energy_kwh double precision check (meter_energy_kwh >= 0),
  -- Of the rows that are left out of cleaning on purpose; part of the site's.
  control_energy_kwh double precision check (control_energy_kwh >= 0),
  -- 1 is clean.
  soiling_ratio double precision check (soiling_ratio between 0 and 1.1),
  -- Whether the site was told to give less than it could; null is not known.
  curtailed boolean,
  received_at timestamptz not null,
  primary key (site_id, resolution, starts_at),
  check (num_nonnulls(inverter_energy_kwh, meter_energy_kwh, control_energy_kwh, soiling_ratio, curtailed) > 0)
);
