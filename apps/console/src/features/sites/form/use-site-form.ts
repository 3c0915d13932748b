import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { createSite, deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails, type Site } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { duplicateLocation, duplicateSiteName } from "@suncrew/domain/sites/site-duplicates.ts";
import { call } from "../../../platform/api/call.ts";
import { change, invalidate, type Changed, type Refusal, refusalIn } from "../../../platform/api/change.ts";
import { isRefusedAs, serverReason } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { type EntityForm, useEntityForm } from "../../../platform/form/entity-form.ts";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { toast } from "../../../platform/toast.tsx";
import { emptySiteForm, siteFormOf, siteBodyOf, siteFormProblems, duplicatesOf, siteRules } from "./site-form.ts";
import type { SiteField, SiteForm, Duplicate } from "./site-form.ts";

const duplicateOf = { name: duplicateSiteName, place: duplicateLocation } as const;
const duplicateFields: Record<Duplicate, readonly SiteField[]> = { name: ["name"], place: ["lat", "lng"] };

export interface SiteFormState extends EntityForm<SiteForm, SiteField> {
  readonly isPlaceTaken: boolean;
  readonly mayChoosePartner: boolean;
}

/**
 * The dialog's form (§5 Site create and edit): `opened` is the site to edit, null for a new one; `sites` those known
 * now.
 */
export function useSiteForm(
  opened: Site | null,
  sites: readonly Site[],
  onSaved: (siteId: number) => void,
): SiteFormState {
  const mayChoosePartner = may(useSignedIn().role, "changeMaintenancePartner");
  const now = sites.find(({ id }) => id === opened?.id);
  const duplicatesIn = (form: SiteForm) => duplicatesOf(form, sites, opened?.id ?? null);
  const state = useEntityForm<SiteForm, SiteField, number>({
    what: "site",
    opened: opened === null ? { form: emptySiteForm, version: 0 } : storedSite(opened),
    isNew: opened === null,
    latest: now === undefined ? null : storedSite(now),
    deleted:
      opened !== null && now === undefined
        ? "This site was deleted, or assigned to somebody else, in the meantime."
        : null,
    rules: siteRules,
    problemsOf: siteFormProblems,
    warningsOf: (form) =>
      Object.fromEntries(
        duplicatesIn(form).flatMap((one) => duplicateFields[one].map((field) => [field, duplicateOf[one].message])),
      ),
    save: async (form, version) => {
      const [duplicate] = duplicatesIn(form);
      if (duplicate !== undefined) return refuseDuplicate(duplicate);
      return saveSite(opened && { id: opened.id, version, mayChoosePartner }, form);
    },
    onSaved,
  });
  const isPlaceTaken = duplicatesIn(state.form).includes("place");
  return { ...state, isPlaceTaken, mayChoosePartner: opened === null || mayChoosePartner };
}

function storedSite(site: Site) {
  return { form: siteFormOf(site), version: site.version };
}

function refuseDuplicate(duplicate: Duplicate): Changed<never> {
  const { message } = duplicateOf[duplicate];
  toast.failure(duplicateOf[duplicate]);
  const wire = duplicate === "name" ? ["name"] : ["latitude", "longitude"];
  return { kind: "refused", error: null, problems: wire.map((field) => ({ field, message })) };
}

interface EditedSite {
  readonly id: number;
  readonly version: number;
  /** False omits the partner: the person may not change whose site it is. */
  readonly mayChoosePartner: boolean;
}

/** Creates or changes a site and returns its id. §4: saving reloads the list of sites. */
async function saveSite(edited: EditedSite | null, form: SiteForm): Promise<Changed<number>> {
  const body = siteBodyOf(form);
  const isNew = edited === null;
  const outcome = await change({
    send: async () => {
      if (edited === null) return (await call(createSite, { body })).siteId;
      const { maintenance_partner_id: partnerId, ...rest } = body;
      await call(updateSite, {
        params: { id: edited.id },
        body: {
          ...rest,
          ...(edited.mayChoosePartner && { maintenance_partner_id: partnerId }),
          version: edited.version,
        },
      });
      return edited.id;
    },
    invalidates: [queryKeyOf(siteDetails)],
    hasConflictForm: true,
    success: {
      title: isNew ? "Site Created" : "Site Updated",
      message: `${body.name} has been successfully ${isNew ? "created" : "updated"}.`,
    },
    // §5: a name or location that is taken has its own title.
    failure: (error) =>
      duplicateIn(error) !== null
        ? null
        : {
            title: isNew ? "Site Creation Failed" : "Site Update Failed",
            message: `Failed to ${isNew ? "create" : "update"} site. Please try again.`,
          },
  });
  const duplicate = outcome.kind === "refused" ? duplicateIn(outcome.error) : null;
  return duplicate === null ? outcome : refuseDuplicate(duplicate);
}

function duplicateIn(error: unknown): Duplicate | null {
  if (isRefusedAs(error, "SITE_NAME_TAKEN")) return "name";
  return isRefusedAs(error, "SITE_LOCATION_TAKEN") ? "place" : null;
}

const DELETE_FAILED = "Failed to delete site. Please try again.";

/** Deletes a site with what belongs to it; null if it is deleted, otherwise why it is not. */
export async function removeSite(site: Site, onDeleted: () => void): Promise<Refusal | null> {
  const outcome = await change({
    send: () => call(deleteSite, { params: { id: site.id } }),
    // §4: deleting the selected site clears the selection, robots and groups.
    onDone: async () => {
      onDeleted();
      queryClient.setQueryData<readonly Site[]>(queryKeyOf(siteDetails, {}), (sites) =>
        sites?.filter(({ id }) => id !== site.id),
      );
      await invalidate([queryKeyOf(siteDetails)]);
      // Only once nothing shows them any more: removed earlier they would be requested again.
      for (const route of [robotDetailsWithSettings, groupList, getRobotSchedule]) {
        queryClient.removeQueries({ queryKey: queryKeyOf(route, { params: { siteId: site.id } }) });
      }
    },
    success: { title: "Site Deleted", message: `${site.name} has been successfully deleted.` },
    failure: (error) => {
      void invalidate([queryKeyOf(siteDetails)]);
      return { title: "Site Deletion Failed", message: DELETE_FAILED, reason: serverReason(error) };
    },
  });
  return refusalIn(outcome, DELETE_FAILED);
}
