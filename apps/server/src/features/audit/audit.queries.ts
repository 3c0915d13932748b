import type { AuditEntry, AuditOutcome } from "@suncrew/contract/audit/audit.ts";
import { sql } from "kysely";
import { boundedCount } from "../../platform/database/bounded-count.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { sitesEverVisible } from "../sites/public.ts";

export interface AuditChoice {
  readonly search?: string | undefined;
  readonly action?: string | undefined;
  readonly entity?: string | undefined;
  readonly actor?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly siteId?: number | undefined;
  /** Rows from this instant on, and before that one. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

export interface AuditPage {
  /** Rows older than this one follow; its `id`. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The chosen rows of the audit, newest first, with their seals; those about no site only for Super Admins. */
export async function readAudit(
  viewer: Viewer,
  db: Executor,
  choice: AuditChoice,
  { cursor, limit }: AuditPage,
): Promise<AuditEntry[]> {
  let query = chosenRows(viewer, db, choice)
    .leftJoin("audit_seals as seal", "seal.audit_id", "a.id")
    .select([
      "a.at",
      "a.actor",
      "a.user_id",
      "a.action",
      "a.entity",
      "a.entity_id",
      "a.site_id",
      "scope.name as site_name",
    ])
    .select(["a.outcome", "a.reason", "a.before", "a.after", "seal.number"])
    .select(sql<string>`a.id::text`.as("id"))
    .select(sql<string | null>`encode(seal.hash, 'hex')`.as("hash"))
    .orderBy("a.at", "desc")
    .orderBy("a.id", "desc")
    .limit(limit);
  if (cursor !== undefined) {
    query = query.where(sql<boolean>`(a.at, a.id) < (select c.at, c.id from audit c where c.id = ${cursor}::bigint)`);
  }
  const rows = await query.execute();
  return rows.map(({ number, hash, at, ...row }) => ({
    ...row,
    at: at.toISOString(),
    seal: number === null || hash === null ? null : { number, hash },
  }));
}

/** How many rows are chosen, counted up to the limit of counting unless the exact number is wanted. */
export async function countAudit(
  viewer: Viewer,
  db: Executor,
  choice: AuditChoice,
  exact: boolean,
): Promise<{ total: number; total_exact: boolean }> {
  return await boundedCount(db, chosenRows(viewer, db, choice).select("a.id"), exact);
}

function chosenRows(viewer: Viewer, db: Executor, choice: AuditChoice) {
  const scope = sitesEverVisible(viewer, db).select(["sites.id", "sites.name"]);
  let query = db.selectFrom("audit as a").leftJoin(scope.as("scope"), "scope.id", "a.site_id");
  if (viewer.role !== "SUPER_ADMIN") query = query.where("scope.id", "is not", null);
  const { search, action, entity, actor, outcome, siteId, from, to } = choice;
  if (action !== undefined) query = query.where("a.action", "=", action);
  if (entity !== undefined) query = query.where("a.entity", "=", entity);
  if (actor !== undefined) query = query.where("a.actor", "=", actor);
  if (outcome !== undefined) query = query.where("a.outcome", "=", outcome);
  if (siteId !== undefined) query = query.where("a.site_id", "=", siteId);
  if (from !== undefined) query = query.where("a.at", ">=", from);
  if (to !== undefined) query = query.where("a.at", "<", to);
  if (search !== undefined) {
    const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
    query = query.where((eb) =>
      eb.or(
        (["a.actor", "a.action", "a.entity", "a.entity_id", "a.reason", "scope.name"] as const).map((column) =>
          eb(column, "ilike", pattern),
        ),
      ),
    );
  }
  return query;
}
