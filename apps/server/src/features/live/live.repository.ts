import { sql } from "kysely";
import { anyInt, changedNow, type Db } from "../../platform/database/database.ts";
import type { SiteOwner } from "../sites/public.ts";

/** Ids of changed rows of all tenants: never sent, only used to read the rows in each viewer's scope. */
export interface ChangedIds {
  readonly robotIds: readonly number[];
  readonly siteIds: readonly number[];
  readonly logIds: readonly string[];
  /** Sites whose groups or schedules, or whose runs, changed. */
  readonly groupSiteIds: readonly number[];
  readonly runSiteIds: readonly number[];
  readonly rolloutIds: readonly number[];
  readonly alertSiteIds: readonly number[];
  /** Alerts of no site: about Suncrew's own servers. */
  readonly serverAlertIds: readonly string[];
  /** Sites of which something that needs a person was acknowledged, or no longer is. */
  readonly attentionSiteIds: readonly number[];
  /** Sites with a mute that was made or ended. */
  readonly muteSiteIds: readonly number[];
  /** The database's snapshot in which they were found: who is sent them, and was sent all before, has come that far. */
  readonly reached: string;
}

/**
 * Finds what changed since its last poll. A row's `change_no` is the number of the transaction that wrote it, and every
 * poll begins at the oldest transaction that the previous one could not see, so a late commit is never skipped.
 */
export class ChangeReader {
  readonly #db: Db;
  #from = "0";
  #seen = new Set<string>();

  constructor(db: Db) {
    this.#db = db;
  }

