import { AUDIT_DEFAULT_LIMIT, type auditList } from "@suncrew/contract/audit/audit.ts";
import type { QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Db } from "../../platform/database/database.ts";
import { distinctValues } from "../../platform/database/list-queries.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver } from "../sites/public.ts";
import { readHead } from "./audit-chain.repository.ts";
import { readAuditPage } from "./audit.queries.ts";

/** One page of the audit view, with the head of the chain and the values to filter by. */
export async function auditPage(
  viewer: Viewer,
  db: Db,
  query: QueryOf<typeof auditList>,
): Promise<ResponseOf<typeof auditList>> {
  const { limit = AUDIT_DEFAULT_LIMIT, cursor, exact_total: exact = false, ...filter } = query;
  if (filter.site_id !== undefined) await requireSiteEver(viewer, db, filter.site_id);
  const page = await readAuditPage(viewer, db, filter, { cursor, limit, exact });
  const head = await readHead(db);
  return {
    ...page,
    head: head === null ? null : { ...head, sealed_at: head.sealed_at.toISOString() },
    actions: await distinctValues(db, "audit", "action"),
    entities: await distinctValues(db, "audit", "entity"),
  };
}
