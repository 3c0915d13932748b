import type { Db } from "../../platform/database/database.ts";
import { type ChangedRow, readChangedIds, readOldestOpenTransaction, renewFutureChanges } from "./live.writes.ts";

/** Ids of rows that changed, over all tenants: never sent, only used to read the rows with each viewer's scope. */
export interface ChangedIds {
  readonly robotIds: readonly number[];
  readonly siteIds: readonly number[];
  readonly logIds: readonly string[];
  /** Sites whose groups or schedules, and whose runs, changed. */
  readonly groupSiteIds: readonly number[];
  readonly runSiteIds: readonly number[];
  readonly rolloutIds: readonly number[];
  readonly alertSiteIds: readonly number[];
}

/**
 * Finds what changed since it last looked. A row's `change_no` is the number of the transaction that wrote it,
 * and every look begins at the oldest transaction that the look before could not see: a late commit is never skipped.
 */
export class ChangeReader {
  readonly #db: Db;
  #from = "0";
  #seen = new Set<string>();

  constructor(db: Db) {
    this.#db = db;
  }

  async begin(): Promise<void> {
    // After a restore of a dump, rows bear numbers of the old database that lie in this one's future.
    await renewFutureChanges(this.#db);
    this.#from = await readOldestOpenTransaction(this.#db);
  }

  /** The rows changed since the last look, or null where there are none. `wanted` false only moves on. */
  async next(wanted: boolean): Promise<ChangedIds | null> {
    const from = this.#from;
    const until = await readOldestOpenTransaction(this.#db);
    const rows = wanted ? await readChangedIds(this.#db, from) : [];
    this.#from = until;
    const news = rows.filter((row) => !this.#seen.has(`${row.kind}:${row.id}:${row.change_no}`));
    this.#seen = new Set(rows.map((row) => `${row.kind}:${row.id}:${row.change_no}`));
    if (news.length === 0) return null;
    const ids = (kind: string) => news.filter((row) => row.kind === kind).map((row) => row.id);
    const siteIdsOf = (...kinds: ChangedRow["kind"][]) => [
      ...new Set(news.filter((row) => kinds.includes(row.kind)).map((row) => Number(row.site_id))),
    ];
    return {
      // A robot lists its alerts.
      robotIds: [...new Set([...ids("robot"), ...news.flatMap((row) => row.robot_id ?? [])])].map(Number),
      siteIds: siteIdsOf("site", "robot"),
      logIds: ids("activity"),
      groupSiteIds: siteIdsOf("group"),
      runSiteIds: siteIdsOf("run"),
      rolloutIds: [...new Set(ids("rollout").map(Number))],
      alertSiteIds: siteIdsOf("alert"),
    };
  }
}
