import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { type createSite, importSites, type updateSite } from "@suncrew/contract/sites/sites.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { WrittenAnswer } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workOwnerOf, type Workers } from "../../platform/workers/workers.ts";
import { seenAt } from "../sites/public.ts";
import { deleteSiteOf } from "./delete-site.ts";
import { exportSitesTask } from "./export-sites.ts";
import { importSitesTask } from "./import-sites.ts";
import { storeChangedSite, storeNewSite } from "./save-site.ts";

/** Adds, changes and deletes sites. A refusal is on record by the time it is thrown. */
export class SiteManagement {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "broker" | "settings">;
  readonly #workers: Workers;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "broker" | "settings">, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** Answers the new site's id. Throws 400 and 409. */
  async create(viewer: Viewer, body: BodyOf<typeof createSite>): Promise<number> {
    const { db, clock } = this.#deps;
    const saved = await transactionWithRetry(db, (tx) => storeNewSite(tx, viewer, body, clock.now()));
    if (saved.kind === "refused") throw saved.error;
    return saved.siteId;
  }

  /** Throws 400, 403, 404 and 409. */
  async update(viewer: Viewer, siteId: number, body: BodyOf<typeof updateSite>): Promise<void> {
    const { db, clock } = this.#deps;
    const saved = await transactionWithRetry(db, (tx) => storeChangedSite(tx, viewer, siteId, body, clock.now()));
    if (saved.kind === "refused") throw saved.error;
  }

  /** Throws 404 and 409. */
  async delete(viewer: Viewer, siteId: number): Promise<void> {
    const { db } = this.#deps;
    const refusal = await transactionWithRetry(db, (tx) => deleteSiteOf(tx, viewer, siteId, seenAt(this.#deps)));
    if (refusal !== null) throw refusal;
  }

  /** The sites that the viewer may see, as a CSV file. */
  async export(viewer: Viewer, signal: AbortSignal): Promise<string> {
    const given = { viewer, at: seenAt(this.#deps) };
    return this.#workers.run(exportSitesTask, given, { asker: workOwnerOf(viewer), signal });
  }

  /** Throws 400 where a row is wrong that was to be created. */
  async import(
    viewer: Viewer,
    body: BodyOf<typeof importSites>,
    signal: AbortSignal,
  ): Promise<WrittenAnswer<typeof importSites>> {
    const given = { viewer, body, now: this.#deps.clock.now() };
    const json = await this.#workers.run(importSitesTask, given, { asker: workOwnerOf(viewer), signal });
    return new WrittenAnswer(importSites, json);
  }
}
