import type { Admin, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, HttpError, notFound, notSignedIn } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditedChange, auditedChange } from "../audit/public.ts";
import { type ConfirmationDependencies, withConfirmedPassword } from "./password-attempts.ts";
import { demoSignIns, generatePassword, hashPassword } from "./passwords.ts";
import {
  type AdminChange,
  deleteAdmin,
  insertAdmin,
  lockAccount,
  lockAdmin,
  readAccountOf,
  readAdmins,
  setAdminPassword,
} from "./users.repository.ts";

type AdminsDependencies = Pick<Dependencies, "clock" | "settings"> & ConfirmationDependencies;

/** Who changes Super Admins, from where, and what they typed as their own password. */
interface AdminCall {
  readonly viewer: Viewer;
  readonly password: string;
  readonly address: string;
  readonly signal: AbortSignal;
}

type Target = NonNullable<Awaited<ReturnType<typeof lockAdmin>>>;

/** Super Admins create, reset and remove each other; the caller confirms with the own password. */
export class AdminsService {
  readonly #deps: AdminsDependencies;

  constructor(deps: AdminsDependencies) {
    this.#deps = deps;
  }

  list(): Promise<Admin[]> {
    return readAdmins(this.#deps.db, this.#deps.clock.now());
  }

  /** Throws 409 with the field named if the username is taken. */
  async create(call: AdminCall, body: BodyOf<typeof createAdmin>): Promise<ResponseOf<typeof createAdmin>> {
    const { username, name } = body;
    const admin = { username, name, email: body.email ?? "" };
    const password = generatePassword();
    const hash = await hashPassword(password);
    const adminId = await this.#change(call, { action: "CREATE_ADMIN", after: admin }, async (change) => {
      const id = await insertAdmin(change, admin, hash);
      if (id !== null) return id;
      const message = `Somebody already has the username ${username}.`;
      throw new HttpError(409, "USERNAME_TAKEN", message, { errors: [{ field: "username", message }] });
    });
    return { message: `The Super Admin ${username} was added.`, adminId, credentials: { username, password } };
  }

  /** Throws 404, and 409 for oneself and the demo's own user. */
  async resetPassword(call: AdminCall, id: number): Promise<ResponseOf<typeof resetAdminPassword>> {
    const password = generatePassword();
    const hash = await hashPassword(password);
    const { username } = await this.#changeOther(call, "RESET_PASSWORD", id, async (change, admin) => {
      await setAdminPassword(change, admin, hash, this.#deps.settings.secretKey);
    });
    return { message: `${username} has a new password and was signed out.`, credentials: { username, password } };
  }

  /** Throws 404, and 409 for oneself and the demo's own user; so at least one always remains. */
  async remove(call: AdminCall, id: number): Promise<ResponseOf<typeof removeAdmin>> {
    const { username } = await this.#changeOther(call, "DELETE_ADMIN", id, deleteAdmin);
    return { message: `The Super Admin ${username} was removed and signed out.` };
  }

  async #changeOther(
    call: AdminCall,
    action: string,
    id: number,
    work: (change: AdminChange, admin: Target) => Promise<void>,
  ): Promise<Target> {
    return this.#change(call, { action, entityId: id }, async (change) => {
      const admin = await lockAdmin(change.tx, id);
      if (admin === null) throw notFound("Super Admin");
      const refusal = this.#refusalOf(call.viewer, action, admin);
      if (refusal !== null) throw refusal;
      await work(change, admin);
      return admin;
    });
  }

  #refusalOf({ userId }: Viewer, action: string, { id, username }: Target): HttpError | null {
    if (id === userId) {
      return conflict(
        "OWN_ACCOUNT",
        action === "DELETE_ADMIN"
          ? "You cannot remove yourself. Another Super Admin can."
          : "Your own password is changed on your profile page.",
      );
    }
    const isKnown = this.#deps.settings.mode === "demo" && demoSignIns.some((known) => known.username === username);
    return isKnown ? conflict("DEMO_ACCOUNT", `${username} belongs to the demo and stays as it is.`) : null;
  }

  /** Throws 400 and 429 for a password that is not the caller's, and 401 if the caller has just been removed. */
  async #change<T>(
    { viewer, password, address, signal }: AdminCall,
    about: Pick<AuditedChange, "action" | "entityId" | "after">,
    work: (change: AdminChange) => Promise<T & {}>,
  ): Promise<T> {
    const { db, clock } = this.#deps;
    const account = await readAccountOf(db, viewer.userId);
    if (account === null) throw notSignedIn();
    const change = { actor: viewer, entity: "user", ...about, after: { ...about.after, address } };
    const confirmation = {
      viewer,
      account,
      password,
      field: "password",
      wrong: "Your password is incorrect",
      address,
      change: { ...change, at: clock.now() },
    };
    return withConfirmedPassword(this.#deps, confirmation, signal, () => {
      const at = clock.now();
      return auditedChange(db, { ...change, at }, async (tx, details) => {
        // Also if somebody removes the caller at this moment.
        if (!(await lockAccount(tx, account))) throw notSignedIn();
        return work({ tx, details, at });
      });
    });
  }
}
