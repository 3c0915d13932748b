-- The audit says what each entry was about by its name of then, and is searched by texts like the activity log. The rows
-- that are there stay as they were sealed. See decision 35.

set local maintenance_work_mem = '256MB';

-- As they were when the row was written; null in rows of before, and for what has no name.
alter table audit add column target_name text, add column site_name text;

-- The name that a row's own values tell: the one before the change, else the one after it. An index is built with it, so
-- it calls no other function of ours.
create function audit_told_name(entity text, entity_id text, before jsonb, after jsonb) returns text
language sql immutable parallel safe as $$
  select case
    when entity = 'device' then entity_id
    when entity = 'robot' then coalesce(
      nullif(before ->> 'robot_name', before ->> 'serial_number') || coalesce(' (' || (before ->> 'serial_number') || ')', ''),
      before ->> 'serial_number',
      nullif(after ->> 'robot_name', after ->> 'serial_number') || coalesce(' (' || (after ->> 'serial_number') || ')', ''),
      after ->> 'serial_number')
    when entity in ('site', 'partner', 'report_template') then coalesce(before ->> 'name', after ->> 'name')
    when entity in ('group', 'schedule') then coalesce(before ->> 'group_name', after ->> 'group_name')
    when entity in ('firmware', 'rollout') then coalesce(before ->> 'version', after ->> 'version')
  end
$$;

create function robot_words(robot_name text, serial_number text) returns text
language sql immutable parallel safe as $$
  select coalesce(nullif(robot_name, serial_number) || coalesce(' (' || serial_number || ')', ''), serial_number)
$$;

-- The name that is on record now, also of what was deleted. Not inlined, so that no id is read as a number where it is
-- none.
create function audit_known_name(entity text, entity_id text, before jsonb, after jsonb) returns text
language plpgsql stable parallel safe as $$
begin
  if entity = 'schedule' then
    return (select group_name from robot_groups where id = coalesce((before ->> 'group_id')::int,
      (after ->> 'group_id')::int, (select group_id from schedules where schedules.id::text = entity_id)));
  end if;
  if entity_id is null or entity_id !~ '^\d{1,9}$' then return null; end if;
  return case entity
    when 'robot' then (select robot_words(robot_name, serial_number) from robots where id = entity_id::int)
    when 'site' then (select name from sites where id = entity_id::int)
    when 'partner' then (select name from partners where id = entity_id::int)
    when 'user' then (select name || ' (' || username || ')' from users where id = entity_id::int)
    when 'group' then (select group_name from robot_groups where id = entity_id::int)
    when 'report_template' then (select name from report_templates where id = entity_id::int)
    when 'firmware' then (select version from firmware where id = entity_id::int)
    when 'rollout' then (select f.version from rollouts r join firmware f on f.id = r.firmware_id
      where r.id = entity_id::int)
    when 'alert' then (select concat_ws(': ', robot_words(robot_name, serial_number), text) from alerts
      where id = entity_id::bigint)
    when 'kept_report' then (select s.name || ', ' || to_char(k.month, 'FMMonth YYYY') from kept_reports k
      join sites s on s.id = k.site_id where k.id = entity_id::int)
  end;
end $$;

-- Values with what they name by id as it is called now.
create function audit_with_names(told jsonb) returns jsonb language plpgsql stable parallel safe as $$
begin
  if told ? 'maintenance_partner_id' then
    told := told || jsonb_build_object('maintenance_partner',
      (select name from partners where id = (told ->> 'maintenance_partner_id')::int));
  end if;
  if told ? 'site_id' then
    told := told || jsonb_build_object('site', (select name from sites where id = (told ->> 'site_id')::int));
  end if;
  if told ? 'group_id' then
    told := told || jsonb_build_object('group',
      (select group_name from robot_groups where id = (told ->> 'group_id')::int));
  end if;
  if told ? 'template_id' then
    told := told || jsonb_build_object('template',
      (select name from report_templates where id = (told ->> 'template_id')::int));
  end if;
  if told ? 'robot_ids' then
    told := told || jsonb_build_object('robots', (select coalesce(jsonb_agg(robot_words(robot_name, serial_number)
      order by serial_number), '[]') from robots
      where id in (select jsonb_array_elements_text(told -> 'robot_ids')::int)));
  end if;
  return told;
end $$;

-- Every name that something of the audit ever had there, and every reason. A text may be there twice where two
-- transactions brought it at once: a unique key would make them wait for each other.
create table audit_names (entity text not null, entity_id text not null, words text not null);
create table audit_reasons (key bigint not null, words text not null);

insert into audit_names (entity, entity_id, words)
  select distinct entity, entity_id, search_fold(audit_told_name(entity, entity_id, before, after)) from audit
  where entity_id is not null and audit_told_name(entity, entity_id, before, after) is not null;
create index audit_names_of on audit_names (entity, entity_id);
create index audit_of_target on audit (entity, entity_id, at desc, id desc) where entity_id is not null;
-- What is on record is asked once for each thing.
insert into audit_names (entity, entity_id, words)
  select things.entity, things.entity_id, search_fold(name)
  from (select distinct entity, entity_id from audit where entity_id is not null and entity <> 'session') things
  cross join lateral (select audit_known_name(a.entity, a.entity_id, a.before, a.after) as name from audit a
    where (a.entity, a.entity_id) = (things.entity, things.entity_id) order by a.at desc, a.id desc limit 1) newest
  where name is not null and not exists (select from audit_names known
    where (known.entity, known.entity_id, known.words) = (things.entity, things.entity_id, search_fold(name)));
insert into audit_reasons (key, words)
  select distinct on (hashtextextended(reason, 0)) hashtextextended(reason, 0), search_fold(reason)
  from audit where reason is not null;

create index audit_names_search on audit_names using gin (words gin_trgm_ops);
create index audit_reasons_key on audit_reasons (key);
create index audit_reasons_search on audit_reasons using gin (words gin_trgm_ops);

create function keep_audit_texts() returns trigger language plpgsql as $$
begin
  insert into audit_names (entity, entity_id, words)
    select distinct added.entity, added.entity_id, search_fold(added.target_name)
    from added
    where added.entity_id is not null and added.target_name is not null and not exists (select from audit_names known
      where known.entity = added.entity and known.entity_id = added.entity_id
        and known.words = search_fold(added.target_name));
  insert into audit_reasons (key, words)
    select distinct on (hashtextextended(added.reason, 0)) hashtextextended(added.reason, 0), search_fold(added.reason)
    from added
    where added.reason is not null and not exists (select from audit_reasons known
      where known.key = hashtextextended(added.reason, 0));
  return null;
end $$;
create trigger audit_texts_of_new after insert on audit
  referencing new table as added for each statement execute function keep_audit_texts();

create index audit_of_reason on audit (hashtextextended(reason, 0), at desc, id desc) where reason is not null;
-- What was refused before it had an id, by its name.
create index audit_of_asked on audit
  using gin (search_fold(coalesce(target_name, audit_told_name(entity, entity_id, before, after))) gin_trgm_ops)
  where entity_id is null;
