import type { Db, Tx } from "./database.ts";

type AfterCommit = (db: Db) => void;

const plannedBy = new WeakMap<Tx, AfterCommit[]>();

/** A transaction that does, once it is committed, what `afterCommit` has planned within it. */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const planned: AfterCommit[] = [];
  const result = await db.transaction().execute((tx) => {
    plannedBy.set(tx, planned);
    return work(tx);
  });
  for (const each of planned) each(db);
  return result;
}

/** Plans what is true only once the transaction is committed. It is not done where that never happens. */
export function afterCommit(tx: Tx, work: AfterCommit): void {
  plannedBy.get(tx)?.push(work);
}
