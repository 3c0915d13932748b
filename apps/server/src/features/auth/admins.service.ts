import type { Admin, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { conflict, HttpError, notFound, notSignedIn } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditRecord, recordAudit } from "../audit/public.ts";
import {
  type AdminWork,
  deleteAdmin,
  giveAdminPassword,
  holdAccount,
  insertAdmin,
  lockAdmin,
  readAccountOf,
  readAdmins,
} from "./users.repository.ts";
import { demoSignIns, generatePassword, hashPassword } from "./passwords.ts";
import { type OwnPasswordDependencies, withOwnPassword } from "./password-attempts.ts";

export type AdminsParts = Pick<Dependencies, "clock" | "settings"> & OwnPasswordDependencies;

/** Who changes Super Admins, from where, and with what they typed as their own password. */
export interface AdminCall {
  readonly viewer: Viewer;
  readonly password: string;
  readonly address: string;
  readonly gone: AbortSignal;
}

type Target = NonNullable<Awaited<ReturnType<typeof lockAdmin>>>;

/** Super Admins make, reset and remove each other; whoever asks types the own password again. */
export class AdminsService {
  readonly #deps: AdminsParts;

  constructor(deps: AdminsParts) {
    this.#deps = deps;
  }

  list(): Promise<Admin[]> {
    return readAdmins(this.#deps.db, this.#deps.clock.now());
  }

  /** Throws 409 with the field named where somebody has the username. */
  async create(call: AdminCall, body: BodyOf<typeof createAdmin>): Promise<ResponseOf<typeof createAdmin>> {
    const { username, name } = body;
    const admin = { username, name, email: body.email ?? "" };
    const password = generatePassword();
    const hash = await hashPassword(password);
    const about = { action: "CREATE_ADMIN", after: admin };
    const made = await this.#do(call, about, (work) => insertAdmin(work, admin, hash));
    if (made === null) {
      const message = `Somebody has the username ${username} already.`;
      await recordAudit(this.#deps.db, { ...this.#refused(call, about), reason: message });
      throw new HttpError(409, message, { errors: [{ field: "username", message }] });
    }
    return { message: `The Super Admin ${username} was added.`, adminId: made, credentials: { username, password } };
  }

  /** Throws 404, and 409 for oneself and the demo's own. */
  async resetPassword(call: AdminCall, id: number): Promise<ResponseOf<typeof resetAdminPassword>> {
    const password = generatePassword();
    const hash = await hashPassword(password);
    const { username } = await this.#change(call, "RESET_PASSWORD", id, async (work, admin) => {
      await giveAdminPassword(work, admin, hash, this.#deps.settings.secretKey);
    });
    return { message: `${username} has a new password and was signed out.`, credentials: { username, password } };
  }

  /** Throws 404, and 409 for oneself and the demo's own; so somebody always remains. */
  async remove(call: AdminCall, id: number): Promise<ResponseOf<typeof removeAdmin>> {
    const { username } = await this.#change(call, "DELETE_ADMIN", id, deleteAdmin);
    return { message: `The Super Admin ${username} was removed and signed out.` };
  }

  async #change(
    call: AdminCall,
    action: string,
    id: number,
    change: (work: AdminWork, admin: Target) => Promise<void>,
  ): Promise<Target> {
    const about = { action, entityId: id };
    const done = await this.#do(call, about, async (work) => {
      const admin = await lockAdmin(work.tx, id);
      if (admin === null) throw notFound("Super Admin");
      const refusal = this.#refusalOf(call.viewer, action, admin);
      if (refusal === null) await change(work, admin);
      else await recordAudit(work.tx, { ...this.#refused(call, about), reason: refusal });
      return { admin, refusal };
    });
    if (done.refusal !== null) throw conflict(done.refusal);
    return done.admin;
  }

  #refusalOf({ userId }: Viewer, action: string, { id, username }: Target): string | null {
    if (id === userId) {
      return action === "DELETE_ADMIN"
        ? "You cannot remove yourself. Another Super Admin can."
        : "Your own password is changed on your profile page.";
    }
    const isKnown = this.#deps.settings.mode === "demo" && demoSignIns.some((known) => known.username === username);
    return isKnown ? `${username} belongs to the demo and stays as it is.` : null;
  }

  /** Throws 400 and 429 for a password that is not the caller's, 401 where the caller was removed meanwhile. */
  async #do<T>(call: AdminCall, about: About, change: (work: AdminWork) => Promise<T>): Promise<T> {
    const { db, clock } = this.#deps;
    const { viewer, password, address, gone } = call;
    const account = await readAccountOf(db, viewer.userId);
    if (account === null) throw notSignedIn();
    const actor = { userId: viewer.userId, name: viewer.name };
    const inTime = async (tx: Tx) => {
      // Also where somebody removes the caller at this moment.
      if (!(await holdAccount(tx, account))) throw notSignedIn();
      return { result: await change({ tx, actor, at: clock.now() }) };
    };
    const refused = this.#refused(call, about);
    const typed = {
      viewer,
      account,
      password,
      field: "password",
      wrong: "Your password is incorrect",
      address,
      refused,
    };
    const { result } = await withOwnPassword(this.#deps, typed, gone, () => transactionWithRetry(db, inTime));
    return result;
  }

  #refused({ viewer, address }: AdminCall, about: About): AuditRecord {
    return {
      actor: { userId: viewer.userId, name: viewer.name },
      entity: "user",
      outcome: "REFUSED",
      ...about,
      after: { ...about.after, address },
      at: this.#deps.clock.now(),
    };
  }
}

interface About {
  readonly action: string;
  readonly entityId?: number;
  readonly after?: Record<string, unknown>;
}
