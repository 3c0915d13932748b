-- additive: Marking a day for correction, and the last maintenance of each robot in a report, take less time.

-- The same as before. In this language its plan is made once per connection, not for every row that is written.
create or replace function mark_days_stale(the_site integer, the_robot integer, why text, since timestamptz, till timestamptz)
returns void language plpgsql as $$
begin
  if since < till and the_robot is not null and not exists (
    select from site_days d
    where d.site_id = the_site and d.closed_at is null and d.began_at <= since
      and d.ended_at > clock_timestamp() + interval '1 minute'
  ) then
    insert into stale_days (site_id, robot_id, source, from_at, until_at)
    values (the_site, the_robot, why, since, till);
  end if;
end $$;

create index maintenance_locks_of_robot on maintenance_locks (robot_id, released_at);
