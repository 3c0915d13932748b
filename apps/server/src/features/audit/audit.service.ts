import { AUDIT_DEFAULT_LIMIT, type auditList, type exportAudit } from "@suncrew/contract/audit/audit.ts";
import type { QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Readable } from "node:stream";
import type { Db } from "../../platform/database/database.ts";
import { distinctValues } from "../../platform/database/list-queries.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver } from "../sites/public.ts";
import { auditFile } from "./audit-file.ts";
import { readAudit, readAuditPage } from "./audit.queries.ts";
import { type ChainHead, readHead } from "./audit-seals.repository.ts";
import { type Verdict, verifyChain } from "./verify-chain.repository.ts";

/** Rows that the export reads at once. */
const EXPORT_PAGE = 2_000;

/** One page of the audit view with the head of its chain and what there is to filter by. */
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

/** Everything that the filter chooses, as CSV. Throws 404. */
export async function exportOfAudit(viewer: Viewer, db: Db, filter: QueryOf<typeof exportAudit>): Promise<Readable> {
  if (filter.site_id !== undefined) await requireSiteEver(viewer, db, filter.site_id);
  return auditFile((cursor) => readAudit(viewer, db, filter, { cursor, limit: EXPORT_PAGE }));
}

/** Goes through the whole chain; see verifyChain. */
export async function verifyAudit(db: Db, known: ChainHead | null): Promise<Verdict> {
  return await verifyChain(db, known);
}
