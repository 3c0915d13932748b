import type { updatePartner } from "@suncrew/contract/partners/partners.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { editConflict, type HttpError } from "../../platform/http/http-error.ts";
import { contentOf, recordPartner } from "./partner-audit.ts";
import { changePartner, type PartnerRow, showOnSites } from "./partner-rows.repository.ts";
import { changeUsersOf } from "./partner-users.repository.ts";
import type { PartnerWork } from "./partners.service.ts";

/** Changes a partner's record. Its user takes over the contact person and the e-mail, its sites show the new name. */
export async function updatePartnerOf(
  work: PartnerWork,
  partner: PartnerRow,
  { version, ...edit }: BodyOf<typeof updatePartner>,
): Promise<HttpError | null> {
  const before = contentOf(partner);
  // What is left out of an edit stays as it is.
  const about = { action: "UPDATE_PARTNER", partnerId: partner.id, before, after: { ...before, ...edit } } as const;
  if (version !== undefined && version !== partner.version) {
    const refusal = editConflict("partner");
    await recordPartner(work, { ...about, refused: refusal.message });
    return refusal;
  }
  await changePartner(work.tx, partner.id, edit);
  await changeUsersOf(work.tx, partner.id, { name: edit.contact_person, email: edit.email });
  await showOnSites(work.tx, partner.id);
  await recordPartner(work, about);
  return null;
}
