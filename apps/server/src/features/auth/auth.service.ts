import type { changePassword, login, TokenClaims } from "@suncrew/contract/auth/auth.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { GENERATED_PASSWORD_DAYS, generatedPasswordUntil } from "@suncrew/domain/auth/passwords.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { HttpError, invalid, notSignedIn } from "../../platform/http/http-error.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import { endSession, endSessionsOf, openSession, type Viewer } from "../../platform/sessions.ts";
import { auditedChange, type AuditRecord, recordChange } from "../audit/public.ts";
import { type AttemptResult, type ConfirmationDependencies, withConfirmedPassword } from "./password-attempts.ts";
import { demoSignIns, hashPassword, weakPasswordOf } from "./passwords.ts";
import { type Caller, forgetOldCallers, forgetOldFailures, rememberCaller } from "./sign-in-attempts.repository.ts";
import { tooManyFailures } from "./sign-in-limits.ts";
import { countLinksOf, forgetOldLinks } from "./wallboard-links.ts";
import { type Account, lockAccount, readAccount, readAccountOf, replacePassword } from "./users.repository.ts";

interface SignIn extends Caller {
  readonly username: string;
  readonly password: string;
}

/** An open session, and the answer to its owner. */
interface SignedIn {
  readonly sessionId: string;
  readonly answer: ResponseOf<typeof login>;
}

interface AuthDependencies extends Pick<Dependencies, "clock" | "settings">, ConfirmationDependencies {
  readonly sign: (claims: TokenClaims, now: Date) => string;
}

/** Signs people in and out, and changes their own passwords. */
export class AuthService {
  readonly #deps: AuthDependencies;

  constructor(deps: AuthDependencies) {
    this.#deps = deps;
  }

  /**
   * Throws 401 for a wrong name or password, 403 if the password was generated too long ago, 429 while the account or
   * the address has to wait, and 503 while too many people sign in.
   */
  async signIn(attempt: SignIn, signal: AbortSignal): Promise<SignedIn> {
    const account = await readAccount(this.#deps.db, attempt.username);
    return this.#deps.attempts.run({ ...attempt, account }, signal, (result) => this.#answer(result, account, attempt));
  }

  async #answer(result: AttemptResult, account: Account | null, attempt: SignIn): Promise<SignedIn> {
    const { db, clock, refusals } = this.#deps;
    if (result.kind === "wait") {
      // Nothing slows these down, so their audit is throttled.
      const who = account === null ? `at ${attempt.address}` : `as ${account.id}`;
      await refusals.record(`sign-in ${who}`, refusalOf(account, attempt, "too many failed sign-ins"));
      throw new HttpError(429, "SIGN_IN_LOCKED", tooManyFailures("failed sign-ins", result.waitMs));
    }
    if (account !== null && result.kind === "right") {
      await this.#refuseExpired(account, attempt);
      const signedIn = await this.#open(account, attempt);
      if (signedIn !== null) return signedIn;
    }
    const reason = account === null ? "unknown user" : "wrong password";
    await recordChange(db, { ...refusalOf(account, attempt, reason), at: clock.now() });
    throw new HttpError(401, "INVALID_CREDENTIALS", "Invalid credentials");
  }

