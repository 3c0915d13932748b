-- When robots were reachable, kept from now on: reports compute their uptime from it.

create table robot_presence (
  id bigint generated always as identity primary key,
  robot_id integer not null,
  -- Where it was then.
  site_id integer not null,
  online_at timestamptz not null,
  -- Null while it lasts.
  offline_at timestamptz,
  sample boolean not null default false,
  check (offline_at >= online_at)
);
create unique index robot_presence_one_open on robot_presence (robot_id) where offline_at is null;
create index robot_presence_of_robot on robot_presence (robot_id, site_id, online_at);
-- What ends after an instant, of one robot: asked whenever one connects, within the transaction that stores its word.
create index robot_presence_of_robot_end on robot_presence (robot_id, (coalesce(offline_at, timestamptz 'infinity')));
create index robot_presence_of_site on robot_presence (site_id, (coalesce(offline_at, timestamptz 'infinity')));

-- Follows the row that says whether a robot is online, whoever writes it, in the same transaction. The times are those
-- of what the robot told: silence ends a presence 90 seconds after the last sign of life (protocol rule 7), also where
-- nobody was there to notice it then.
create function keep_robot_presence() returns trigger language plpgsql as $$
declare
  silent_after constant interval := '90 seconds';
  seen timestamptz := greatest(old.live_at, old.connection_at);
  ended timestamptz;
  began timestamptz;
begin
  if tg_op = 'DELETE' then
    if old.online then ended := seen; end if;
  elsif not new.online then
    ended := least(seen + silent_after, case when new.connection <> 'ONLINE' then new.connection_at end);
  elsif not old.online then
    began := coalesce(new.connection_at, new.live_at);
  elsif old.site_id <> new.site_id then
    ended := seen;
    began := seen;
  elsif greatest(new.live_at, new.connection_at) > seen + silent_after then
    ended := seen + silent_after;
    began := case when new.connection_at > seen then new.connection_at else new.live_at end;
  end if;
  if ended is not null then
    update robot_presence set offline_at = greatest(online_at, ended)
    where robot_id = old.robot_id and offline_at is null;
  end if;
  if began is not null then
    -- No two lie over each other.
    update robot_presence set offline_at = greatest(online_at, began)
    where robot_id = old.robot_id and coalesce(offline_at, 'infinity') > began;
    insert into robot_presence (robot_id, site_id, online_at) values (new.robot_id, new.site_id, began);
  end if;
  return null;
end $$;
create trigger robot_state_keep_presence after update on robot_state for each row
  when (
    old.online is distinct from new.online
    or new.online and (old.site_id <> new.site_id
      or greatest(new.live_at, new.connection_at) > greatest(old.live_at, old.connection_at) + interval '90 seconds')
  )
  execute function keep_robot_presence();
create trigger robot_state_end_presence after delete on robot_state for each row execute function keep_robot_presence();

-- Makes all presence anew from readings: each shows that its robot was reachable, for 90 seconds; sample data has one an
-- hour. For the time before presence was kept, and for a past that was made up.
create function presence_from_readings() returns void language sql as $$
  delete from robot_presence;
  insert into robot_presence (robot_id, site_id, online_at, offline_at, sample)
  select robot_id, site_id, min(received_at), max(until), bool_or(sample)
  from (
    select *, sum(case when received_at <= last_until then 0 else 1 end)
      over (partition by robot_id order by received_at, session, seq) as stretch
    from (
      select *, lag(until) over (partition by robot_id, site_id order by received_at, session, seq) as last_until
      from (
        select robot_id, site_id, received_at, session, seq, sample,
          received_at + case when sample then interval '65 minutes' else interval '90 seconds' end as until
        from readings
      ) held
    ) followed
  ) stretches
  group by robot_id, site_id, stretch;
  -- The newest lasts, or ended as the robot's state says.
  update robot_presence p set offline_at = case when s.online then null else greatest(p.online_at, s.connection_at) end
  from robot_state s
  where s.robot_id = p.robot_id and s.site_id = p.site_id
    and (s.online or s.connection <> 'ONLINE' and s.connection_at < p.offline_at)
    and p.id = (select id from robot_presence where robot_id = p.robot_id order by online_at desc limit 1)
    and p.offline_at >= greatest(s.live_at, s.connection_at);
$$;
select presence_from_readings();

-- Reports add up a robot's battery over months from the index alone: its readings lie among those of all others.
alter table readings drop constraint readings_pkey;
alter table readings add primary key (robot_id, received_at, session, seq) include (site_id, battery, sample);
