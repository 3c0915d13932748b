-- additive: What is stored is deleted at its age, and the audit is cut where its owner says so. See decision 58.

-- One row: when the last round of deleting began, on whichever server, and what the last one that deleted anything did.
create table retention_rounds (
  one boolean primary key default true check (one),
  began_at timestamptz not null default '-infinity',
  deleted_at timestamptz,
  -- Rows by kind.
  deleted jsonb not null default '{}'
);
insert into retention_rounds default values;

-- The free space on the disk of each server, as it said last; one that says it no more is dead.
create table server_disks (
  server_id uuid not null,
  -- The folder that is stored there; 'database' for the disk of a PostgreSQL elsewhere, whose size is configured.
  folder text not null,
  name text not null,
  total_bytes bigint not null check (total_bytes > 0),
  free_bytes bigint not null,
  level text not null check (level in ('ENOUGH', 'LITTLE', 'NEARLY_NONE')),
  seen_at timestamptz not null,
  primary key (server_id, folder)
);

-- What happened keeps the id of its command, which may be deleted before it.
alter table activity drop constraint activity_command_id_fkey;
alter table runs drop constraint runs_command_id_fkey, drop constraint runs_stop_command_id_fkey;
alter table commands drop constraint commands_follows_id_fkey;
-- These two keep their commands.
create index maintenance_locks_of_command on maintenance_locks (command_id) where command_id is not null;
create index command_requests_of_command on command_requests (command_id) where command_id is not null;

-- Months of readings are dropped whole. The servers' account owns no table, so this runs as its owner, and drops nothing
-- but a month of readings that ended 35 days ago or earlier. Returns the number of rows as PostgreSQL estimates it, or null
-- if there is no such month. Whoever reads or writes readings waits for it no longer than the lock is waited for.
create function drop_readings_partition(month date) returns bigint
language plpgsql security definer set lock_timeout = '100ms' as $$
declare
  first_day date := date_trunc('month', month)::date;
  next_day date := (first_day + interval '1 month')::date;
  name text := 'readings_' || to_char(first_day, 'YYYY_MM');
  partition oid := to_regclass(name);
  known bigint;
begin
  if next_day::timestamp at time zone 'UTC' > clock_timestamp() - interval '35 days' then
    raise exception 'The readings of % are too young to be deleted.', to_char(first_day, 'YYYY-MM');
  end if;
  select greatest(c.reltuples, 0)::bigint into known
  from pg_class c join pg_inherits i on i.inhrelid = c.oid and i.inhparent = to_regclass('readings')
  where c.oid = partition;
  if not found then return null; end if;
  -- Never analyzed, so it is small.
  if known = 0 then execute format('select count(*) from %I', name) into known; end if;
  execute format('drop table %I', name);
  return known;
end $$;

-- Readings that no month's partition was there for, in steps; no younger ones than 35 days.
create function delete_unpartitioned_readings(before timestamptz, most integer) returns bigint
language plpgsql security definer set lock_timeout = '100ms' as $$
declare
  deleted bigint;
begin
  delete from readings_default where ctid = any (array(
    select ctid from readings_default
    where received_at < least(before, clock_timestamp() - interval '35 days') limit most));
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- How long the audit is kept: written by its owner alone (`npm run migrate`, or the server where that is the owner), so
-- that whoever has the servers' account cannot shorten it. 0: for good.
create table audit_retention (
  one boolean primary key default true check (one),
  keep_days integer not null default 0 check (keep_days = 0 or keep_days >= 365)
);
insert into audit_retention default values;

-- The newest seal that was removed: what is left of the chain begins after it.
create table audit_beginning (
  one boolean primary key default true check (one),
  number bigint not null check (number > 0),
  hash bytea not null check (length(hash) = 32),
  -- When that seal was made, and when it was removed.
  sealed_at timestamptz not null,
  cut_at timestamptz not null
);

-- Cuts the audit at a sealed head: removes the oldest rows, with their seals, that are older than the owner allows, and
-- never the newest seal. The head is kept and goes on record as a row of the audit itself. Neither the age nor the place
-- can be chosen by whoever calls it. Returns the number of rows removed.
create function cut_audit() returns integer
language plpgsql security definer set lock_timeout = '100ms' as $$
declare
  keep integer := (select keep_days from audit_retention);
  before timestamptz := clock_timestamp() - keep * interval '1 day';
  earliest bigint;
  head bigint;
  cut record;
  removed bigint[];
begin
  if keep = 0 or not pg_try_advisory_xact_lock(7305009) then return 0; end if;
  select min(number) into earliest from audit_seals;
  -- Once a day at most, so that the records of the cuts do not outnumber what is cut.
  if not exists (select from audit_seals where number = earliest and sealed_at < before - interval '1 day') then
    return 0;
  end if;
  -- Up to the first that is younger, whatever times follow it.
  select least(
    (select number - 1 from (
      select s.number, s.sealed_at, a.at from audit_seals s left join audit a on a.id = s.audit_id
      where s.number < earliest + 20000 order by s.number) oldest
      where sealed_at >= before or at is null or at >= before order by number limit 1),
    earliest + 19999, (select max(number) - 1 from audit_seals)) into head;
  if head is null or head < earliest then return 0; end if;
  select number, hash, sealed_at into cut from audit_seals where number = head;
  with seals as (delete from audit_seals where number <= head returning audit_id)
  select array_agg(audit_id) into removed from seals;
  delete from audit where id = any (removed);
  insert into audit_beginning as b (number, hash, sealed_at, cut_at)
  values (cut.number, cut.hash, cut.sealed_at, clock_timestamp())
  on conflict (one) do update set number = excluded.number, hash = excluded.hash, sealed_at = excluded.sealed_at,
    cut_at = excluded.cut_at;
  insert into audit (at, actor, action, entity, outcome, after)
  values (clock_timestamp(), 'Suncrew', 'CUT_AUDIT', 'audit', 'DONE', jsonb_build_object(
    'rows', cardinality(removed), 'kept_days', keep, 'head', cut.number || ':' || encode(cut.hash, 'hex')));
  -- What only the removed rows were found by. No row with such a text is added meanwhile, or it would not be found.
  lock table audit in share row exclusive mode;
  delete from audit_names n where not exists (
    select from audit a where a.entity = n.entity and a.entity_id = n.entity_id);
  delete from audit_reasons r where not exists (
    select from audit a where a.reason is not null and hashtextextended(a.reason, 0) = r.key);
  return cardinality(removed);
end $$;

-- The path is fixed, so that nobody puts a table of the same name before ours.
do $do$
declare
  name text;
begin
  foreach name in array array['drop_readings_partition(date)', 'delete_unpartitioned_readings(timestamptz, integer)',
    'cut_audit()'] loop
    execute format('alter function %s set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke execute on function %s from public', name);
  end loop;
end $do$;

-- What is to be deleted is found by its age.
-- step: index
create index concurrently commands_issued on commands (issued_at);
-- step: index
create index concurrently runs_ended on runs (ended_at) where ended_at is not null;
-- step: index
create index concurrently robot_events_received on robot_events (received_at);
-- step: index
create index concurrently robot_presence_ended on robot_presence (offline_at) where offline_at is not null;
