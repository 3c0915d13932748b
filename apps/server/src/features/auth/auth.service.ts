import type { changePassword, login, TokenClaims } from "@suncrew/contract/auth/auth.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { GENERATED_PASSWORD_DAYS, generatedPasswordUntil } from "@suncrew/domain/auth/passwords.ts";
import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { HttpError, invalid, notSignedIn } from "../../platform/http/http-error.ts";
import { endSession, endSessionsOf, forgetOldSessions, openSession, type Viewer } from "../../platform/sessions.ts";
import { type AuditRecord, type GatheredAudit, recordAudit } from "../audit/public.ts";
import {
  type OwnPasswordDependencies,
  type PasswordTries,
  type TryResult,
  withOwnPassword,
} from "./password-attempts.ts";
import { demoSignIns, hashPassword, weakPasswordOf } from "./passwords.ts";
import { type Caller, forgetOldCallers, forgetOldFailures, rememberCaller } from "./sign-in-attempts.repository.ts";
import { tooManySentence } from "./sign-in-limits.ts";
import { type Account, holdAccount, readAccount, readAccountOf, replacePassword } from "./users.repository.ts";

interface SignIn extends Caller {
  readonly username: string;
  readonly password: string;
}

/** An open session, and what its owner is answered. */
interface SignedIn {
  readonly sessionId: string;
  readonly answer: ResponseOf<typeof login>;
}

interface AuthDependencies extends Pick<Dependencies, "db" | "clock" | "settings"> {
  readonly tries: PasswordTries;
  readonly refusals: GatheredAudit;
  readonly sign: (claims: TokenClaims, now: Date) => string;
}

export class AuthService {
  readonly #deps: AuthDependencies;

  constructor(deps: AuthDependencies) {
    this.#deps = deps;
  }

  /**
   * Throws 401 where name and password do not belong together, 403 where the password was generated too long ago, 429 while
   * the account or the address has to wait, and 503 while too many people sign in.
   */
  async signIn(attempt: SignIn, gone: AbortSignal): Promise<SignedIn> {
    const account = await readAccount(this.#deps.db, attempt.username);
    return this.#deps.tries.run({ ...attempt, account }, gone, (result) => this.#answer(result, account, attempt));
  }

  async #answer(result: TryResult, account: Account | null, attempt: SignIn): Promise<SignedIn> {
    const { db, clock, refusals } = this.#deps;
    if (result.kind === "wait") {
      // Nothing slows these down: whoever guesses may send as many as the server answers.
      const who = account === null ? `at ${attempt.address}` : `as ${account.id}`;
      await refusals.record(`sign-in ${who}`, refusalOf(account, attempt, "too many failed sign-ins"));
      throw new HttpError(429, tooManySentence(result.waitMs));
    }
    if (account !== null && result.kind === "right") {
      await this.#refuseLapsed(account, attempt);
      const signedIn = await this.#open(account, attempt);
      if (signedIn !== null) return signedIn;
    }
    const reason = account === null ? "unknown user" : "wrong password";
    await recordAudit(db, { ...refusalOf(account, attempt, reason), at: clock.now() });
    throw new HttpError(401, "Invalid credentials");
  }

  /** Told to nobody who does not have the password. */
  async #refuseLapsed(account: Account, attempt: SignIn): Promise<void> {
    const { db, clock } = this.#deps;
    if (account.passwordMadeAt === null || clock.now() < generatedPasswordUntil(account.passwordMadeAt)) return;
    await recordAudit(db, { ...refusalOf(account, attempt, "lapsed generated password"), at: clock.now() });
    throw new HttpError(403, lapsedSentence(account.role));
  }

  /** Null where the password was changed while it was looked at. */
  async #open(account: Account, caller: Caller): Promise<SignedIn | null> {
    const { clock, settings } = this.#deps;
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + settings.tokenHours * 3_600_000);
    const sid = await this.#deps.db.transaction().execute(async (tx) => {
      if (!(await holdAccount(tx, account))) return null;
      await rememberCaller(tx, settings.secretKey, account.id, caller, now);
      const id = await openSession(tx, { userId: account.id, now, expiresAt });
      await recordAudit(tx, {
        actor: { userId: account.id, name: account.name },
        action: "SIGN_IN",
        entity: "session",
        entityId: id,
        outcome: "DONE",
        after: { address: caller.address },
        at: now,
      });
      return id;
    });
    if (sid === null) return null;
    const { id, username, name, email, role, partnerId, passwordMadeAt } = account;
    const until =
      passwordMadeAt === null ? {} : { password_until: generatedPasswordUntil(passwordMadeAt).toISOString() };
    const exp = Math.floor(expiresAt.getTime() / 1000);
    // Said in what is signed, so that nobody who has the token can leave it out.
    const bound = caller.browser === null ? {} : { bound: true };
    const token = this.#deps.sign({ id, role, email, partnerId, sid, username, exp, ...bound }, now);
    return {
      sessionId: sid,
      answer: { message: "Login successful", token, user: { id, name, email, role }, ...until },
    };
  }

  async signOut(viewer: Viewer): Promise<void> {
    const now = this.#deps.clock.now();
    await this.#deps.db.transaction().execute(async (tx) => {
      if (!(await endSession(tx, viewer.sessionId, now))) return;
      await recordAudit(tx, {
        actor: { userId: viewer.userId, name: viewer.name },
        action: "SIGN_OUT",
        entity: "session",
        entityId: viewer.sessionId,
        outcome: "DONE",
        at: now,
      });
    });
  }
}

function lapsedSentence(role: Account["role"]): string {
  const who =
    role === "PARTNER" ? "Ask a Super Admin to regenerate it" : "`npm run admin` on the server makes a new one";
  return `This password was generated and was valid for ${GENERATED_PASSWORD_DAYS} days. ${who}.`;
}

/** A name that nobody has is not written down: people type passwords into the wrong field. */
function refusalOf(account: Account | null, { address }: SignIn, reason: string): Omit<AuditRecord, "at"> {
  return {
    actor: { userId: account?.id ?? null, name: account?.name ?? "Unknown user" },
    action: "SIGN_IN",
    entity: "session",
    outcome: "REFUSED",
    reason,
    after: { address },
  };
}

type Passwords = BodyOf<typeof changePassword>;

type ChangePasswordParts = Pick<Dependencies, "clock" | "settings"> & OwnPasswordDependencies;

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

const EVERY_MS = 3_600_000;

/** Removes failed sign-ins and known callers that count no more, and sessions long over, every hour. */
export class SignInCleaner implements Service {
  readonly #deps: Dependencies;
  #cancel: Cancel = () => {};
  #work: Promise<void> = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#cancel = this.#deps.clock.every(EVERY_MS, () => {
      this.#work = this.#work.then(() => this.#clean());
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#work;
  }

  async #clean(): Promise<void> {
    const { db, clock, log } = this.#deps;
    try {
      await forgetOldFailures(db, clock.now());
      await forgetOldCallers(db, clock.now());
      await forgetOldSessions(db, clock.now());
    } catch (error) {
      log.warn({ error }, "old sign-ins could not be removed");
    }
  }
}
