-- additive: Rows left uncleaned on purpose, the factor on particles, and who corrected the soiling model by what was measured. Older servers model without it.

alter table sites
  -- Of the DC capacity.
  add column control_capacity_kwp double precision check (control_capacity_kwp > 0),
  -- What the mass that settles is multiplied by in the soiling model; null is 1.
  add column soiling_rate_factor double precision check (soiling_rate_factor between 0.1 and 10);

-- In force as long as the site's fact is what it was set to.
create table site_corrections (
  site_id integer not null references sites (id),
  fact text not null check (fact in ('performance_ratio_percent', 'soiling_rate_factor')),
  -- As it was entered; null is the default.
  entered double precision,
  corrected double precision not null,
  corrected_at timestamptz not null,
  corrected_by text not null,
  primary key (site_id, fact)
);
