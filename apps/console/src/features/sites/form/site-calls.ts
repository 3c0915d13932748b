import { groupList } from "@suncrew/contract/groups/groups.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { createSite, deleteSite, siteDetails, updateSite } from "@suncrew/contract/sites/sites.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { duplicateLocation, duplicateSiteName } from "@suncrew/domain/sites/site-duplicates.ts";
import { call } from "../../../platform/api/call.ts";
import { ApiError, isEditConflict, serverReason, TokenExpiredError } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { refusalOf } from "../../../platform/api/refusal.ts";
import type { Refusal } from "../../../platform/api/refusal.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { toast } from "../../../platform/toast.tsx";
import { siteBodyOf, toldProblems } from "./site-form.ts";
import type { FieldProblems, SiteForm } from "./site-form.ts";

/** Which site an edit is about; null for a new one. */
export interface EditedSite {
  readonly id: number;
  /** The one that the edit began from. */
  readonly version: number;
  /** False where the person may not change whose it is: then the partner is not sent. */
  readonly isPartnerOurs: boolean;
}

/** How saving ended; a refusal names fields where the server did. */
export type SaveOutcome =
  | { readonly kind: "saved"; readonly siteId: number }
  | { readonly kind: "conflict" }
  | { readonly kind: "refused"; readonly problems: FieldProblems };

/** Creates or changes a site and reads the list again. Says so in a toast (§8 Sites) and never throws. */
export async function saveSite(edited: EditedSite | null, form: SiteForm): Promise<SaveOutcome> {
  const body = siteBodyOf(form);
  try {
    const siteId = edited === null ? (await call(createSite, { body })).siteId : edited.id;
    if (edited !== null) {
      const { maintenance_partner_id: partnerId, ...rest } = body;
      await call(updateSite, {
        params: { id: edited.id },
        body: { ...rest, ...(edited.isPartnerOurs && { maintenance_partner_id: partnerId }), version: edited.version },
      });
    }
    // §4: saving reloads the site list. A failure of that shows in the list itself.
    await readSitesAgain();
    toast.success({
      title: edited === null ? "Site Created" : "Site Updated",
      message: `${body.name} has been successfully ${edited === null ? "created" : "updated"}.`,
    });
    return { kind: "saved", siteId };
  } catch (error) {
    if (error instanceof TokenExpiredError) return { kind: "refused", problems: {} };
    if (isEditConflict(error)) {
      await readSitesAgain();
      return { kind: "conflict" };
    }
    return { kind: "refused", problems: tellRefusal(edited === null, error) };
  }
}

/** §5: a name or place that is taken has its own title; everything else the sentence of §8. */
function tellRefusal(isNew: boolean, error: unknown): FieldProblems {
  const reason = serverReason(error);
  for (const duplicate of [duplicateSiteName, duplicateLocation]) {
    if (reason !== duplicate.message) continue;
    toast.failure(duplicate);
    void readSitesAgain();
    return duplicate === duplicateSiteName
      ? { name: duplicate.message }
      : { lat: duplicate.message, lng: duplicate.message };
  }
  toast.failure({
    title: isNew ? "Site Creation Failed" : "Site Update Failed",
    message: `Failed to ${isNew ? "create" : "update"} site. Please try again.`,
    reason,
  });
  // A site that is gone, or given to somebody else, must not stand in the list.
  void readSitesAgain();
  return error instanceof ApiError ? toldProblems(error.errors) : {};
}

const DELETE_FAILED = "Failed to delete site. Please try again.";

/** Deletes a site with what belongs to it; null where it is gone, else why it is not. Tells by toast, never throws. */
export async function removeSite(site: Site, onGone: () => void): Promise<Refusal | null> {
  try {
    await call(deleteSite, { params: { id: site.id } });
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    toast.failure({
      title: "Site Deletion Failed",
      message: DELETE_FAILED,
      reason: serverReason(error),
    });
    void readSitesAgain();
    return refusalOf(error, DELETE_FAILED);
  }
  // §4: deleting the selected site clears the selection, robots and groups.
  onGone();
  queryClient.setQueryData<readonly Site[]>(queryKeyOf(siteDetails, {}), (sites) =>
    sites?.filter(({ id }) => id !== site.id),
  );
  await readSitesAgain();
  // Once nothing shows them any more: forgotten earlier they would be asked for again.
  for (const route of [robotDetailsWithSettings, groupList, getRobotSchedule]) {
    queryClient.removeQueries({ queryKey: queryKeyOf(route, { params: { siteId: site.id } }) });
  }
  toast.success({ title: "Site Deleted", message: `${site.name} has been successfully deleted.` });
  return null;
}

export async function readSitesAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeyOf(siteDetails) });
}
