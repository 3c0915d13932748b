import { createHmac } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Db, Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { FairQueue } from "../../platform/fair-queue.ts";
import { HttpError, invalid } from "../../platform/http/http-error.ts";
import { KeyedMutex } from "../../platform/keyed-mutex.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditRecord, type GatheredAudit, recordAudit } from "../audit/public.ts";
import { hashOfNobody, passwordMatches } from "./passwords.ts";
import {
  type Caller,
  type Counted,
  countTry,
  forgetAccount,
  forgetCallersOf,
  forgetTry,
  knownAs,
  takeTurn,
} from "./sign-in-attempts.repository.ts";
import { accountLimit, addressLimit, everybodyLimit, tooManyWrongSentence } from "./sign-in-limits.ts";
import type { Account } from "./users.repository.ts";

interface PasswordTry extends Caller {
  /** As it was typed; the account's own where there is one. */
  readonly username: string;
  /** Null where nobody has that name. */
  readonly account: Account | null;
  readonly password: string;
}

/** What a try came to; `wait` is for how many milliseconds none is looked at. */
export type TryResult = { readonly kind: "right" | "wrong" } | { readonly kind: "wait"; readonly waitMs: number };

/** A password takes a core for some hundredths of a second, and may not take the cores that robots need. */
const LOOKED_AT_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
const WAITING_PER_ADDRESS = 120;
/** The last of so many has a minute to wait on a small machine. */
const WAITING = 2_000;

/** Looks at passwords that people type, and slows down who guesses, wherever they are typed. */
export class PasswordTries {
  readonly #deps: Dependencies;
  readonly #nobody = hashOfNobody();
  readonly #turns = new KeyedMutex();
  readonly #queue = new FairQueue({
    atOnce: LOOKED_AT_AT_ONCE,
    waitingPerPerson: WAITING_PER_ADDRESS,
    waiting: WAITING,
    refusal: () => new HttpError(503, "Too many people are signing in at this moment. Please try again in a minute."),
  });

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Hands `use` what the try came to; the next try of the same caller at the same name waits until `use` is done.
   * Throws 503 where too many wait already; nobody is looked at who has gone away meanwhile.
   */
  async run<T>(attempt: PasswordTry, gone: AbortSignal, use: (result: TryResult) => Promise<T>): Promise<T> {
    return this.#queue.run({ person: attempt.address, team: attempt.address }, gone, async () => {
      const { db, clock, settings } = this.#deps;
      // Asked for nobody as well, so that time does not tell names.
      const known = await knownAs(db, settings.secretKey, attempt.account?.id ?? 0, attempt, clock.now());
      const keys = new TryKeys(settings.secretKey, attempt.account?.username ?? attempt.username);
      const caller = keys.caller(known ?? attempt.address);
      const others = { address: `address:${attempt.address}`, account: keys.account };
      // Right passwords that arrive together must not count as each other's failures.
      return this.#turns.run(caller, async () =>
        use(await this.#look(attempt, caller, known === null ? others : null)),
      );
    });
  }

  /** `shared` is what the try counts for with others: nothing for a caller that the account knows. */
  async #look(attempt: PasswordTry, caller: string, shared: SharedKeys | null): Promise<TryResult> {
    const { db, clock } = this.#deps;
    if (shared !== null) {
      const waitMs = await takeTurn(db, shared.account, caller, clock.now());
      if (waitMs !== null) return { kind: "wait", waitMs };
    }
    const own = { key: caller, limit: accountLimit };
    // The account first, as a turn takes it.
    const counted: Counted[] =
      shared === null
        ? [own]
        : [{ key: shared.account, limit: everybodyLimit }, own, { key: shared.address, limit: addressLimit }];
    const waitMs = await countTry(db, counted, clock.now());
    if (waitMs !== null) return { kind: "wait", waitMs };
    // The same work for a user who does not exist, so that time does not tell names.
    const matches = await passwordMatches(attempt.account?.passwordHash ?? (await this.#nobody), attempt.password);
    if (attempt.account === null || !matches) return { kind: "wrong" };
    await forgetTry(db, caller, shared === null ? [] : [shared.address, shared.account]);
    return { kind: "right" };
  }
}

interface SharedKeys {
  readonly address: string;
  readonly account: string;
}

/** What failures at a name are counted for: keyed and hashed, because people type passwords into the wrong field. */
class TryKeys {
  readonly account: string;
  readonly callers: string;
  readonly #secretKey: string;

  constructor(secretKey: string, username: string) {
    this.#secretKey = secretKey;
    const hash = this.#hash(`sign-in:${username.toLowerCase()}`);
    this.account = `user:${hash}`;
    this.callers = `caller:${hash}:`;
  }

  caller(of: string): string {
    return `${this.callers}${this.#hash(`sign-in-caller:${of}`)}`;
  }

  #hash(text: string): string {
    return createHmac("sha256", this.#secretKey).update(text).digest("base64url");
  }
}

/**
 * A user whose password somebody else has replaced begins anew, also where guesses had locked it, and is known nowhere:
 * whoever had the former password may be why.
 */
export async function forgetTriesOf(
  db: Executor,
  secretKey: string,
  user: { readonly id: number; readonly username: string },
): Promise<void> {
  const { account, callers } = new TryKeys(secretKey, user.username);
  await forgetAccount(db, account, callers);
  await forgetCallersOf(db, user.id);
}

/** A signed-in person's own password, typed again for something that an open console alone does not allow. */
interface TypedAgain {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly password: string;
  /** The field of the form that it was typed into, and what is said there of a wrong one. */
  readonly field: string;
  readonly wrong: string;
  readonly address: string;
  /** What is put on record where it is not done. */
  readonly refused: AuditRecord;
}

export interface OwnPasswordDependencies {
  readonly db: Db;
  readonly tries: PasswordTries;
  readonly refusals: GatheredAudit;
}

/**
 * Does what the person asked for where the password is right; `work` answers null where the password was replaced while
 * it was looked at. Throws 400 with the field named where it is wrong (a 401 would sign out), and 429 where too many
 * wrong ones were tried, here or at sign-in.
 */
export async function withOwnPassword<T>(
  { db, tries, refusals }: OwnPasswordDependencies,
  { viewer, account, password, field, wrong, address, refused }: TypedAgain,
  gone: AbortSignal,
  work: () => Promise<T | null>,
): Promise<T> {
  const attempt = { username: account.username, account, password, address, browser: null };
  return tries.run(attempt, gone, async (result) => {
    if (result.kind === "wait") {
      await refusals.record(`password of ${viewer.userId}`, { ...refused, reason: "too many wrong passwords" });
      throw new HttpError(429, tooManyWrongSentence(result.waitMs));
    }
    const done = result.kind === "right" ? await work() : null;
    if (done !== null) return done;
    await recordAudit(db, { ...refused, reason: "wrong password" });
    throw invalid(field, wrong);
  });
}
