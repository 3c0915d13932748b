-- additive: the account of the servers need not own the tables. See decision 47.

-- The one thing that servers make: it stays the owner's, whoever asks for it. The path is fixed, so that nobody puts a
-- table of the same name before ours.
do $do$
begin
  execute format('alter function ensure_readings_partition(date) security definer set search_path = %I, pg_temp',
    current_schema());
end $do$;
revoke execute on function ensure_readings_partition(date) from public;
