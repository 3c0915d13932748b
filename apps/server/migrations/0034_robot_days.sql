-- additive: What a robot did on a day of its site's calendar, computed once as the day closes. See decision 57.

create table robot_days (
  site_id integer not null references sites (id),
  date date not null,
  robot_id integer not null references robots (id),
  -- From its readings, each of which holds until the next: the time covered by one, and how it is divided. What did not
  -- move was stopped; what was in neither of the modes was in AUTO.
  read_ms integer not null default 0,
  moving_ms integer not null default 0,
  manual_mode_ms integer not null default 0,
  maintenance_mode_ms integer not null default 0,
  -- Battery in hundredths of a percent, for its mean times the milliseconds for which it held.
  battery_held bigint not null default 0,
  battery_least smallint,
  battery_last smallint,
  -- From its presence and its maintenance locks. Null where it was not known at the site on that day.
  counted_ms integer,
  reachable_ms integer not null default 0,
  -- From its runs.
  planned_ms integer not null default 0,
  as_planned_ms integer not null default 0,
  outside_plan_ms integer not null default 0,
  by_hand_ms integer not null default 0,
  -- Runs that began to move on that day; of these, those started manually.
  starts smallint not null default 0,
  by_hand smallint not null default 0,
  -- Runs that were due or otherwise began on that day, by outcome.
  planned_completed smallint not null default 0,
  planned_stopped smallint not null default 0,
  planned_cut_short smallint not null default 0,
  planned_failed smallint not null default 0,
  planned_skipped smallint not null default 0,
  planned_missed smallint not null default 0,
  planned_running smallint not null default 0,
  manual_completed smallint not null default 0,
  manual_stopped smallint not null default 0,
  manual_cut_short smallint not null default 0,
  manual_failed smallint not null default 0,
  manual_skipped smallint not null default 0,
  manual_missed smallint not null default 0,
  manual_running smallint not null default 0,
  -- From its critical alerts: those raised on that day, and the time with at least one open.
  faults smallint not null default 0,
  critical_ms integer not null default 0,
  -- True if sample data of a demo is in it.
  sample boolean not null default false,
  primary key (site_id, date, robot_id)
);

-- The days of a site that are closed, and the next one to be: the one row without `closed_at`. A server that works on a
-- site locks that row.
create table site_days (
  site_id integer not null references sites (id),
  date date not null,
  -- By the calendar that the site had when the day closed; one day begins where the last one ended.
  began_at timestamptz not null,
  ended_at timestamptz not null,
  -- Robots up to this number are done.
  done_robot_id integer not null default 0,
  closed_at timestamptz,
  primary key (site_id, date),
  check (ended_at > began_at)
);
create unique index site_days_one_open on site_days (site_id) where closed_at is null;
create index site_days_to_close on site_days (ended_at) where closed_at is null;

-- What changed in the past of a robot and site, for the server to compute its closed days again. No two rows are one, so
-- that whoever adds one never waits.
create table stale_days (
  id bigint generated always as identity primary key,
  site_id integer not null,
  robot_id integer not null,
  source text not null check (source in ('READINGS', 'PRESENCE', 'RUNS', 'ALERTS')),
  from_at timestamptz not null,
  until_at timestamptz not null
);
create index stale_days_of_site on stale_days (site_id);

-- Marks the days of a robot and site that a change reaches, unless it only concerns the day in progress. Where the next
-- day to close is over, or not known yet, a server may be reading it at this moment: it is marked to be safe.
create function mark_days_stale(the_site integer, the_robot integer, why text, since timestamptz, till timestamptz)
returns void language sql as $$
  insert into stale_days (site_id, robot_id, source, from_at, until_at)
  select the_site, the_robot, why, since, till
  where since < till and the_robot is not null and not exists (
    select from site_days d
    where d.site_id = the_site and d.closed_at is null and d.began_at <= since
      and d.ended_at > clock_timestamp() + interval '1 minute'
  )
$$;

create function mark_days_of_run() returns trigger language plpgsql as $$
declare
  since timestamptz := least(new.at, new.due_at, new.began_at);
  till timestamptz := greatest(new.at + interval '1 millisecond', new.stop_due_at,
    case when new.began_at is not null then coalesce(new.ended_at, 'infinity') end);
