alter table devices
  -- Set before a broker with accounts of its own is told a new secret, cleared once that is stored: while it is set the
  -- broker may have a secret that nobody was told.
  add column secret_unsure_at timestamptz,
  -- How often the broker has refused what is pending; it is told again the later the more often it has.
  add column broker_refusals smallint not null default 0;
