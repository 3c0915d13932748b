import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  createPartner,
  deletePartner,
  resetPartnerPassword,
  updatePartner,
} from "@suncrew/contract/partners/partners.ts";
import { assignedSitesMessage } from "@suncrew/domain/partners/partners.ts";
import { announceChange } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, notFound } from "../../platform/http/http-error.ts";
import { SealedSecrets } from "../../platform/sealed-secrets.ts";
import { endSessionsOf, type Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ChangeDetails } from "../audit/public.ts";
import { forgetAttemptsOf, generatePassword, hashPassword } from "../auth/public.ts";
import {
  deletePartnerRow,
  deleteUsers,
  insertPartner,
  insertPartnerUser,
  lockPartner,
  lockUsersOf,
  type PartnerContent,
  type PartnerRow,
  type PartnerUser,
  returnDevices,
  setGeneratedPassword,
  siteNamesOf,
  updatePartnerRow,
  updateUsersOf,
} from "./partners.repository.ts";

/** A password generated for somebody: in clear, hashed, and encrypted for the user who gets it. */
interface GeneratedPassword {
  readonly password: string;
  readonly hash: string;
  readonly sealFor: (userId: number) => string;
}

interface PartnerChange {
  readonly tx: Tx;
  readonly partner: PartnerRow;
  readonly details: ChangeDetails;
  readonly now: Date;
}

