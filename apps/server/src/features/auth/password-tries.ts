import { createHmac } from "node:crypto";
import { availableParallelism } from "node:os";
import type { Executor } from "../../platform/database/database.ts";
import { FairQueue } from "../../platform/fair-queue.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { InTurn } from "../../platform/in-turn.ts";
import type { Parts } from "../../platform/parts.ts";
import { hashOfNobody, passwordMatches } from "./passwords.ts";
import { countTry, forgetAccount, forgetTry } from "./sign-in-failures.writes.ts";
import { accountLimit, addressLimit } from "./sign-in-limits.ts";
import type { Account } from "./users.writes.ts";

export interface PasswordTry {
  /** As it was typed; the account's own where there is one. */
  readonly username: string;
  /** Null where nobody has that name. */
  readonly account: Account | null;
  readonly password: string;
  /** The network address it comes from. */
  readonly address: string;
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
  readonly #parts: Parts;
  readonly #nobody = hashOfNobody();
  readonly #turns = new InTurn();
  readonly #queue = new FairQueue({
    atOnce: LOOKED_AT_AT_ONCE,
    waitingPerPerson: WAITING_PER_ADDRESS,
    waiting: WAITING,
    refusal: () => new HttpError(503, "Too many people are signing in at this moment. Please try again in a minute."),
  });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Hands `use` what the try came to; the next try of the same name, and of the same address, waits until `use` is done.
   * Throws 503 where too many wait already; nobody is looked at who has gone away meanwhile.
   */
  async run<T>(attempt: PasswordTry, gone: AbortSignal, use: (result: TryResult) => Promise<T>): Promise<T> {
    const key = accountKey(this.#parts.settings.secretKey, attempt.account?.username ?? attempt.username);
    // Right passwords that arrive together must not count as each other's failures.
    return this.#queue.run({ person: attempt.address, team: attempt.address }, gone, () =>
      this.#turns.run(key, async () => use(await this.#look(attempt, key))),
    );
  }

  async #look(attempt: PasswordTry, key: string): Promise<TryResult> {
    const { db, clock } = this.#parts;
    const addressKey = `address:${attempt.address}`;
    const counted = [
      { key, limit: accountLimit },
      { key: addressKey, limit: addressLimit },
    ];
    const waitMs = await countTry(db, counted, clock.now());
    if (waitMs !== null) return { kind: "wait", waitMs };
    // The same work for a user who does not exist, so that time does not tell names.
    const matches = await passwordMatches(attempt.account?.passwordHash ?? (await this.#nobody), attempt.password);
    if (attempt.account === null || !matches) return { kind: "wrong" };
    await forgetTry(db, key, addressKey);
    return { kind: "right" };
  }
}

/** What failures of a name are counted for: keyed and hashed, because people type passwords into the wrong field. */
function accountKey(secretKey: string, username: string): string {
  const hash = createHmac("sha256", secretKey).update(`sign-in:${username.toLowerCase()}`).digest("base64url");
  return `user:${hash}`;
}

/** A name that got a new password begins anew, also where guesses had locked it. */
export async function forgetTriesOf(db: Executor, secretKey: string, username: string): Promise<void> {
  await forgetAccount(db, accountKey(secretKey, username));
}
