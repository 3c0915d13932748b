-- additive: What waits is found without looking at all of it, however much that is. See decisions 80 and 82.

-- The first message of each contact point.
create index deliveries_waiting on deliveries (contact_point_id, due_at, id) where status = 'WAITING';
-- The oldest event, and how many.
create index event_deliveries_waited on event_deliveries (created_at) where status = 'WAITING';
