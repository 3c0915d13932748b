-- additive: filters of the activity log's refusals and failures are answered from one index, whatever else is asked for.

-- step: index
create index concurrently activity_of_failures on activity (status, created_at desc, log_id desc)
  include (action, site_id, robot_id, user_name, place_key, outcome_key) where status <> 'SUCCESS';

-- step: index
drop index concurrently if exists activity_of_trouble;
