import { createPartner, deletePartner, partnerDetails, updatePartner } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { call } from "../../../platform/api/call.ts";
import { ApiError, isEditConflict, serverReason, TokenExpiredError } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { refusalOf } from "../../../platform/api/refusal.ts";
import type { Refusal } from "../../../platform/api/refusal.ts";
import { queryKeyOf, routeQuery } from "../../../platform/api/route-query.ts";
import { toast } from "../../../platform/toast.tsx";
import type { NewPartner } from "../share/sign-in-of.ts";
import { bodyOf, problemsByField } from "./partner-form.ts";
import type { PartnerDraft, PartnerProblems } from "./partner-form.ts";

export type SaveOutcome =
  | { readonly kind: "created"; readonly created: NewPartner }
  | { readonly kind: "updated" }
  /** Nothing is stored; `problems` are what the server objects to at fields. */
  | { readonly kind: "refused"; readonly problems: PartnerProblems }
  /** Somebody else saved first: nothing is stored. */
  | { readonly kind: "conflict"; readonly theirs: Partner };

/** Creates a partner, or changes the given one. Says so in a toast (§8 Partners) and never throws. */
export async function savePartner(
  partner: Pick<Partner, "id" | "version"> | null,
  draft: PartnerDraft,
): Promise<SaveOutcome> {
  const body = bodyOf(draft);
  try {
    if (partner !== null) {
      await call(updatePartner, { params: { id: partner.id }, body: { ...body, version: partner.version } });
      await readAgain();
      toast.success({ title: "Partner Updated", message: `${body.name} has been updated.` });
      return { kind: "updated" };
    }
    const { partnerId, credentials } = await call(createPartner, { body });
    await readAgain();
    toast.success({ title: "Partner Added Successfully", message: `${body.name} has been added.` });
    return { kind: "created", created: { ...body, id: partnerId, ...credentials } };
  } catch (error) {
    if (error instanceof TokenExpiredError) return { kind: "refused", problems: {} };
    const theirs = partner !== null && isEditConflict(error) ? await latestOf(partner.id) : null;
    if (theirs !== null) return { kind: "conflict", theirs };
    toast.failure(
      partner === null
        ? {
            title: "Partner Creation Failed",
            message: "Failed to create partner. Please try again.",
            reason: serverReason(error),
          }
        : {
            title: "Partner Update Failed",
            message: "Failed to update partner. Please try again.",
            reason: serverReason(error),
          },
    );
    // Somebody else may have been faster, or the answer alone was lost: what is shown must be what there is.
    void readAgain();
    return { kind: "refused", problems: error instanceof ApiError ? problemsByField(error.errors) : {} };
  }
}

const DELETE_FAILED = "Failed to delete partner. Please try again.";

/** Deletes a partner; null where it is gone, else why it is not. Tells by toast (§8 Partners) and never throws. */
export async function removePartner(partner: Partner): Promise<Refusal | null> {
  try {
    await call(deletePartner, { params: { id: partner.id } });
    await readAgain();
    toast.success({ title: "Partner Deleted", message: `${partner.name} has been deleted.` });
    return null;
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    toast.failure({ title: "Partner Deletion Failed", message: DELETE_FAILED, reason: serverReason(error) });
    void readAgain();
    return refusalOf(error, DELETE_FAILED);
  }
}

/** The partner as it is stored now; null where it is deleted, or cannot be had. */
async function latestOf(partnerId: number): Promise<Partner | null> {
  try {
    const partners = await queryClient.fetchQuery({ ...routeQuery(partnerDetails, {}), staleTime: 0 });
    return partners.find(({ id }) => id === partnerId) ?? null;
  } catch {
    return null;
  }
}

/** Also where the live stream is lost; a failure here shows on the page itself. */
async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: queryKeyOf(partnerDetails) });
}
