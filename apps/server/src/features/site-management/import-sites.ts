import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { importSites } from "@suncrew/contract/sites/sites.ts";
import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError, transactionWithRetry } from "../../platform/database/transactions.ts";
import type { HttpError } from "../../platform/http/http-error.ts";
import { importAnswer, importRefusal, isImportable } from "../../platform/http/import-answer.ts";
import { writtenAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { recordAudit, recordAudits } from "../audit/public.ts";
import { lockLivePartner } from "../partners/public.ts";
import { checkSiteFile } from "./check-site-file.ts";
import { holdSites, insertSites, type SiteContent } from "./site-rows.repository.ts";

/** What an import came to in its transaction; a refusal is on record and is thrown after the commit. */
type ImportedSites =
  | { readonly kind: "answered"; readonly answer: ResponseOf<typeof importSites> }
  | { readonly kind: "refused"; readonly error: HttpError };

interface FileCall {
  readonly viewer: Viewer;
  readonly body: BodyOf<typeof importSites>;
  readonly now: Date;
}

/** §7: a file of new sites, checked or stored. Throws 400 where a row is wrong that was to be stored. */
export const importSitesTask = workerTask("import sites", async ({ viewer, body, now }: FileCall, { db }) => {
  const imported = await transactionWithRetry(db, (tx) => importSiteFile(tx, viewer, body, now));
  if (imported.kind === "refused") throw imported.error;
  return writtenAnswer(importSites, imported.answer);
});

/** Checks a file of new sites, or creates them all, or none where one row is wrong. */
async function importSiteFile(
  tx: Tx,
  viewer: Viewer,
  { csv, apply }: BodyOf<typeof importSites>,
  now: Date,
): Promise<ImportedSites> {
  if (apply) await holdSites(tx);
  const checked = await checkSiteFile(tx, csv);
  if (!apply) return { kind: "answered", answer: importAnswer(checked, false) };
  const about = { actor: { userId: viewer.userId, name: viewer.name }, entity: "site", at: now };
  if (!isImportable(checked)) {
    const error = importRefusal(checked);
    const after = { rows: checked.rows.length };
    await recordAudit(tx, { ...about, action: "IMPORT_SITES", outcome: "REFUSED", reason: error.message, after });
    return { kind: "refused", error };
  }
  const { sites } = checked;
  await holdPartners(tx, sites);
  const siteIds = await insertSites(
    tx,
    sites.map((site) => ({ ...site, timezone: timezoneAt(site.latitude, site.longitude) })),
    now,
  );
  // One for each, as if it had been typed: so the record of a site begins with its creation.
  const records = sites.map((site, nth) => {
    const id = siteIds[nth] ?? null;
    const created = { action: "CREATE_SITE", entityId: id, siteId: id, outcome: "DONE" as const };
    return { ...about, ...created, reason: "Imported from a file.", after: { ...site } };
  });
  await recordAudits(tx, records);
  return { kind: "answered", answer: importAnswer(checked, true) };
}

async function holdPartners(tx: Tx, sites: readonly SiteContent[]): Promise<void> {
  const ids = new Set(sites.flatMap((site) => site.maintenance_partner_id ?? []));
  for (const id of [...ids].toSorted((one, other) => one - other)) {
    // Deleted since its name was looked up.
    if (!(await lockLivePartner(tx, id))) throw new ConcurrentChangeError();
  }
}
