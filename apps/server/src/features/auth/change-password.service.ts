import type { changePassword } from "@suncrew/contract/auth/auth.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { invalid, notSignedIn } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { endSessionsOf, type Viewer } from "../../platform/sessions.ts";
import { type AuditRecord, recordAudit } from "../audit/public.ts";
import { demoSignIns } from "./demo-sign-ins.ts";
import { type OwnPasswordDependencies, withOwnPassword } from "./own-password.ts";
import { hashPassword } from "./passwords.ts";
import { type Account, readAccountOf, replacePassword } from "./users.repository.ts";
import { weakPasswordOf } from "./weak-password.ts";

type Passwords = BodyOf<typeof changePassword>;

export type ChangePasswordParts = Pick<Dependencies, "clock" | "settings"> & OwnPasswordDependencies;

/** §5 Change password: people give themselves a new password, which ends their other sessions. */
export class ChangePasswordService {
  readonly #deps: ChangePasswordParts;

  constructor(deps: ChangePasswordParts) {
    this.#deps = deps;
  }

  /**
   * Throws 400 with the field named where the current password is wrong (a 401 would sign out) or the new one weak, 429 where too many
   * wrong ones were tried, here or at sign-in.
   */
  async change(
    viewer: Viewer,
    passwords: Passwords,
    address: string,
    gone: AbortSignal,
  ): Promise<ResponseOf<typeof changePassword>> {
    const account = await readAccountOf(this.#deps.db, viewer.userId);
    if (account === null) throw notSignedIn();
    const weak = this.#isKnownInDemo(account, passwords.newPassword)
      ? null
      : weakPasswordOf(passwords.newPassword, account);
    if (weak !== null) throw invalid("newPassword", weak);
    const typed = {
      viewer,
      account,
      password: passwords.currentPassword,
      field: "currentPassword",
      wrong: "Current password is incorrect",
      address,
      refused: this.#record(viewer, address),
    };
    return withOwnPassword(this.#deps, typed, gone, async () => {
      const isDone = await this.#replace(viewer, account, passwords.newPassword, address);
      return isDone ? { message: "Password updated successfully" } : null;
    });
  }

  /** A demo's known sign-in may be had back. */
  #isKnownInDemo({ username }: Account, password: string): boolean {
    if (this.#deps.settings.mode !== "demo") return false;
    return demoSignIns.some((known) => known.username === username && known.password === password);
  }

  /** False where the password was changed or reset while it was looked at. */
  async #replace(viewer: Viewer, account: Account, newPassword: string, address: string): Promise<boolean> {
    const passwordHash = await hashPassword(newPassword);
    return this.#deps.db.transaction().execute(async (tx) => {
      if (!(await replacePassword(tx, account, passwordHash))) return false;
      const record = this.#record(viewer, address);
      const ended = await endSessionsOf(tx, [account.id], record.at, viewer.sessionId);
      await recordAudit(tx, { ...record, outcome: "DONE", after: { address, other_sessions_ended: ended } });
      return true;
    });
  }

  #record(viewer: Viewer, address: string): AuditRecord {
    return {
      actor: { userId: viewer.userId, name: viewer.name },
      action: "CHANGE_PASSWORD",
      entity: "user",
      entityId: viewer.userId,
      outcome: "REFUSED",
      after: { address },
      at: this.#deps.clock.now(),
    };
  }
}
