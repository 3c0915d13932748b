-- additive: Alerts about Suncrew's own servers, which are at no site and are a Super Admin's alone. See decision 50.

alter table alerts
  -- Null where it is about Suncrew's own servers.
  alter column site_id drop not null,
  add constraint alerts_of_no_site_are_the_servers
    check (site_id is not null or (robot_id is null and source = 'SERVER'));
create unique index alerts_of_servers_open_once on alerts (code) where cleared_at is null and site_id is null;

-- Servers whose clock does not agree (protocol rule 12); normally none. Whoever looks at them tells it by one alert.
create table server_clocks (
  server_id uuid primary key,
  name text not null,
  -- What does not agree, as a sentence.
  words text not null,
  -- When the server said so last; one that says it no more is dead.
  seen_at timestamptz not null
);
