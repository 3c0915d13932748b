import { availableParallelism } from "node:os";
import type { Db } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { FairQueue } from "../../platform/fair-queue.ts";
import { HttpError, invalid } from "../../platform/http/http-error.ts";
import { KeyedMutex } from "../../platform/keyed-mutex.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditedChange, recordChange, type ThrottledAudit } from "../audit/public.ts";
import { hashOfNobody, passwordMatches } from "./passwords.ts";
import {
  AttemptKeys,
  type Caller,
  countAttempt,
  type Counted,
  findKnownCaller,
  forgetFailure,
  takeTurn,
} from "./sign-in-attempts.repository.ts";
import { accountLimit, addressLimit, everybodyLimit, tooManyFailures } from "./sign-in-limits.ts";
import type { Account } from "./users.repository.ts";

interface PasswordAttempt extends Caller {
  /** As typed; the account's own if it exists. */
  readonly username: string;
  /** Null if no account has that name. */
  readonly account: Account | null;
  readonly password: string;
}

/** `wait`: the password was not checked, nor will any be for this many milliseconds. */
export type AttemptResult = { readonly kind: "right" | "wrong" } | { readonly kind: "wait"; readonly waitMs: number };

/** Checking a password takes a core for some hundredths of a second, and must not take the cores that robots need. */
const CHECKED_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
const WAITING_PER_ADDRESS = 120;
/** The last in a queue of this length waits a minute on a small machine. */
const WAITING = 2_000;

/** Checks the passwords that people type, and slows down guessing, wherever they are typed. */
export class PasswordAttempts {
  readonly #deps: Dependencies;
  readonly #hashOfNobody = hashOfNobody();
  readonly #mutex = new KeyedMutex();
  readonly #queue = new FairQueue({
    maxConcurrent: CHECKED_AT_ONCE,
    maxWaitingPerPerson: WAITING_PER_ADDRESS,
    maxWaiting: WAITING,
    refusal: () =>
      new HttpError(
        503,
        "SIGN_IN_BUSY",
        "Too many people are signing in at this moment. Please try again in a minute.",
      ),
  });

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Checks a password and hands the result to `use`; the next attempt of the same caller at the same name waits until
   * `use` is done. Throws 503 if too many are waiting. An attempt whose caller has disconnected is not checked.
   */
  async run<T>(attempt: PasswordAttempt, signal: AbortSignal, use: (result: AttemptResult) => Promise<T>): Promise<T> {
    return this.#queue.run({ person: attempt.address, team: attempt.address }, signal, async () => {
      const { db, clock, settings } = this.#deps;
      // Queried for unknown users as well, so that timing does not reveal names.
      const known = await findKnownCaller(db, settings.secretKey, attempt.account?.id ?? 0, attempt, clock.now());
      const keys = new AttemptKeys(settings.secretKey, attempt.account?.username ?? attempt.username);
      const caller = keys.caller(known ?? attempt.address);
      const shared = { address: `address:${attempt.address}`, account: keys.account };
      // Right passwords that arrive together must not count as each other's failures.
      return this.#mutex.run(caller, async () =>
        use(await this.#check(attempt, caller, known === null ? shared : null)),
      );
    });
  }

  /** `shared`: keys that the attempt counts against together with others; none for a caller that the account knows. */
  async #check(attempt: PasswordAttempt, caller: string, shared: SharedKeys | null): Promise<AttemptResult> {
    const { db, clock } = this.#deps;
    if (shared !== null) {
      const waitMs = await takeTurn(db, shared.account, caller, clock.now());
      if (waitMs !== null) return { kind: "wait", waitMs };
    }
    const own = { key: caller, limit: accountLimit };
    // The account first, the order in which `takeTurn` locks.
    const counted: Counted[] =
      shared === null
        ? [own]
        : [{ key: shared.account, limit: everybodyLimit }, own, { key: shared.address, limit: addressLimit }];
    const waitMs = await countAttempt(db, counted, clock.now());
    if (waitMs !== null) return { kind: "wait", waitMs };
    // The same work for a nonexistent user, so that timing does not reveal names.
    const hash = attempt.account?.passwordHash ?? (await this.#hashOfNobody);
    const matches = await passwordMatches(hash, attempt.password);
    if (attempt.account === null || !matches) return { kind: "wrong" };
    await forgetFailure(db, caller, shared === null ? [] : [shared.address, shared.account]);
    return { kind: "right" };
  }
}

interface SharedKeys {
  readonly address: string;
  readonly account: string;
}

/** A signed-in person's own password, typed again for something that an open console alone does not allow. */
interface PasswordConfirmation {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly password: string;
  /** The form field it was typed into, and the message there for a wrong one. */
  readonly field: string;
  readonly wrong: string;
  readonly address: string;
  /** What is recorded as refused if the password is wrong. */
  readonly change: AuditedChange;
}

export interface ConfirmationDependencies {
  readonly db: Db;
  readonly attempts: PasswordAttempts;
  readonly refusals: ThrottledAudit;
}

/**
 * Runs `work` if the password is right; resolves to null if the password was replaced while it was being checked.
 * Throws 400 with the field named for a wrong password (a 401 would sign out), and 429 after too many wrong ones, here
 * or at sign-in.
 */
export async function withConfirmedPassword<T>(
  { db, attempts, refusals }: ConfirmationDependencies,
  { viewer, account, password, field, wrong, address, change }: PasswordConfirmation,
  signal: AbortSignal,
  work: () => Promise<T | null>,
): Promise<T> {
  const attempt = { username: account.username, account, password, address, browser: null };
  return attempts.run(attempt, signal, async (result) => {
    if (result.kind === "wait") {
      const refusal = { ...change, outcome: "REFUSED", reason: "too many wrong passwords" } as const;
      await refusals.record(`password of ${viewer.userId}`, refusal);
      throw new HttpError(429, "PASSWORD_CHECK_LOCKED", tooManyFailures("wrong passwords", result.waitMs));
    }
    const done = result.kind === "right" ? await work() : null;
    if (done !== null) return done;
    await recordChange(db, change, "wrong password");
    throw invalid(field, wrong, "WRONG_PASSWORD");
  });
}
