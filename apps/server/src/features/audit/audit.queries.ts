import type { AuditEntry, AuditFilter } from "@suncrew/contract/audit/audit.ts";
import { matchAuditLabels } from "@suncrew/domain/audit/audit-changes.ts";
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { anyOf, boundedCount, distinctValues, patternOf } from "../../platform/database/list-queries.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { sitesEverVisible } from "../sites/public.ts";

interface PageRequest {
  /** The `id` of the last row of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

type Rows = SelectQueryBuilder<Tables & { a: Tables["audit"] }, "a", object>;

/** The matching rows of the audit, newest first, with their seals; rows about no site are for Super Admins only. */
export async function readAudit(
  viewer: Viewer,
  db: Executor,
  filter: AuditFilter,
  page: PageRequest,
): Promise<AuditEntry[]> {
  return readRows(db, await rowsMatching(viewer, db, filter), page);
}

/** One page of them, with their number, which is counted up to a limit unless the exact one is requested. */
export async function readAuditPage(
  viewer: Viewer,
  db: Executor,
  filter: AuditFilter,
  { cursor, limit, exact }: PageRequest & { readonly exact: boolean },
) {
  const rowsFound = await rowsMatching(viewer, db, filter);
  const rows = await readRows(db, rowsFound, { cursor, limit: limit + 1 });
  const entries = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? (entries.at(-1)?.id ?? null) : null;
  return { entries, ...(await boundedCount(db, rowsFound.select("a.id"), exact)), next_cursor };
}

async function rowsMatching(viewer: Viewer, db: Executor, filter: AuditFilter): Promise<Rows> {
  let rows: Rows = db.selectFrom("audit as a");
  if (viewer.role !== "SUPER_ADMIN") {
    const sites = sitesEverVisible(viewer, db).select("sites.id");
    rows = rows.where("a.site_id", "=", sql<number>`any(array(${sites}))`);
  }
  const { search, action, entity, actor, outcome, site_id, from, to } = filter;
  if (action !== undefined) rows = rows.where("a.action", "=", action);
  if (entity !== undefined) rows = rows.where("a.entity", "=", entity);
  if (actor !== undefined) rows = rows.where("a.actor", "=", actor);
  if (outcome !== undefined) rows = rows.where("a.outcome", "=", outcome);
  if (site_id !== undefined) rows = rows.where("a.site_id", "=", site_id);
  if (from !== undefined) rows = rows.where("a.at", ">=", new Date(from));
  if (to !== undefined) rows = rows.where("a.at", "<", new Date(to));
  if (search === undefined) return rows;
  const found = await findInAudit(db, search);
  const siteIds = [...found.siteIds, ...(await sitesNamed(viewer, db, search))];
  return rows.where(hasOneOf({ ...found, siteIds }, search));
}

/** Sites that have such a name now, even if the audit has nothing about them. */
async function sitesNamed(viewer: Viewer, db: Executor, words: string): Promise<number[]> {
  const rows = await sitesEverVisible(viewer, db)
    .select("sites.id")
    .where(sql<boolean>`search_fold(sites.name) like ${patternOf(words)}`)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Reads the ids first, along an index, then only these rows. Rows from before the audit stored names get the name in
 * their own values, otherwise the one known for their id.
 */
async function readRows(db: Executor, matching: Rows, { cursor, limit }: PageRequest): Promise<AuditEntry[]> {
  let ids = matching.select("a.id").orderBy("a.at", "desc").orderBy("a.id", "desc").limit(limit);
  if (cursor !== undefined) {
    ids = ids.where(sql<boolean>`(a.at, a.id) < (select c.at, c.id from audit c where c.id = ${cursor}::bigint)`);
  }
  const rows = await db
    .selectFrom(ids.as("found"))
    .innerJoin("audit as a", "a.id", "found.id")
    .leftJoin("sites", "sites.id", "a.site_id")
    .leftJoin("audit_seals as seal", "seal.audit_id", "a.id")
    .select(["a.at", "a.actor", "a.user_id", "a.action", "a.entity", "a.entity_id", "a.site_id"])
    .select((eb) => eb.fn.coalesce("a.site_name", "sites.name").as("site_name"))
    .select(
      sql<string | null>`coalesce(a.target_name, audit_told_name(a.entity, a.entity_id, a.before, a.after),
        audit_known_name(a.entity, a.entity_id, a.before, a.after))`.as("target_name"),
    )
    .select(["a.outcome", "a.reason", "a.before", "a.after", "seal.number"])
    .select(sql<string>`a.id::text`.as("id"))
    .select(sql<string | null>`encode(seal.hash, 'hex')`.as("hash"))
    .orderBy("a.at", "desc")
    .orderBy("a.id", "desc")
    .execute();
  return rows.map(({ number, hash, at, ...row }) => ({
    ...row,
    at: at.toISOString(),
    seal: number === null || hash === null ? null : { number, hash },
  }));
}

/** The texts that contain the words: rows with one of these match. */
interface FoundInAudit {
  readonly actors: readonly string[];
  readonly actions: readonly string[];
  readonly entities: readonly string[];
  /** Sites that ever had such a name, according to the audit. */
  readonly siteIds: readonly number[];
  /** Null if there are too many: then rows are compared one by one, and few are read because most match. */
  readonly texts: FoundTexts | null;
}

interface FoundTexts {
  /** By kind of thing, the ids of the things that ever had such a name. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** 64-bit hashes, as text. */
  readonly reasons: readonly string[];
  /** Ids of rows about things that never had an id. */
  readonly rows: readonly string[];
}

const MAX_TEXTS = 5_000;

/** Searches distinct texts, as in the activity log (decision 23): a million rows have few names and reasons. */
async function findInAudit(db: Executor, words: string): Promise<FoundInAudit> {
  const pattern = patternOf(words);
  const entities = await distinctValues(db, "audit", "entity");
  const sites = await sql<{ id: number }>`
    select entity_id::int as id from audit_names where entity = 'site' and words like ${pattern}`.execute(db);
  return {
    actors: await matching(db, await distinctValues(db, "audit", "actor"), pattern),
    actions: matchAuditLabels(await distinctValues(db, "audit", "action"), words),
    entities: matchAuditLabels(entities, words),
    siteIds: [...new Set(sites.rows.map(({ id }) => id))],
    texts: await findTexts(db, words, entities),
  };
}

async function findTexts(db: Executor, words: string, entities: readonly string[]): Promise<FoundTexts | null> {
  const pattern = patternOf(words);
  const limit = MAX_TEXTS + 1;
  const { rows: names } = await sql<{ entity: string; entity_id: string }>`
    select entity, entity_id from audit_names where words like ${pattern} limit ${limit}`.execute(db);
  const { rows: reasons } = await sql<{ key: string }>`
    select key::text as key from audit_reasons where words like ${pattern} limit ${limit}`.execute(db);
  const { rows: unidentified } = await sql<{ id: string }>`
    select id::text as id from audit a where entity_id is null and ${nameWithoutId} like ${pattern} limit ${limit}`.execute(
    db,
  );
  if ([names, reasons, unidentified].some(({ length }) => length > MAX_TEXTS)) return null;
  // A complete id finds its thing, too.
  const targets = new Map(entities.map((entity) => [entity, new Set([words])]));
  for (const { entity, entity_id } of names) targets.get(entity)?.add(entity_id);
  return {
    targets: new Map([...targets].map(([entity, ids]) => [entity, [...ids]])),
    reasons: [...new Set(reasons.map(({ key }) => key))],
    rows: unidentified.map(({ id }) => id),
  };
}

/** The name in a row about a thing that never had an id, exactly as it is indexed. */
const nameWithoutId = sql<string>`search_fold(coalesce(a.target_name, audit_told_name(a.entity, a.entity_id, a.before, a.after)))`;

/** Whether row `a` has one of the texts. Only the kinds that were found are conditions, so that indexes are used. */
function hasOneOf({ texts, ...found }: FoundInAudit, words: string) {
  const { actors, actions, entities, siteIds } = found;
  return anyOf([
    ...(actors.length > 0 ? [sql<boolean>`a.actor = any(${actors}::text[])`] : []),
    ...(actions.length > 0 ? [sql<boolean>`a.action = any(${actions}::text[])`] : []),
    ...(entities.length > 0 ? [sql<boolean>`a.entity = any(${entities}::text[])`] : []),
    ...(siteIds.length > 0 ? [sql<boolean>`a.site_id = any(${siteIds}::int[])`] : []),
    ...(texts === null ? hasWords(words) : hasText(texts)),
  ]);
}

function hasText({ targets, reasons, rows }: FoundTexts) {
  return [
    ...[...targets].map(([entity, ids]) => sql<boolean>`(a.entity = ${entity} and a.entity_id = any(${ids}::text[]))`),
    ...(reasons.length > 0
      ? [sql<boolean>`(a.reason is not null and hashtextextended(a.reason, 0) = any(${reasons}::bigint[]))`]
      : []),
    ...(rows.length > 0 ? [sql<boolean>`a.id = any(${rows}::bigint[])`] : []),
  ];
}

function hasWords(words: string) {
  const pattern = patternOf(words);
  return [
    sql<boolean>`exists (select from audit_names n
      where n.entity = a.entity and n.entity_id = a.entity_id and n.words like ${pattern})`,
    sql<boolean>`search_fold(a.reason) like ${pattern}`,
    sql<boolean>`(a.entity_id is null and ${nameWithoutId} like ${pattern})`,
  ];
}

async function matching(db: Executor, values: readonly string[], pattern: RawBuilder<string>): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    select value from unnest(${values}::text[]) value where search_fold(value) like ${pattern}`.execute(db);
  return rows.map(({ value }) => value);
}
