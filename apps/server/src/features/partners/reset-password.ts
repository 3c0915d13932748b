import { conflict, type HttpError } from "../../platform/http/http-error.ts";
import { endSessionsOf } from "../../platform/sessions.ts";
import { forgetTriesOf } from "../auth/public.ts";
import { addUser, type MadePassword } from "./create-partner.ts";
import { recordPartner } from "./partner-audit.ts";
import type { PartnerRow } from "./partner-rows.repository.ts";
import { givePassword, lockUsersOf } from "./partner-users.repository.ts";
import type { PartnerWork } from "./partners.service.ts";

/**
 * Gives the partner's user a new password, which ends its sessions and any lock-out for wrong passwords. A partner that
 * has no user yet gets one.
 */
export async function resetPasswordOf(
  work: PartnerWork,
  partner: PartnerRow,
  made: MadePassword,
  secretKey: string,
): Promise<HttpError | null> {
  const { tx, now } = work;
  const about = { action: "RESET_PASSWORD", partnerId: partner.id } as const;
  if (partner.built_in) {
    const refused = `${partner.name} has no sign-in, so it has no password.`;
    await recordPartner(work, { ...about, refused });
    return conflict(refused);
  }
  const [known] = await lockUsersOf(tx, partner.id);
  if (known !== undefined) await givePassword(tx, known.id, { hash: made.hash, sealed: made.sealFor(known.id) }, now);
  const user = known ?? (await addUser(work, partner, made));
  const ended = await endSessionsOf(tx, [user.id], now);
  await forgetTriesOf(tx, secretKey, user);
  const after = { user_id: user.id, username: user.username, made_user: known === undefined, sessions_ended: ended };
  await recordPartner(work, { ...about, after });
  return null;
}
