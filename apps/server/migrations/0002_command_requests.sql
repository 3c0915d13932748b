-- What a press with an Idempotency-Key came to, so that its repetition gets the same result and acts no second time.
create table command_requests (
  user_id integer not null references users (id),
  key text not null check (length(key) between 1 and 200),
  -- The parsed body; another body under the same key is refused.
  body text not null,
  at timestamptz not null,
  command_id uuid references commands (id),
  refused_status smallint,
  refused_message text,
  primary key (user_id, key),
  check ((command_id is null) <> (refused_status is null)),
  check ((refused_status is null) = (refused_message is null))
);
create index command_requests_age on command_requests (at);

drop index commands_idempotency;
alter table commands drop column idempotency_key;
create index commands_followed on commands (follows_id) where follows_id is not null;
