-- Serial numbers are compared in any case when devices are provisioned. No unique index: two that differ by case alone
-- may be there already, and stay.
create index devices_serial_in_any_case on devices (lower(serial));
