-- breaking: A failed sign-in counts against who makes it, and a made-up password lapses. See decision 41.

-- From where each person has signed in: `key` is a keyed hash of the user and a network address, or of the user and what
-- a browser keeps.
create table known_callers (
  user_id integer not null references users (id) on delete cascade,
  key text not null,
  last_signed_in_at timestamptz not null,
  primary key (user_id, key)
);
create index known_callers_age on known_callers (last_signed_in_at);

-- Failures of one account from one caller ('caller:...'), of an address ('address:...'), and of an account from all
-- callers that are not known ('user:...'). `turn_at` is when a waiting caller is heard, and on the account's row when the
-- next turn is free.
alter table sign_in_failures
  add column turn_at timestamptz,
  drop constraint sign_in_failures_failures_check,
  add constraint sign_in_failures_failures_check check (failures >= 0);
-- What was counted for an account alone would be read as failures of everybody.
delete from sign_in_failures where key like 'user:%';

-- When the server made up the password that the user has; null where a person chose it.
alter table users add column password_made_at timestamptz;
update users set password_made_at = now() where enc_password is not null;