begin
  if tg_op = 'UPDATE' then
    since := least(since, old.at, old.due_at, old.began_at);
    till := greatest(till, old.at + interval '1 millisecond', old.stop_due_at,
      case when old.began_at is not null then coalesce(old.ended_at, 'infinity') end);
  end if;
  perform mark_days_stale(new.site_id, new.robot_id, 'RUNS', since, till);
  return null;
end $$;
create trigger runs_mark_days after insert on runs for each row execute function mark_days_of_run();
create trigger runs_mark_days_again after update of due_at, stop_due_at, began_at, ended_at, outcome, planned on runs
  for each row when ((old.due_at, old.stop_due_at, old.began_at, old.ended_at, old.outcome, old.planned)
    is distinct from (new.due_at, new.stop_due_at, new.began_at, new.ended_at, new.outcome, new.planned))
  execute function mark_days_of_run();

-- From the first instant at which the two differ: later ones can depend on it.
create function mark_days_of_presence() returns trigger language plpgsql as $$
declare
  since timestamptz := new.online_at;
begin
  if tg_op = 'UPDATE' then
    since := least(
      case when old.online_at <> new.online_at then least(old.online_at, new.online_at) end,
      case when old.offline_at is distinct from new.offline_at then least(old.offline_at, new.offline_at) end);
  end if;
  perform mark_days_stale(new.site_id, new.robot_id, 'PRESENCE', since, 'infinity');
  return null;
end $$;
create trigger robot_presence_mark_days after insert or update of online_at, offline_at on robot_presence
  for each row execute function mark_days_of_presence();

create function mark_days_of_lock() returns trigger language plpgsql as $$
declare
  since timestamptz := new.locked_at;
begin
  if tg_op = 'UPDATE' then
    since := least(
      case when old.locked_at <> new.locked_at then least(old.locked_at, new.locked_at) end,
      case when old.released_at is distinct from new.released_at then least(old.released_at, new.released_at) end);
  end if;
  perform mark_days_stale(new.site_id, new.robot_id, 'PRESENCE', since, 'infinity');
  return null;
end $$;
create trigger maintenance_locks_mark_days after insert or update of locked_at, released_at on maintenance_locks
  for each row execute function mark_days_of_lock();

create function mark_days_of_alert() returns trigger language plpgsql as $$
declare
  since timestamptz := new.raised_at;
begin
  if tg_op = 'UPDATE' and old.severity = new.severity then
    since := least(
      case when old.raised_at <> new.raised_at then least(old.raised_at, new.raised_at) end,
      case when old.cleared_at is distinct from new.cleared_at then least(old.cleared_at, new.cleared_at) end);
  end if;
  perform mark_days_stale(new.site_id, new.robot_id, 'ALERTS', since, 'infinity');
  return null;
end $$;
create trigger alerts_mark_days after insert on alerts
  for each row when (new.severity = 'CRITICAL' and new.robot_id is not null) execute function mark_days_of_alert();
create trigger alerts_mark_days_again after update of severity, raised_at, cleared_at on alerts
  for each row when ('CRITICAL' in (old.severity, new.severity) and new.robot_id is not null)
  execute function mark_days_of_alert();

-- A robot that leaves a site counts there until it was last seen, one that comes back as if it had never left.
create function mark_days_of_move() returns trigger language plpgsql as $$
begin
  if old.site_id <> new.site_id then
    perform mark_days_stale(last_seen.site_id, new.id, 'PRESENCE', coalesce(last_seen.offline_at, last_seen.online_at),
      'infinity')
    from unnest(array[old.site_id, new.site_id]) s (id) cross join lateral (
      select p.site_id, p.online_at, p.offline_at from robot_presence p
      where p.robot_id = new.id and p.site_id = s.id order by p.online_at desc limit 1
    ) last_seen;
  end if;
  if old.deleted_at is distinct from new.deleted_at then
    perform mark_days_stale(new.site_id, new.id, 'PRESENCE', least(old.deleted_at, new.deleted_at), 'infinity');
  end if;
  return null;
end $$;
create trigger robots_mark_days after update of site_id, deleted_at on robots
  for each row when (old.site_id <> new.site_id or old.deleted_at is distinct from new.deleted_at)
  execute function mark_days_of_move();

-- Runs that lasted long, or still do: a day asks which of them reach into it.
-- step: index
create index concurrently runs_lasting on runs (site_id, at)
  where ended_at is null or ended_at - at > interval '2 days' or stop_due_at - at > interval '2 days';
