-- additive: Due runs wait for their robots' fresh states after an outage. See decision 45.

-- What the run that is due at `waiting_due_at` waits for, in words; it counts while that is still the next run.
alter table schedules
  add column waiting text,
  add column waiting_due_at timestamptz;

-- When a robot's state proved that it never took this START and never will; null where nothing proves it.
alter table commands add column not_taken_at timestamptz;

-- When the robot last said that it leaves (OFFLINE): somebody switched it off, and it was not cut off.
alter table robot_state add column goodbye_at timestamptz;
