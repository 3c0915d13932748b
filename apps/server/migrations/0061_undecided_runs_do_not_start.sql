-- additive: A run of a schedule "when worth it" needs a decision that says so, whichever server starts it.
-- Servers of older versions know neither the frequency nor decisions: their transaction fails here, before anything is sent.

create function require_decision() returns trigger language plpgsql as $$
begin
  if exists (select from schedules s where s.id = new.schedule_id and s.frequency = 'WHEN_WORTH_IT')
    and not exists (
      select from schedule_decisions d
      where d.schedule_id = new.schedule_id and d.due_at = new.due_at and d.runs and d.voided_at is null
    )
  then
    raise exception 'schedule % starts no run at %: it was not decided', new.schedule_id, new.due_at;
  end if;
  return new;
end
$$;

create trigger runs_decided before insert on runs
  for each row when (new.planned and new.outcome is null and new.schedule_id is not null)
  execute function require_decision();