  /** Called only once the password is right, so that nobody else learns that it has expired. */
  async #refuseExpired(account: Account, attempt: SignIn): Promise<void> {
    const { db, clock } = this.#deps;
    if (account.passwordMadeAt === null || clock.now() < generatedPasswordUntil(account.passwordMadeAt)) return;
    await recordChange(db, { ...refusalOf(account, attempt, "lapsed generated password"), at: clock.now() });
    throw new HttpError(403, "PASSWORD_EXPIRED", expiredMessage(account.role));
  }

  /** Null if the password was changed while it was being checked. */
  async #open(account: Account, caller: Caller): Promise<SignedIn | null> {
    const { db, clock, settings } = this.#deps;
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + settings.tokenHours * 3_600_000);
    const sid = await db.transaction().execute(async (tx) => {
      if (!(await lockAccount(tx, account))) return null;
      await rememberCaller(tx, settings.secretKey, account.id, caller, now);
      const sessionId = await openSession(tx, { userId: account.id, now, expiresAt });
      const actor = { userId: account.id, name: account.name };
      const after = { address: caller.address };
      await recordChange(tx, { actor, action: "SIGN_IN", entity: "session", entityId: sessionId, after, at: now });
      return sessionId;
    });
    if (sid === null) return null;
    const { id, username, name, email, role, partnerId, passwordMadeAt } = account;
    const until =
      passwordMadeAt === null ? {} : { password_until: generatedPasswordUntil(passwordMadeAt).toISOString() };
    const exp = Math.floor(expiresAt.getTime() / 1000);
    // Part of the signed claims, so that nobody who has the token can drop it.
    const bound = caller.browser === null ? {} : { bound: true };
    const token = this.#deps.sign({ id, role, email, partnerId, sid, username, exp, ...bound }, now);
    return {
      sessionId: sid,
      answer: { message: "Login successful", token, user: { id, name, email, role }, ...until },
    };
  }

  async signOut(viewer: Viewer): Promise<void> {
    const { db, clock } = this.#deps;
    const at = clock.now();
    const change = { actor: viewer, action: "SIGN_OUT", entity: "session", entityId: viewer.sessionId, at };
    await auditedChange(db, change, async (tx, details) => {
      if (!(await endSession(tx, viewer.sessionId, at))) details.rows = [];
    });
  }

  /**
   * §5 Change password: ends the person's other sessions. Throws 400 with the field named if the current password is
   * wrong (a 401 would sign out) or the new one weak, and 429 after too many wrong ones, here or at sign-in.
   */
  async changePassword(
    viewer: Viewer,
    passwords: BodyOf<typeof changePassword>,
    address: string,
    signal: AbortSignal,
  ): Promise<ResponseOf<typeof changePassword>> {
    const { db, clock } = this.#deps;
    const account = await readAccountOf(db, viewer.userId);
    if (account === null) throw notSignedIn();
    const weak = this.#isDemoSignIn(account, passwords.newPassword)
      ? null
      : weakPasswordOf(passwords.newPassword, account);
    if (weak !== null) throw invalid("newPassword", weak, "WEAK_PASSWORD");
    const change = {
      actor: viewer,
      action: "CHANGE_PASSWORD",
      entity: "user",
      entityId: viewer.userId,
      after: { address },
    };
    const confirmation = {
      viewer,
      account,
      password: passwords.currentPassword,
      field: "currentPassword",
      wrong: "Current password is incorrect",
      address,
      change: { ...change, at: clock.now() },
    };
    return withConfirmedPassword(this.#deps, confirmation, signal, async () => {
      const passwordHash = await hashPassword(passwords.newPassword);
      const at = clock.now();
      return auditedChange(db, { ...change, at }, async (tx, details) => {
        if (!(await replacePassword(tx, account, passwordHash))) {
          details.rows = [];
          return null;
        }
        details.after = { address, other_sessions_ended: await endSessionsOf(tx, [account.id], at, viewer.sessionId) };
        const links = await countLinksOf(tx, account.id);
        return { message: "Password updated successfully", ...(links > 0 && { wallboard_links: links }) };
      });
    });
  }

  /** A demo user may return to the published password. */
  #isDemoSignIn({ username }: Account, password: string): boolean {
    if (this.#deps.settings.mode !== "demo") return false;
    return demoSignIns.some((known) => known.username === username && known.password === password);
  }
}

function expiredMessage(role: Account["role"]): string {
  const how =
    role === "PARTNER" ? "Ask a Super Admin to regenerate it" : "`npm run admin` on the server makes a new one";
  return `This password was generated and was valid for ${GENERATED_PASSWORD_DAYS} days. ${how}.`;
}

/** An unknown username is not recorded: people type passwords into the wrong field. */
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

const CLEAN_EVERY_MS = 3_600_000;

/** Removes failed sign-ins, known callers and links to wallboards that no longer count, every hour. */
export function signInCleaner(deps: Dependencies): Service {
  const { db, clock } = deps;
  const work = async () => {
    await forgetOldFailures(db, clock.now());
    await forgetOldCallers(db, clock.now());
    await forgetOldLinks(db, clock.now());
  };
  return new PeriodicTasks(deps, [{ name: "old sign-ins", everyMs: CLEAN_EVERY_MS, work }]);
}