  async begin(): Promise<void> {
    // After a dump was restored, rows carry numbers of the old database that lie in this one's future.
    await resetFutureChanges(this.#db);
    this.#from = await readOldestOpenTransaction(this.#db);
  }

  /**
   * Passes the rows changed since the last poll, if any, to `publish`. Advances only once that succeeds: otherwise the
   * next poll finds them again. Without `publish` it only advances.
   */
  async next(publish: ((changed: readonly ChangedRow[]) => Promise<void>) | null): Promise<void> {
    const until = await readOldestOpenTransaction(this.#db);
    const rows = publish ? await readChangedIds(this.#db, this.#from) : [];
    const news = rows.filter((row) => !this.#seen.has(keyOf(row)));
    if (publish && news.length > 0) await publish(news);
    this.#from = until;
    this.#seen = new Set(rows.map(keyOf));
  }
}

const keyOf = ({ kind, id, change_no }: ChangedRow) => `${kind}:${id}:${change_no}`;

/** What changed in one or several polls, each row once; the last of the rows says how far that is. */
export function idsOf(changed: readonly ChangedRow[]): ChangedIds {
  const distinct = (idOf: (row: ChangedRow) => string | null) => [
    ...new Set(changed.flatMap((row) => idOf(row) ?? [])),
  ];
  const ids = (of: ChangedRow["kind"]) => distinct(({ kind, id }) => (kind === of ? id : null));
  const siteIdsOf = (...kinds: ChangedRow["kind"][]) =>
    distinct(({ kind, site_id }) => (kinds.includes(kind) ? site_id : null)).map(Number);
  return {
    // A robot's live data includes its alerts and its newest run.
    robotIds: distinct(({ kind, id, robot_id }) => (kind === "robot" ? id : robot_id)).map(Number),
    siteIds: siteIdsOf("site", "robot"),
    logIds: ids("activity"),
    groupSiteIds: siteIdsOf("group"),
    runSiteIds: siteIdsOf("run"),
    rolloutIds: ids("rollout").map(Number),
    alertSiteIds: siteIdsOf("alert"),
    serverAlertIds: distinct(({ kind, site_id, id }) => (kind === "alert" && site_id === null ? id : null)),
    attentionSiteIds: siteIdsOf("attention"),
    muteSiteIds: siteIdsOf("mute"),
    reached: changed.at(-1)?.reached ?? "0:0:",
  };
}

/** The sites and robots that one partner, or nobody, has: counted, and a fingerprint of which they are. */
export interface OwnedScope {
  readonly partnerId: number | null;
  readonly sites: number;
  readonly robots: number;
  readonly fingerprint: string;
}

/**
 * Of all tenants in one query, however many scopes have streams. Robots are combined site by site before they are joined:
 * to sort them all by partner takes four times as long.
 */
export async function readOwnedScopes(db: Db): Promise<OwnedScope[]> {
  return db
    .selectFrom("sites")
    .leftJoin(
      (eb) =>
        eb
          .selectFrom("robots")
          .where("deleted_at", "is", null)
          .groupBy("site_id")
          .select(["site_id", sql<number>`count(*)`.as("robots")])
          .select(sql<string>`bit_xor(hashint8extended(site_id, id))`.as("fingerprint"))
          .as("own"),
      (join) => join.onRef("own.site_id", "=", "sites.id"),
    )
    .select("sites.maintenance_partner_id as partnerId")
    .select((eb) => [
      eb.fn.count<number>("sites.id").as("sites"),
      sql<number>`coalesce(sum(own.robots), 0)`.as("robots"),
      sql<string>`bit_xor(hashint8extended(sites.id, 0) # coalesce(own.fingerprint, 0))::text`.as("fingerprint"),
    ])
    .where("sites.deleted_at", "is", null)
    .groupBy("sites.maintenance_partner_id")
    .execute();
}

/** Who has these sites now. */
export async function readSiteOwners(db: Db, siteIds: Iterable<number>): Promise<ReadonlyMap<number, SiteOwner>> {
  const rows = await db
    .selectFrom("sites")
    .select(["id", "maintenance_partner_id as partnerId"])
    .select(sql<boolean>`deleted_at is not null`.as("isDeleted"))
    .where("id", "=", anyInt(siteIds))
    .execute();
  return new Map(rows.map(({ id, ...owner }) => [id, owner]));
}

export interface ChangedRow {
  readonly kind: "robot" | "site" | "activity" | "group" | "run" | "alert" | "rollout" | "attention" | "mute";
  readonly id: string;
  /** Null for an alert about Suncrew's own servers. */
  readonly site_id: string | null;
  /** The robot that an alert or a run is about; otherwise null. */
  readonly robot_id: string | null;
  readonly change_no: string;
  readonly reached: string;
}

/** The database's snapshot now: a statement that begins after this sees at least as much. */
export async function readReached(db: Db): Promise<string> {
  const { rows } = await sql<{ reached: string }>`select pg_current_snapshot()::text as reached`.execute(db);
  return rows[0]?.reached ?? "0:0:";
}

/** Number of the oldest transaction that a statement beginning now cannot see. */
async function readOldestOpenTransaction(db: Db): Promise<string> {
  const oldest = sql<{ oldest: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as oldest`;
  return (await oldest.execute(db)).rows[0]?.oldest ?? "0";
}

/** Every row changed by transaction `from` or a later one, over all tenants. */
async function readChangedIds(db: Db, from: string): Promise<ChangedRow[]> {
  const { rows } = await sql<ChangedRow>`
    with snapshot as materialized (select pg_current_snapshot()::text as reached),
    changed as (
    select 'robot' as kind, robot_id::text as id, site_id::text as site_id, null as robot_id, change_no::text as change_no
      from robot_state where change_no >= ${from}::xid8
    union all
    select 'site', id::text, id::text, null, change_no::text from sites where change_no >= ${from}::xid8
    union all
    select 'site', site_id::text, site_id::text, null, change_no::text from site_guards where change_no >= ${from}::xid8
    union all
    select 'activity', log_id::text, site_id::text, null, change_no::text from activity where change_no >= ${from}::xid8
    union all
    select 'group', id::text, site_id::text, null, change_no::text from robot_groups where change_no >= ${from}::xid8
    union all
    select 'run', id::text, site_id::text, robot_id::text, change_no::text from runs where change_no >= ${from}::xid8
    union all
    select 'alert', id::text, site_id::text, robot_id::text, change_no::text from alerts where change_no >= ${from}::xid8
    union all
    select 'mute', id::text, site_id::text, null, change_no::text from mutes where change_no >= ${from}::xid8
    union all
    select 'rollout', id::text, '0', null, change_no::text from rollouts where change_no >= ${from}::xid8
    union all
    select distinct 'rollout', rollout_id::text, '0', null, change_no::text from rollout_robots
      where change_no >= ${from}::xid8
    union all
    select 'attention', key, site_id::text, null, change_no::text from attention_acknowledgements
      where change_no >= ${from}::xid8)
    select changed.*, snapshot.reached from changed cross join snapshot
  `.execute(db);
  return rows;
}

/** Gives rows whose change lies in this database's future (it was restored from a dump) a current number. */
async function resetFutureChanges(db: Db): Promise<void> {
  const ofSites = [
    "robot_state",
    "sites",
    "activity",
    "robot_groups",
    "runs",
    "alerts",
    "attention_acknowledgements",
    "mutes",
    "site_guards",
  ];
  for (const table of [...ofSites, "rollouts", "rollout_robots"].map((name) => sql.table(name))) {
    await sql`update ${table} set change_no = ${changedNow} where change_no > ${changedNow}`.execute(db);
  }
}
