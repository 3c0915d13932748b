-- additive: Rules that were deleted stay for the all-clear of what they told, switched off, which servers of older versions understand as well; and what is raised again while it is open is told again. See decision 80.

alter table notification_rules
  add column deleted_at timestamptz;

alter table alert_notices
  -- The alert's, when it was last looked at; null in notices of older servers.
  add column raised_at timestamptz;
