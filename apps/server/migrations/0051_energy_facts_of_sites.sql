-- additive: Optional facts of a site, from which the worth of cleaning it is computed. Null is not known.

alter table sites
  add column dc_capacity_kwp double precision check (dc_capacity_kwp > 0),
  add column tilt_degrees double precision check (tilt_degrees between 0 and 90),
  -- As on a compass: 180 is south.
  add column azimuth_degrees double precision check (azimuth_degrees >= 0 and azimuth_degrees < 360),
  -- Of clean panels.
  add column performance_ratio_percent double precision check (performance_ratio_percent between 10 and 100),
  add column tariff_per_kwh double precision check (tariff_per_kwh >= 0),
  -- Of the tariff and of the price; ISO 4217.
  add column currency text check (currency ~ '^[A-Z]{3}$'),
  add column cleaning_price double precision check (cleaning_price >= 0),
  -- Each run of one robot, or each kWp of the site.
  add column cleaning_price_per text check (cleaning_price_per in ('run', 'kwp')),
  add column cleaning_effectiveness_percent double precision check (cleaning_effectiveness_percent between 1 and 100),
  add column wet_wash_litres_per_kwp double precision check (wet_wash_litres_per_kwp >= 0),
  -- The loss from which the site needs attention.
  add column soiling_alert_percent double precision check (soiling_alert_percent between 0.5 and 50);
