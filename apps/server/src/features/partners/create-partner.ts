import { recordPartner } from "./partner-audit.ts";
import { insertPartner, type PartnerContent } from "./partner-rows.repository.ts";
import { givePassword, insertPartnerUser, type PartnerUser } from "./partner-users.repository.ts";
import type { PartnerWork } from "./partners.service.ts";

/** A password generated for somebody, as it is told, checked and stored. */
export interface MadePassword {
  readonly password: string;
  readonly hash: string;
  readonly sealFor: (userId: number) => string;
}

/** §4 Partner: creates a partner, and the user that its contact person signs in as. */
export async function createPartnerWithUser(
  work: PartnerWork,
  content: PartnerContent,
  made: MadePassword,
): Promise<{ readonly partnerId: number; readonly user: PartnerUser }> {
  const partnerId = await insertPartner(work.tx, content, work.now);
  const user = await addUser(work, { id: partnerId, ...content }, made);
  await recordPartner(work, {
    action: "CREATE_PARTNER",
    partnerId,
    after: { ...content, user_id: user.id, username: user.username },
  });
  return { partnerId, user };
}

/** Makes the partner's user, named after the partner, with that password. */
export async function addUser(
  { tx, now }: PartnerWork,
  partner: Pick<PartnerContent, "name"> & {
    readonly id: number;
    readonly contact_person: string | null;
    readonly email: string | null;
  },
  made: MadePassword,
): Promise<PartnerUser> {
  const facts = { name: partner.contact_person ?? partner.name, email: partner.email ?? "" };
  const names = { partnerId: partner.id, nameSource: partner.name, passwordHash: made.hash };
  const user = await insertPartnerUser(tx, { ...facts, ...names }, now);
  await givePassword(tx, user.id, { hash: made.hash, sealed: made.sealFor(user.id) }, now);
  return user;
}
