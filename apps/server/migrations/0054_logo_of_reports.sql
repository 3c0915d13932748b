-- additive: The logo that site reports show on their first page. See decision 87.

create table report_logo (
  -- One row at most.
  is_only boolean primary key default true check (is_only),
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  content bytea not null,
  changed_at timestamptz not null
);
