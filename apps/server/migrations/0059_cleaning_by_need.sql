-- additive: Schedules that run when it is worth it, and what was decided on each of their days.
-- An older server can neither show such a schedule nor start it (0061).

alter table schedules
  drop constraint schedules_frequency_check,
  add constraint schedules_frequency_check check (frequency in ('ONCE', 'DAILY', 'WEEKLY', 'MONTHLY', 'WHEN_WORTH_IT')),
  add column least_days smallint check (least_days between 1 and 365),
  add column most_days smallint check (most_days between 1 and 365 and most_days >= least_days),
  add constraint schedules_days check (frequency <> 'WHEN_WORTH_IT' or (least_days is not null and most_days is not null));

create table schedule_decisions (
  id bigint generated always as identity primary key,
  -- Without a reference, as in runs: what was decided outlives the schedule.
  schedule_id integer not null,
  group_id integer not null references robot_groups (id),
  site_id integer not null references sites (id),
  due_at timestamptz not null,
  decided_at timestamptz not null,
  runs boolean not null,
  reason text not null,
  reason_code text not null,
  reason_params jsonb not null,
  -- The schedule was changed or deleted before it was due.
  voided_at timestamptz
);
-- Of all servers the first decides.
create unique index schedule_decisions_once on schedule_decisions (schedule_id, due_at) where voided_at is null;
create index schedule_decisions_of_group on schedule_decisions (group_id, due_at desc);
create index schedule_decisions_of_site on schedule_decisions (site_id, due_at desc);