/** Administration of partners and their users; the permission table admits only Super Admins. */
export class PartnersService {
  readonly #deps: Dependencies;
  /** Until their users set their own, generated passwords are readable for Super Admins. */
  readonly #stored: SealedSecrets;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#stored = new SealedSecrets(deps.settings.secretKey, "generated passwords");
  }

  /** §4 Partner: creates a partner, and the user that its contact person signs in as. */
  async create(viewer: Viewer, content: PartnerContent): Promise<ResponseOf<typeof createPartner>> {
    const generated = await this.#generatePassword();
    const now = this.#deps.clock.now();
    const change = { actor: viewer, action: "CREATE_PARTNER", entity: "partner", at: now };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const partnerId = await insertPartner(tx, content, now);
      const user = await addUser(tx, { id: partnerId, ...content }, generated, now);
      details.entityId = partnerId;
      details.after = { ...content, user_id: user.id, username: user.username };
      return {
        message: "Partner created successfully",
        partnerId,
        userId: user.id,
        credentials: { username: user.username, password: generated.password },
      };
    });
  }

  /** The user takes over the contact person and the email. Throws 404, and 409 after a concurrent edit. */
  async update(
    viewer: Viewer,
    partnerId: number,
    { version, ...edit }: BodyOf<typeof updatePartner>,
  ): Promise<ResponseOf<typeof updatePartner>> {
    await this.#change(viewer, "UPDATE_PARTNER", partnerId, async ({ tx, partner, details }) => {
      const before = contentOf(partner);
      details.before = before;
      // An omitted field keeps its value.
      details.after = { ...before, ...edit };
      if (version !== undefined && version !== partner.version) throw editConflict("partner");
      await updatePartnerRow(tx, partnerId, edit);
      await updateUsersOf(tx, partnerId, { name: edit.contact_person, email: edit.email });
      // Live streams send its sites again, with its new name.
      await announceChange(tx);
    });
    return { message: "Partner updated successfully" };
  }

  /**
   * Deletes a partner and its user, whose sessions end. Its devices, all of them free, return to the operator; its
   * history stays readable. Throws 404, and 409 for In-house and while sites are assigned.
   */
  async delete(viewer: Viewer, partnerId: number): Promise<ResponseOf<typeof deletePartner>> {
    await this.#change(viewer, "DELETE_PARTNER", partnerId, async ({ tx, partner, details, now }) => {
      const content = contentOf(partner);
      details.before = content;
      if (partner.built_in) {
        throw conflict("PARTNER_BUILT_IN", `${partner.name} belongs to every installation and cannot be deleted.`);
      }
      const refusal = assignedSitesMessage(await siteNamesOf(tx, partnerId));
      if (refusal !== null) throw conflict("PARTNER_HAS_SITES", refusal);
      const users = await lockUsersOf(tx, partnerId);
      const userIds = users.map(({ id }) => id);
      await deletePartnerRow(tx, partnerId, now);
      const devices = await returnDevices(tx, partnerId);
      await deleteUsers(tx, userIds, now);
      const open_sessions = await endSessionsOf(tx, userIds, now);
      details.before = { ...content, usernames: users.map(({ username }) => username), open_sessions, devices };
    });
    return { message: "Partner deleted successfully" };
  }

  /**
   * Gives the partner's user a new password, which ends its sessions and any lockout after wrong passwords. A partner
   * without a user gets one. Throws 404, and 409 for In-house.
   */
  async resetPassword(viewer: Viewer, partnerId: number): Promise<ResponseOf<typeof resetPartnerPassword>> {
    const generated = await this.#generatePassword();
    await this.#change(viewer, "RESET_PASSWORD", partnerId, async ({ tx, partner, details, now }) => {
      if (partner.built_in)
        throw conflict("PARTNER_BUILT_IN", `${partner.name} has no sign-in, so it has no password.`);
      const [known] = await lockUsersOf(tx, partnerId);
      if (known !== undefined) await setGeneratedPassword(tx, known.id, generated, now);
      const user = known ?? (await addUser(tx, partner, generated, now));
      const sessions_ended = await endSessionsOf(tx, [user.id], now);
      await forgetAttemptsOf(tx, this.#deps.settings.secretKey, user);
      details.after = { user_id: user.id, username: user.username, made_user: known === undefined, sessions_ended };
    });
    return { message: "Password reset successfully", newPassword: generated.password };
  }

  /** A user's generated password; null if it cannot be decrypted. */
  readPassword(userId: number, encrypted: string): string | null {
    const password = this.#stored.open(`user ${userId}`, encrypted);
    if (password === null) {
      this.#deps.log.warn({ userId }, "a generated password cannot be read: was SECRET_KEY changed? Reset it");
    }
    return password;
  }

  /** Throws 404. */
  async #change(
    viewer: Viewer,
    action: string,
    partnerId: number,
    work: (change: PartnerChange) => Promise<void>,
  ): Promise<void> {
    const now = this.#deps.clock.now();
    const change = { actor: viewer, action, entity: "partner", entityId: partnerId, at: now };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const partner = await lockPartner(tx, partnerId);
      if (partner === null) throw notFound("Partner");
      await work({ tx, partner, details, now });
    });
  }

  async #generatePassword(): Promise<GeneratedPassword> {
    const password = generatePassword();
    const sealFor = (userId: number) => this.#stored.seal(`user ${userId}`, password);
    return { password, hash: await hashPassword(password), sealFor };
  }
}

/** Creates the partner's user, named after the partner, with that password. */
async function addUser(
  tx: Tx,
  partner: Pick<PartnerRow, "id" | "name" | "contact_person" | "email">,
  generated: GeneratedPassword,
  now: Date,
): Promise<PartnerUser> {
  const contact = { name: partner.contact_person ?? partner.name, email: partner.email ?? "" };
  const names = { partnerId: partner.id, nameSource: partner.name, passwordHash: generated.hash };
  const user = await insertPartnerUser(tx, { ...contact, ...names }, now);
  await setGeneratedPassword(tx, user.id, generated, now);
  return user;
}

/** The fields that people enter, for the audit. */
function contentOf(partner: PartnerRow) {
  const { name, contact_person, email, contact_info, address, city, state, zip_code, country } = partner;
  const { registration, tax_id, certifications, status } = partner;
  const place = { address, city, state, zip_code, country };
  return { name, contact_person, email, contact_info, ...place, registration, tax_id, certifications, status };
}
