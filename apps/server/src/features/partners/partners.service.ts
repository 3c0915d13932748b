import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  createPartner,
  deletePartner,
  resetPartnerPassword,
  updatePartner,
} from "@suncrew/contract/partners/partners.ts";
import { assignedSitesSentence } from "@suncrew/domain/partners/partners.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import { endSessionsOf, type Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { forgetTriesOf, generatePassword, hashPassword, StoredPasswords } from "../auth/public.ts";
import {
  changePartner,
  changeUsersOf,
  givePassword,
  insertPartner,
  insertPartnerUser,
  lockPartner,
  lockUsersOf,
  type PartnerContent,
  type PartnerRow,
  type PartnerUser,
  removePartner,
  removeUsers,
  showOnSites,
  siteNamesOf,
  takeDevicesBack,
} from "./partners.repository.ts";

/** What every change of a partner works with. */
interface PartnerWork {
  readonly tx: Tx;
  readonly viewer: Viewer;
  readonly now: Date;
}

/** Administration of partners and their users; the permission table has let only Super Admins come here. */
export class PartnersService {
  readonly #deps: Dependencies;
  readonly #stored: StoredPasswords;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#stored = new StoredPasswords(deps.settings.secretKey);
  }

  async create(viewer: Viewer, content: PartnerContent): Promise<ResponseOf<typeof createPartner>> {
    const made = await this.#makePassword();
    const { partnerId, user } = await transactionWithRetry(this.#deps.db, (tx) =>
      createPartnerWithUser(this.#work(tx, viewer), content, made),
    );
    return {
      message: "Partner created successfully",
      partnerId,
      userId: user.id,
      credentials: { username: user.username, password: made.password },
    };
  }

  /** Throws 404, and 409 where another edit came between. */
  async update(
    viewer: Viewer,
    partnerId: number,
    body: BodyOf<typeof updatePartner>,
  ): Promise<ResponseOf<typeof updatePartner>> {
    await this.#change(viewer, partnerId, (work, partner) => updatePartnerOf(work, partner, body));
    return { message: "Partner updated successfully" };
  }

  /** Throws 404, and 409 for In-house and while sites are assigned. */
  async delete(viewer: Viewer, partnerId: number): Promise<ResponseOf<typeof deletePartner>> {
    await this.#change(viewer, partnerId, deletePartnerOf);
    return { message: "Partner deleted successfully" };
  }

  /** Throws 404, and 409 for In-house. */
  async resetPassword(viewer: Viewer, partnerId: number): Promise<ResponseOf<typeof resetPartnerPassword>> {
    const made = await this.#makePassword();
    const { secretKey } = this.#deps.settings;
    await this.#change(viewer, partnerId, (work, partner) => resetPasswordOf(work, partner, made, secretKey));
    return { message: "Password reset successfully", newPassword: made.password };
  }

  /** A user's generated password; null where it cannot be read. */
  readPassword(userId: number, sealed: string): string | null {
    const password = this.#stored.open(userId, sealed);
    if (password === null) {
      this.#deps.log.warn({ userId }, "a generated password cannot be read: was SECRET_KEY changed? Reset it");
    }
    return password;
  }

  /** Runs a change of a partner that is there. What it refuses it has put on record, so that is thrown after the commit. */
  async #change(
    viewer: Viewer,
    partnerId: number,
    work: (work: PartnerWork, partner: PartnerRow) => Promise<HttpError | null>,
  ): Promise<void> {
    const refusal = await transactionWithRetry(this.#deps.db, async (tx) => {
      const partner = await lockPartner(tx, partnerId);
      if (partner === null) throw notFound("Partner");
      return work(this.#work(tx, viewer), partner);
    });
    if (refusal !== null) throw refusal;
  }

  #work(tx: Tx, viewer: Viewer): PartnerWork {
    return { tx, viewer, now: this.#deps.clock.now() };
  }

  async #makePassword(): Promise<MadePassword> {
    const password = generatePassword();
    return {
      password,
      hash: await hashPassword(password),
      sealFor: (userId) => this.#stored.seal(userId, password),
    };
  }
}

/** A password generated for somebody, as it is told, checked and stored. */
interface MadePassword {
  readonly password: string;
  readonly hash: string;
  readonly sealFor: (userId: number) => string;
}

/** §4 Partner: creates a partner, and the user that its contact person signs in as. */
async function createPartnerWithUser(
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
async function addUser(
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

/** Changes a partner's record. Its user takes over the contact person and the e-mail, its sites show the new name. */
async function updatePartnerOf(
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

/**
 * Deletes a partner that maintains no site, with its user, whose sessions end. Its devices, which are all free, go back to
 * the operator; its history stays readable.
 */
async function deletePartnerOf(work: PartnerWork, partner: PartnerRow): Promise<HttpError | null> {
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

/**
 * Gives the partner's user a new password, which ends its sessions and any lock-out for wrong passwords. A partner that
 * has no user yet gets one.
 */
async function resetPasswordOf(
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

interface PartnerRecord {
  readonly action: "CREATE_PARTNER" | "UPDATE_PARTNER" | "DELETE_PARTNER" | "RESET_PASSWORD";
  readonly partnerId: number;
  /** Why nothing was done; left out where it was. */
  readonly refused?: string;
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
}

/** Puts a change of a partner on record, done or refused. */
async function recordPartner({ tx, viewer, now }: PartnerWork, record: PartnerRecord): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: record.action,
    entity: "partner",
    entityId: record.partnerId,
    outcome: record.refused === undefined ? "DONE" : "REFUSED",
    reason: record.refused ?? null,
    before: record.before ?? null,
    after: record.after ?? null,
    at: now,
  });
}

/** What people type about a partner, to be kept as it was. */
function contentOf(partner: PartnerRow) {
  const { name, contact_person, email, contact_info, address, city, state, zip_code, country } = partner;
  const { registration, tax_id, certifications, status } = partner;
  const place = { address, city, state, zip_code, country };
  return { name, contact_person, email, contact_info, ...place, registration, tax_id, certifications, status };
}
