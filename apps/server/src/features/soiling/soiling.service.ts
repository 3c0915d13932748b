import type { SiteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSite } from "../sites/public.ts";
import { computeSoiling } from "./soiling-inputs.repository.ts";

/** Soiling of a site as of now. Throws 404 if it does not exist or is not the viewer's. */
export async function siteSoilingOf(
  viewer: Viewer,
  { db, clock }: Pick<Dependencies, "db" | "clock">,
  siteId: number,
): Promise<SiteSoiling> {
  await requireSite(viewer, db, siteId);
  const computed = await computeSoiling(db, siteId, clock.now());
  if (computed === null) throw notFound("Site");
  const { missing, source, receivedAt, isStale, uncountedRuns, modelled } = computed;
  return {
    site_id: siteId,
    basis: "modelled",
    missing: [...missing],
    source,
    received_at: receivedAt?.toISOString() ?? null,
    is_stale: isStale,
    uncounted_runs: uncountedRuns,
    ...modelled,
  };
}
