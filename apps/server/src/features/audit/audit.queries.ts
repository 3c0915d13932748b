import type { AuditEntry, AuditFilter } from "@suncrew/contract/audit/audit.ts";
import { type SelectQueryBuilder, sql } from "kysely";
import { boundedCount } from "../../platform/database/list-queries.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { AuditTable, Tables } from "../../platform/database/schema.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { sitesEverVisible } from "../sites/public.ts";
import { findInAudit, namesOneOf, patternOf } from "./audit-search.ts";

export interface AuditPart {
  /** Rows older than this one follow; its `id`. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface AuditPage {
  readonly entries: AuditEntry[];
  readonly total: number;
  readonly total_exact: boolean;
  readonly next_cursor: string | null;
}

type Rows = SelectQueryBuilder<Tables & { a: AuditTable }, "a", object>;

/** The chosen rows of the audit, newest first, with their seals; those about no site only for Super Admins. */
export async function readAudit(
  viewer: Viewer,
  db: Executor,
  filter: AuditFilter,
  part: AuditPart,
): Promise<AuditEntry[]> {
  return readRows(db, await rowsMatching(viewer, db, filter), part);
}

/** One page of them, and how many there are, counted up to the limit of counting unless the exact number is wanted. */
export async function readAuditPage(
  viewer: Viewer,
  db: Executor,
  filter: AuditFilter,
  { cursor, limit, exact }: AuditPart & { readonly exact: boolean },
): Promise<AuditPage> {
  const matching = await rowsMatching(viewer, db, filter);
  const rows = await readRows(db, matching, { cursor, limit: limit + 1 });
  const entries = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? (entries.at(-1)?.id ?? null) : null;
  return { entries, ...(await boundedCount(db, matching.select("a.id"), exact)), next_cursor };
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
  return rows.where(namesOneOf({ ...found, siteIds }, search));
}

/** Sites that have such a name now, also where nothing of the audit is about them. */
async function sitesNamed(viewer: Viewer, db: Executor, words: string): Promise<number[]> {
  const rows = await sitesEverVisible(viewer, db)
    .select("sites.id")
    .where(sql<boolean>`search_fold(sites.name) like ${patternOf(words)}`)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * First the ids, along an index; then the rows of these alone. Rows from before the audit kept names have those that
 * they tell themselves, else those on record.
 */
async function readRows(db: Executor, matching: Rows, { cursor, limit }: AuditPart): Promise<AuditEntry[]> {
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
