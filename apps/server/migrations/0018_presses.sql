-- When the button behind an order was pressed: an order that was given before a Stop does not go out after it, also where
-- the network brings it later.
alter table commands
  -- The session (`sessions`) of the person, whose row may be gone since.
  add column pressed_in uuid,
  -- By the clock of the browser, in milliseconds: compared within one session only.
  add column pressed_ms bigint,
  add check ((pressed_in is null) = (pressed_ms is null));
