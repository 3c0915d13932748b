-- additive: Whether a message that waits for its next try may have arrived by an earlier one. See decision 80.

alter table deliveries add column may_have_arrived boolean not null default false;
