-- A device is stored once the broker knows it, so nothing of it can be pending before: only a connection that must end
-- after a new secret, and a retirement.
alter table devices drop constraint devices_broker_pending_check;
alter table devices add constraint devices_broker_pending_check check (broker_pending in ('SECRET', 'RETIRE'));
