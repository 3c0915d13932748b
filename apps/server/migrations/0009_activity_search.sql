-- The activity log with a million rows. What can be searched is kept once for each text: an activity row names them by
-- hash, where it happened (place) and how it came out (outcome), and the person by name. So a search looks at some
-- thousand texts and then reads rows by index, also where it matches nothing or nearly everything. See decision 23.

create extension if not exists pg_trgm;

-- Lower case of every script, whatever the database's own locale; of English letters alone where ICU is not there.
do $do$
begin
  execute format(
    'create function search_fold(words text) returns text language sql immutable strict parallel safe as %L',
    case when exists (select from pg_collation where collname = 'und-x-icu')
      then 'select lower(words collate "und-x-icu")' else 'select lower(words)' end);
end $do$;

set local maintenance_work_mem = '256MB';

alter table activity
  add column place_key bigint not null generated always as (hashtextextended(
    site_name || chr(10) || coalesce(partner_name, '') || chr(10) || robot_name || chr(10) || serial_number, 0)) stored,
  add column outcome_key bigint not null generated always as (hashtextextended(details, 0)) stored;

-- A text may be there twice where two transactions brought it at once: a unique key would make them wait for each other.
create table activity_texts (
  kind text not null check (kind in ('PLACE', 'OUTCOME', 'PERSON')),
  key bigint not null,
  words text not null,
  -- Of a PERSON: as it stands in the log.
  user_name text check ((user_name is not null) = (kind = 'PERSON'))
);

insert into activity_texts (kind, key, words)
  select distinct on (place_key) 'PLACE', place_key,
    search_fold(concat_ws(chr(10), site_name, partner_name, robot_name, serial_number))
  from activity;
insert into activity_texts (kind, key, words)
  select distinct on (outcome_key) 'OUTCOME', outcome_key, search_fold(details) from activity;
insert into activity_texts (kind, key, words, user_name)
  select distinct 'PERSON', hashtextextended(user_name, 0), search_fold(user_name), user_name from activity;
create index activity_texts_key on activity_texts (key, kind);
create index activity_texts_search on activity_texts using gin (words gin_trgm_ops);

create function keep_activity_texts() returns trigger language plpgsql as $$
begin
  insert into activity_texts (kind, key, words)
    select distinct on (added.place_key) 'PLACE', added.place_key,
      search_fold(concat_ws(chr(10), added.site_name, added.partner_name, added.robot_name, added.serial_number))
    from added
    where not exists (select from activity_texts known where known.key = added.place_key and known.kind = 'PLACE');
  insert into activity_texts (kind, key, words)
    select distinct on (added.outcome_key) 'OUTCOME', added.outcome_key, search_fold(added.details)
    from added
    where not exists (select from activity_texts known where known.key = added.outcome_key and known.kind = 'OUTCOME');
  insert into activity_texts (kind, key, words, user_name)
    select distinct 'PERSON', hashtextextended(added.user_name, 0), search_fold(added.user_name), added.user_name
    from added
    where not exists (select from activity_texts known
      where known.key = hashtextextended(added.user_name, 0) and known.kind = 'PERSON');
  return null;
end $$;
create trigger activity_texts_of_new after insert on activity
  referencing new table as added for each statement execute function keep_activity_texts();
create trigger activity_texts_of_changed after update on activity
  referencing new table as added for each statement execute function keep_activity_texts();

-- Holds every filter, so that rows which do not match are passed over without being read.
drop index activity_newest;
create index activity_newest on activity (created_at desc, log_id desc)
  include (place_key, outcome_key, site_id, robot_id, action, status, user_name);
create index activity_of_robot on activity (robot_id, created_at desc, log_id desc);
create index activity_of_user on activity (user_name, created_at desc, log_id desc);
create index activity_of_trouble on activity (status, created_at desc, log_id desc) where status <> 'SUCCESS';
create index activity_of_place on activity (place_key, created_at desc, log_id desc);
create index activity_of_outcome on activity (outcome_key, created_at desc, log_id desc);
