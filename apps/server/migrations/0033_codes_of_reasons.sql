-- additive: Reasons of rollouts, monthly reports and mails have the code and parameters that they are made of. See decision 54.

alter table rollouts add column reason_code text, add column reason_params jsonb;
alter table rollout_robots add column reason_code text, add column reason_params jsonb;
alter table outgoing_mails add column reason_code text, add column reason_params jsonb;
alter table kept_reports
  add column reason_code text,
  add column reason_params jsonb,
  add column mail_reason_code text,
  add column mail_reason_params jsonb;

-- A server of an older version rewrites a text without its code, which is then forgotten.
create trigger rollouts_reason_rewritten before update of reason on rollouts for each row
  when (old.reason_code is not null and new.reason is distinct from old.reason
    and (new.reason_code, new.reason_params) is not distinct from (old.reason_code, old.reason_params))
  execute function forget_code_of_reason();
create trigger rollout_robots_reason_rewritten before update of reason on rollout_robots for each row
  when (old.reason_code is not null and new.reason is distinct from old.reason
    and (new.reason_code, new.reason_params) is not distinct from (old.reason_code, old.reason_params))
  execute function forget_code_of_reason();
create trigger kept_reports_reason_rewritten before update of reason on kept_reports for each row
  when (old.reason_code is not null and new.reason is distinct from old.reason
    and (new.reason_code, new.reason_params) is not distinct from (old.reason_code, old.reason_params))
  execute function forget_code_of_reason();

create function forget_code_of_mail_reason() returns trigger language plpgsql as $$
begin
  new.mail_reason_code := null;
  new.mail_reason_params := null;
  return new;
end $$;
create trigger kept_reports_mail_reason_rewritten before update of mail_reason on kept_reports for each row
  when (old.mail_reason_code is not null and new.mail_reason is distinct from old.mail_reason
    and (new.mail_reason_code, new.mail_reason_params)
      is not distinct from (old.mail_reason_code, old.mail_reason_params))
  execute function forget_code_of_mail_reason();
