-- The audit's chain: every committed row gets the next number and a hash over itself and the row before, so that
-- whoever kept a head can prove that nothing up to it was altered or removed.

create table audit_seals (
  number bigint primary key check (number > 0),
  audit_id bigint not null unique references audit (id),
  hash bytea not null check (length(hash) = 32),
  sealed_at timestamptz not null
);

-- Rows that wait for their seal. Rows of one transaction come here with its commit, so none is ever passed over.
create table audit_unsealed (
  audit_id bigint primary key references audit (id) on delete cascade
);
insert into audit_unsealed select id from audit;

create function await_audit_seal() returns trigger language plpgsql as $$
begin
  insert into audit_unsealed select id from added;
  return null;
end $$;
create trigger audit_awaits_seal after insert on audit
  referencing new table as added for each statement execute function await_audit_seal();

-- The audit view's filters, newest first.
create index audit_of_site on audit (site_id, at desc, id desc) where site_id is not null;
create index audit_of_actor on audit (actor, at desc, id desc);
create index audit_of_entity on audit (entity, at desc, id desc);
create index audit_of_action on audit (action, at desc, id desc);
