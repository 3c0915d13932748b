import type { Db } from "../../platform/database/database.ts";
import { type ChangedRow, readChangedIds, readOldestOpenTransaction, renewFutureChanges } from "./live.repository.ts";

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
  /** Alerts that are at no site: about Suncrew's own servers. */
  readonly serverAlertIds: readonly string[];
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

  /**
   * Hands over the rows changed since the last look, if any. Moves on only once `tell` has told them: what it rejects
   * is found again by the next look. Without a `tell` only moves on.
   */
  async next(tell: ((changed: ChangedIds) => Promise<void>) | null): Promise<void> {
    const until = await readOldestOpenTransaction(this.#db);
    const rows = tell ? await readChangedIds(this.#db, this.#from) : [];
    const news = rows.filter((row) => !this.#seen.has(keyOf(row)));
    if (tell && news.length > 0) await tell(idsOf(news));
    this.#from = until;
    this.#seen = new Set(rows.map(keyOf));
  }
}

const keyOf = ({ kind, id, change_no }: ChangedRow) => `${kind}:${id}:${change_no}`;

function idsOf(news: readonly ChangedRow[]): ChangedIds {
  const ids = (kind: string) => news.filter((row) => row.kind === kind).map((row) => row.id);
  const siteIdsOf = (...kinds: ChangedRow["kind"][]) => [
    ...new Set(
      news.flatMap(({ kind, site_id }) => (kinds.includes(kind) && site_id !== null ? [Number(site_id)] : [])),
    ),
  ];
  return {
    // A robot tells its alerts and its newest run.
    robotIds: [...new Set([...ids("robot"), ...news.flatMap((row) => row.robot_id ?? [])])].map(Number),
    siteIds: siteIdsOf("site", "robot"),
    logIds: ids("activity"),
    groupSiteIds: siteIdsOf("group"),
    runSiteIds: siteIdsOf("run"),
    rolloutIds: [...new Set(ids("rollout").map(Number))],
    alertSiteIds: siteIdsOf("alert"),
    serverAlertIds: news.flatMap(({ kind, site_id, id }) => (kind === "alert" && site_id === null ? [id] : [])),
  };
}

/** What changed by any of these looks, each row once. */
export function mergeChanges(changes: readonly ChangedIds[]): ChangedIds {
  const all = <T>(idsIn: (changed: ChangedIds) => readonly T[]): T[] => [...new Set(changes.flatMap(idsIn))];
  return {
    robotIds: all(({ robotIds }) => robotIds),
    siteIds: all(({ siteIds }) => siteIds),
    logIds: all(({ logIds }) => logIds),
    groupSiteIds: all(({ groupSiteIds }) => groupSiteIds),
    runSiteIds: all(({ runSiteIds }) => runSiteIds),
    rolloutIds: all(({ rolloutIds }) => rolloutIds),
    alertSiteIds: all(({ alertSiteIds }) => alertSiteIds),
    serverAlertIds: all(({ serverAlertIds }) => serverAlertIds),
  };
}
