-- A run by hand that a person ended within a minute was stopped early; it counted as completed before.
update runs set outcome = 'STOPPED'
where outcome = 'COMPLETED' and action_type <> 'SCHEDULED' and reason in ('STOP', 'MAINTENANCE')
  and ended_at - began_at < interval '1 minute';
