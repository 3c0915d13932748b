-- additive: A refused command that is asked for again is refused with the same code. See decision 54.

alter table command_requests
  -- Null for those that a server of an older version refused.
  add column refused_code text;
