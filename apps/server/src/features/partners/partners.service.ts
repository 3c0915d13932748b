import type {
  createPartner,
  deletePartner,
  resetPartnerPassword,
  updatePartner,
} from "@suncrew/contract/partners/partners.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { type HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { generatePassword, hashPassword, StoredPasswords } from "../auth/public.ts";
import { createPartnerWithUser, type MadePassword } from "./create-partner.ts";
import { deletePartnerOf } from "./delete-partner.ts";
import { lockPartner, type PartnerContent, type PartnerRow } from "./partner-rows.repository.ts";
import { resetPasswordOf } from "./reset-password.ts";
import { updatePartnerOf } from "./update-partner.ts";

/** What every change of a partner works with. */
export interface PartnerWork {
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
