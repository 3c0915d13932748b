import { AUDIT_DEFAULT_LIMIT, type auditList } from "@suncrew/contract/audit/audit.ts";
import type { QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Db } from "../../platform/database/database.ts";
import { distinctValues } from "../../platform/database/distinct-values.ts";
import { invalid } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { requireSiteEver } from "../sites/public.ts";
import { type AuditChoice, countAudit, readAudit } from "./audit.queries.ts";
import { type ChainHead, readHead } from "./audit-seals.writes.ts";
import { type Verdict, verifyChain } from "./verify-chain.writes.ts";

/** One page of the audit view with the head of its chain and what there is to filter by. */
export async function auditPage(
  viewer: Viewer,
  db: Db,
  query: QueryOf<typeof auditList>,
): Promise<ResponseOf<typeof auditList>> {
  const { site_id: siteId, from, to, limit = AUDIT_DEFAULT_LIMIT, cursor, exact_total: exact = false, ...rest } = query;
  if (from !== undefined && to !== undefined && to < from) throw invalid("to", "to must not be before from");
  if (siteId !== undefined) await requireSiteEver(viewer, db, siteId);
  const choice: AuditChoice = {
    ...rest,
    siteId,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  const rows = await readAudit(viewer, db, choice, { cursor, limit: limit + 1 });
  const entries = rows.slice(0, limit);
  const head = await readHead(db);
  return {
    entries,
    ...(await countAudit(viewer, db, choice, exact)),
    next_cursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null,
    head: head === null ? null : { ...head, sealed_at: head.sealed_at.toISOString() },
    actions: await distinctValues(db, "audit", "action"),
    entities: await distinctValues(db, "audit", "entity"),
  };
}

/** Goes through the whole chain; see verifyChain. */
export async function verifyAudit(db: Db, known: ChainHead | null): Promise<Verdict> {
  return await verifyChain(db, known);
}
