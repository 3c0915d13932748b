import { createPartner, deletePartner, partnerDetails, updatePartner } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { call } from "../../../platform/api/call.ts";
import { change, type Refusal, refusalIn } from "../../../platform/api/change.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { useEntityForm } from "../../../platform/form/entity-form.ts";
import type { NewPartner } from "../share/sign-in-of.ts";
import { emptyDraft, draftOf, bodyOf, partnerProblems, partnerRules } from "./partner-form.ts";
import type { PartnerField, PartnerDraft } from "./partner-form.ts";

function storedPartner(partner: Partner | null) {
  return partner === null ? { form: emptyDraft, version: 0 } : { form: draftOf(partner), version: partner.version };
}

export interface PartnerFormOptions {
  /** The partner to edit, as the list has it now; null adds one. */
  readonly partner: Partner | null;
  /** The list does not have it any more. */
  readonly isGone: boolean;
  readonly onCreated: (created: NewPartner) => void;
  readonly onClose: () => void;
}

export function usePartnerForm({ partner, isGone, onCreated, onClose }: PartnerFormOptions) {
  return useEntityForm<PartnerDraft, PartnerField, NewPartner | null>({
    what: "partner",
    opened: storedPartner(partner),
    isNew: partner === null,
    latest: partner === null ? null : storedPartner(partner),
    deleted: isGone ? "This partner was deleted in the meantime." : null,
    rules: partnerRules,
    problemsOf: partnerProblems,
    save: (draft, version) => savePartner(partner && { id: partner.id, version }, draft),
    onSaved: (created) => (created === null ? onClose() : onCreated(created)),
  });
}

/** Creates a partner and answers it with its credentials, or changes the given one. */
function savePartner(edited: Pick<Partner, "id" | "version"> | null, draft: PartnerDraft) {
  const body = bodyOf(draft);
  const isNew = edited === null;
  return change<NewPartner | null>({
    send: async () => {
      if (edited === null) {
        const { partnerId, credentials } = await call(createPartner, { body });
        return { ...body, id: partnerId, ...credentials };
      }
      await call(updatePartner, { params: { id: edited.id }, body: { ...body, version: edited.version } });
      return null;
    },
    invalidates: [queryKeyOf(partnerDetails)],
    hasConflictForm: true,
    success: isNew
      ? { title: "Partner Added Successfully", message: `${body.name} has been added.` }
      : { title: "Partner Updated", message: `${body.name} has been updated.` },
    failure: {
      title: isNew ? "Partner Creation Failed" : "Partner Update Failed",
      message: `Failed to ${isNew ? "create" : "update"} partner. Please try again.`,
    },
  });
}

const DELETE_FAILED = "Failed to delete partner. Please try again.";

/** Deletes a partner; null where it is gone, else why it is not (§8 Partners). */
export async function removePartner({ id, name }: Partner): Promise<Refusal | null> {
  const outcome = await change({
    send: () => call(deletePartner, { params: { id } }),
    invalidates: [queryKeyOf(partnerDetails)],
    success: { title: "Partner Deleted", message: `${name} has been deleted.` },
    failure: { title: "Partner Deletion Failed", message: DELETE_FAILED },
  });
  return refusalIn(outcome, DELETE_FAILED);
}
