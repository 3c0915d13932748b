/** What a test runs a statement with: a client of its own, or the servers' pool. */
type RunStatement = (statement: string) => Promise<unknown>;

/**
 * Lets a test fail every write to any table as PostgreSQL does when its disk is full, while reading still works, and
 * end that again. A row says whether it is full: creating and dropping triggers while servers work would lock the
 * tables in another order than theirs.
 */
export async function prepareFullDisk(run: RunStatement): Promise<(isFull: boolean) => Promise<void>> {
  await run(`
    create schema disk;
    create table disk.state (is_full boolean not null);
    insert into disk.state values (false);
    create function disk.fail_if_full() returns trigger language plpgsql as $$
    begin
      if (select is_full from disk.state) then
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end if;
      return null;
    end $$;
    do $$
    declare each text;
    begin
      for each in select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition loop
        execute format(
          'create trigger fail_if_full before insert or update or delete on %I
            for each statement execute function disk.fail_if_full()', each);
      end loop;
    end $$`);
  return async (isFull) => void (await run(`update disk.state set is_full = ${isFull}`));
}
