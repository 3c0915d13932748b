import type { ActivityEntry, ActivityFilter, activityLogs } from "@suncrew/contract/activity/activity.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { ActivityCsvRow } from "@suncrew/domain/activity/activity-csv.ts";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { anyOf, patternOf } from "../../platform/database/list-queries.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver, sitesEverVisible } from "../sites/public.ts";

export interface ActivityQuery {
  readonly filter?: ActivityFilter;
  /** Rows older than this one follow; its `log_id`. */
  readonly cursor?: string | undefined;
  readonly limit?: number;
  readonly logIds?: readonly string[];
}

type Rows = SelectQueryBuilder<Tables & { a: Tables["activity"] }, "a", object>;

/** STARTs and STOPs at the viewer's sites, even deleted ones, newest first. Partners see no partners' names (§6). */
export async function readActivity(viewer: Viewer, db: Executor, choice: ActivityQuery = {}): Promise<ActivityEntry[]> {
  if (choice.logIds?.length === 0) return [];
  const matching = await filteredRows(viewer, db, choice.filter);
  return matching === null ? [] : readRows(viewer, db, matching, choice);
}

/** The same rows with the time zones of their sites. */
export async function readActivityForFile(
  viewer: Viewer,
  db: Executor,
  choice: ActivityQuery,
): Promise<ActivityCsvRow[]> {
  const rows = await readActivity(viewer, db, choice);
  const siteIds = [...new Set(rows.map(({ site_id }) => site_id))];
  if (siteIds.length === 0) return [];
  const sites = await sitesEverVisible(viewer, db)
    .where("sites.id", "in", siteIds)
    .select(["sites.id", "sites.timezone"])
    .execute();
  const timezones = new Map(sites.map(({ id, timezone }) => [id, timezone]));
  return rows.flatMap((row) => {
    const timezone = timezones.get(row.site_id);
    // A site that was just reassigned to another partner is out of scope now.
    return timezone === undefined ? [] : [{ ...row, timezone }];
  });
}

/** One page of `limit` rows, and how many there are; counting ends at `countLimit`, or never if null. */
export async function readActivityPage(
  viewer: Viewer,
  db: Executor,
  choice: { filter: ActivityFilter; cursor: string | undefined; limit: number; countLimit: number | null },
): Promise<ResponseOf<typeof activityLogs>> {
  const { limit, countLimit, ...where } = choice;
  const matching = await filteredRows(viewer, db, where.filter);
  if (matching === null) return { logs: [], total: 0, total_exact: true, next_cursor: null };
  const [rows, counted] =
    where.cursor === undefined && countLimit !== null
      ? await readFirstRows(viewer, db, matching, { limit: limit + 1, countLimit: countLimit + 1 })
      : await Promise.all([
          readRows(viewer, db, matching, { ...where, limit: limit + 1 }),
          countRows(db, matching, countLimit === null ? null : countLimit + 1),
        ]);
  const logs = rows.slice(0, limit);
  const total_exact = countLimit === null || counted <= countLimit;
  return {
    logs,
    total: total_exact ? counted : countLimit,
    total_exact,
    next_cursor: rows.length > limit ? (logs.at(-1)?.log_id ?? null) : null,
  };
}

/** Throws 404 if the site or robot of a filter is not the viewer's, 400 if the robot was never at the site. */
export async function requireFilterInScope(
  viewer: Viewer,
  db: Executor,
  { site_id, robot_id }: Pick<ActivityFilter, "site_id" | "robot_id">,
): Promise<void> {
  if (site_id !== undefined) await requireSiteEver(viewer, db, site_id);
  if (robot_id === undefined) return;
  const robot = await sitesEverVisible(viewer, db)
    .innerJoin("robots", "robots.site_id", "sites.id")
    .select("robots.site_id")
    .where("robots.id", "=", robot_id)
    .executeTakeFirst();
  const past = () => visibleRows(viewer, db).select("a.site_id").where("a.robot_id", "=", robot_id).limit(1);
  if (robot === undefined && (await past().executeTakeFirst()) === undefined) throw notFound("Robot");
  if (site_id === undefined || robot?.site_id === site_id) return;
  if ((await past().where("a.site_id", "=", site_id).executeTakeFirst()) === undefined)
    throw invalid("robot_id", "robot_id must be a robot of the site", "ROBOT_NOT_AT_SITE");
}

