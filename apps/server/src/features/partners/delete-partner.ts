import { assignedSitesSentence } from "@suncrew/domain/partners/assigned-sites.ts";
import { conflict, type HttpError } from "../../platform/http/http-error.ts";
import { endSessionsOf } from "../../platform/sessions.ts";
import { contentOf, recordPartner } from "./partner-audit.ts";
import { type PartnerRow, removePartner, siteNamesOf, takeDevicesBack } from "./partner-rows.repository.ts";
import { lockUsersOf, removeUsers } from "./partner-users.repository.ts";
import type { PartnerWork } from "./partners.service.ts";

/**
 * Deletes a partner that maintains no site, with its user, whose sessions end. Its devices, which are all free, go back to
 * the operator; its history stays readable.
 */
export async function deletePartnerOf(work: PartnerWork, partner: PartnerRow): Promise<HttpError | null> {
  const { tx, now } = work;
  const content = contentOf(partner);
  const about = { action: "DELETE_PARTNER", partnerId: partner.id } as const;
  const refused = partner.built_in
    ? `${partner.name} belongs to every installation and cannot be deleted.`
    : assignedSitesSentence(await siteNamesOf(tx, partner.id));
  if (refused !== null) {
    await recordPartner(work, { ...about, before: content, refused });
    return conflict(refused);
  }
  const users = await lockUsersOf(tx, partner.id);
  const userIds = users.map(({ id }) => id);
  await removePartner(tx, partner.id, now);
  const devices = await takeDevicesBack(tx, partner.id);
  await removeUsers(tx, userIds, now);
  const ended = await endSessionsOf(tx, userIds, now);
  const usernames = users.map((user) => user.username);
  await recordPartner(work, { ...about, before: { ...content, usernames, open_sessions: ended, devices } });
  return null;
}
