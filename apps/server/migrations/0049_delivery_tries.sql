-- additive: How each try to send a message ended, for whoever asks why it came late or not at all. See decision 80.

-- Each as { attempt, at, reason, reason_code }; the reason is null once the message was taken. A server of an older
-- version adds none.
alter table deliveries add column tries jsonb not null default '[]' check (jsonb_typeof(tries) = 'array');