/** The distinct names in the log: a loose index scan steps from name to name instead of reading every row. */
export async function readActivityUsers(viewer: Viewer, db: Executor): Promise<string[]> {
  const next = visibleRows(viewer, db).select("a.user_name").orderBy("a.user_name").limit(1);
  const { rows } = await sql<{ user_name: string }>`
    with recursive names as (
      (${next})
      union all
      select (${next.where("a.user_name", ">", sql<string>`names.user_name`)}) from names where names.user_name is not null
    )
    select user_name from names where user_name is not null
  `.execute(db);
  return rows.map((row) => row.user_name);
}

/**
 * The viewer's rows. Every row has a site, so a Super Admin's are all of them: filtering by site would only
 * keep the database from reading along one index.
 */
function visibleRows(viewer: Viewer, db: Executor): Rows {
  const rows = db.selectFrom("activity as a");
  if (viewer.role === "SUPER_ADMIN") return rows;
  const sites = sitesEverVisible(viewer, db).select("sites.id");
  return rows.where("a.site_id", "=", sql<number>`any(array(${sites}))`);
}

/** The viewer's matching rows; null if no text contains the words searched for. */
async function filteredRows(viewer: Viewer, db: Executor, filter: ActivityFilter = {}): Promise<Rows | null> {
  const { search, action, site_id, robot_id, user, status, from, to } = filter;
  let rows = visibleRows(viewer, db);
  if (action !== undefined) rows = rows.where("a.action", "=", action);
  if (site_id !== undefined) rows = rows.where("a.site_id", "=", site_id);
  if (robot_id !== undefined) rows = rows.where("a.robot_id", "=", robot_id);
  if (user !== undefined) rows = rows.where("a.user_name", "=", user);
  if (status !== undefined) rows = rows.where("a.status", "=", status);
  if (from !== undefined) rows = rows.where("a.created_at", ">=", new Date(from));
  if (to !== undefined) rows = rows.where("a.created_at", "<", new Date(to));
  if (search === undefined) return rows;
  const texts = await findTexts(db, search);
  if (texts === null) return rows.where(textMatches(search));
  const count = texts.places.length + texts.outcomes.length + texts.people.length;
  if (count === 0) return null;
  const matching = rows.where(matchesAnyText(texts));
  if (count > MAX_DATED_TEXTS) return matching;
  const newest = await newestRowOf(db, texts);
  return newest === null ? null : matching.where("a.created_at", "<=", newest);
}

/** More texts than this are not dated: finding the newest row of each would take longer than it saves. */
const MAX_DATED_TEXTS = 1_500;

/**
 * When the newest row with one of these texts was written; null if no row has any. The log is read from there on, and
 * not from its newest row, of which years may not match.
 */
async function newestRowOf(db: Executor, { places, outcomes, people }: MatchingTexts): Promise<Date | null> {
  const newest = (column: "place_key" | "outcome_key" | "user_name") =>
    sql`(select a.created_at from activity a where a.${sql.ref(column)} = text
      order by a.created_at desc, a.log_id desc limit 1)`;
  const { rows } = await sql<{ newest: Date | null }>`
    select max(newest) as newest from (
      select ${newest("place_key")} as newest from unnest(${places}::bigint[]) text
      union all select ${newest("outcome_key")} from unnest(${outcomes}::bigint[]) text
      union all select ${newest("user_name")} from unnest(${people}::text[]) text) dated`.execute(db);
  return rows[0]?.newest ?? null;
}

/** Only kinds with matches become conditions, so that the database can pick the right index. */
function matchesAnyText({ places, outcomes, people }: MatchingTexts) {
  return anyOf([
    ...(places.length > 0 ? [sql<boolean>`a.place_key = any(${places}::bigint[])`] : []),
    ...(outcomes.length > 0 ? [sql<boolean>`a.outcome_key = any(${outcomes}::bigint[])`] : []),
    ...(people.length > 0 ? [sql<boolean>`a.user_name = any(${people}::text[])`] : []),
  ]);
}

function textMatches(words: string) {
  const pattern = patternOf(words);
  return sql<boolean>`(search_fold(a.user_name) like ${pattern} or coalesce((select bool_or(texts.words like ${pattern})
    from activity_texts texts where texts.key = any(array[a.place_key, a.outcome_key])), false))`;
}

