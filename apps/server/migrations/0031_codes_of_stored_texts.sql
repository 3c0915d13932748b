-- additive: Texts in the activity log, with runs and alerts have the code and parameters that they are made of. See decision 54.

alter table activity
  add column details_code text,
  add column details_params jsonb;
alter table runs
  add column reason_code text,
  add column reason_params jsonb;
alter table alerts
  -- Null for a robot's own alerts: their texts are the robot's. The code is there already.
  add column params jsonb;

-- A server of an older version rewrites a text without its code, which is then forgotten.
create function forget_code_of_details() returns trigger language plpgsql as $$
begin
  new.details_code := null;
  new.details_params := null;
  return new;
end $$;
create trigger activity_details_rewritten before update of details on activity for each row
  when (old.details_code is not null and new.details is distinct from old.details
    and (new.details_code, new.details_params) is not distinct from (old.details_code, old.details_params))
  execute function forget_code_of_details();

create function forget_code_of_reason() returns trigger language plpgsql as $$
begin
  new.reason_code := null;
  new.reason_params := null;
  return new;
end $$;
create trigger runs_reason_rewritten before update of reason on runs for each row
  when (old.reason_code is not null and new.reason is distinct from old.reason
    and (new.reason_code, new.reason_params) is not distinct from (old.reason_code, old.reason_params))
  execute function forget_code_of_reason();

create function forget_params_of_alert() returns trigger language plpgsql as $$
begin
  new.params := null;
  return new;
end $$;
create trigger alerts_text_rewritten before update of text on alerts for each row
  when (old.params is not null and new.text is distinct from old.text and new.params is not distinct from old.params)
  execute function forget_params_of_alert();

-- Nobody pressed a button for a planned run, so its reason has no advice to press it again; it was left out where it was
-- shown.
update runs set reason = regexp_replace(reason, '; try again| Please try again\.| Refresh its status, then try again\.', '')
  where planned and outcome in ('SKIPPED', 'FAILED') and reason like '%try again%';