/** First the ids, along an index that covers every filter; then only their rows. */
async function readRows(
  viewer: Viewer,
  db: Executor,
  matching: Rows,
  { cursor, limit, logIds }: ActivityQuery,
): Promise<ActivityEntry[]> {
  let ids = matching.select("a.log_id").orderBy("a.created_at", "desc").orderBy("a.log_id", "desc");
  if (limit !== undefined) ids = ids.limit(limit);
  if (logIds !== undefined) ids = ids.where("a.log_id", "=", sql<number>`any(${logIds}::bigint[])`);
  if (cursor !== undefined) {
    ids = ids.where(
      sql<boolean>`(a.created_at, a.log_id) < ((select created_at from activity where log_id = ${cursor}::bigint), ${cursor}::bigint)`,
    );
  }
  return rowsOf(viewer, db, ids);
}

/** The first rows and how many there are, counted up to `countLimit`, from one reading of the index. */
async function readFirstRows(
  viewer: Viewer,
  db: Executor,
  matching: Rows,
  { limit, countLimit }: { readonly limit: number; readonly countLimit: number },
): Promise<[ActivityEntry[], number]> {
  const found = matching
    .select(["a.log_id", "a.created_at"])
    .orderBy("a.created_at", "desc")
    .orderBy("a.log_id", "desc")
    .limit(countLimit);
  const { total, ids } = await db
    .with(
      (cte) => cte("found").materialized(),
      () => found,
    )
    .selectNoFrom([
      sql<number>`(select count(*) from found)`.as("total"),
      sql<
        string[]
      >`array(select log_id::text from found order by created_at desc, found.log_id desc limit ${limit})`.as("ids"),
    ])
    .executeTakeFirstOrThrow();
  const chosen = visibleRows(viewer, db)
    .select("a.log_id")
    .where("a.log_id", "=", sql<number>`any(${ids}::bigint[])`);
  return [await rowsOf(viewer, db, chosen), total];
}

/** The rows with these ids, newest first. */
async function rowsOf(
  viewer: Viewer,
  db: Executor,
  ids: SelectQueryBuilder<Tables & { a: Tables["activity"] }, "a", { log_id: number }>,
): Promise<ActivityEntry[]> {
  const rows = await db
    .selectFrom(ids.as("found"))
    .innerJoin("activity as a", "a.log_id", "found.log_id")
    .select(["a.created_at", "a.action", "a.action_type", "a.user_name", "a.status", "a.site_id", "a.site_name"])
    .select(["a.partner_name", "a.robot_name", "a.serial_number", "a.details", "a.params", "a.sample"])
    .select(sql<string>`a.log_id::text`.as("log_id"))
    .orderBy("a.created_at", "desc")
    .orderBy("a.log_id", "desc")
    .execute();
  return rows.map(({ params, partner_name, ...row }) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    paramsObj: params,
    ...(viewer.role === "SUPER_ADMIN" && { partner_name }),
  }));
}

/** Counts from the newest on, so that one index is read until `limit` is reached. */
async function countRows(db: Executor, matching: Rows, limit: number | null): Promise<number> {
  const one = matching.select(sql`1`.as("one"));
  const counted = limit === null ? one : one.orderBy("a.created_at", "desc").orderBy("a.log_id", "desc").limit(limit);
  const { total } = await db
    .selectFrom(counted.as("counted"))
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/** Texts of the log that contain the words: rows that refer to one of these match. */
interface MatchingTexts {
  /** 64-bit hashes, as text. */
  readonly places: readonly string[];
  readonly outcomes: readonly string[];
  readonly people: readonly string[];
}

/** Words found in more texts than this are compared row by row instead: they match so often that few rows are read. */
const MAX_TEXTS = 5_000;

/** Texts of the activity log that contain these words, ignoring case; null if there are too many. */
async function findTexts(db: Executor, words: string): Promise<MatchingTexts | null> {
  // Texts are single lines, so that no text contains a line break.
  if (words.includes("\n")) return { places: [], outcomes: [], people: [] };
  const { rows } = await sql<{ kind: string; key: string; user_name: string | null }>`
    select kind, key::text as key, user_name from activity_texts where words like ${patternOf(words)} limit ${MAX_TEXTS + 1}
  `.execute(db);
  if (rows.length > MAX_TEXTS) return null;
  const keys = (kind: string) => [...new Set(rows.filter((row) => row.kind === kind).map(({ key }) => key))];
  return {
    places: keys("PLACE"),
    outcomes: keys("OUTCOME"),
    people: [...new Set(rows.flatMap(({ user_name }) => user_name ?? []))],
  };
}
