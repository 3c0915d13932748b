import { createHmac } from "node:crypto";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { login, TokenClaims } from "@suncrew/contract/auth/auth.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { InTurn } from "../../platform/in-turn.ts";
import type { Parts } from "../../platform/parts.ts";
import { endSession, openSession } from "../../platform/sessions.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { recordAudit } from "../audit/public.ts";
import { hashOfNobody, passwordMatches } from "./passwords.ts";
import { countTry, forgetTry } from "./sign-in-failures.writes.ts";
import { accountLimit, addressLimit, tooManySentence } from "./sign-in-limits.ts";
import { type Account, readAccount } from "./users.writes.ts";

export interface SignIn {
  readonly username: string;
  readonly password: string;
  /** The network address it comes from. */
  readonly address: string;
}

type SignedIn = ResponseOf<typeof login>;

export class AuthService {
  readonly #parts: Parts;
  readonly #sign: (claims: TokenClaims, now: Date) => string;
  readonly #nobody = hashOfNobody();
  readonly #turns = new InTurn();

  constructor(parts: Parts, sign: (claims: TokenClaims, now: Date) => string) {
    this.#parts = parts;
    this.#sign = sign;
  }

  /** Throws 401 where name and password do not belong together, 429 while the account or the address has to wait. */
  async signIn(attempt: SignIn): Promise<SignedIn> {
    const account = await readAccount(this.#parts.db, attempt.username);
    const accountKey = this.#accountKey(account?.username ?? attempt.username);
    // Right passwords that arrive together must not count as each other's failures.
    return this.#turns.run(accountKey, () => this.#tryInTurn(attempt, account, accountKey));
  }

  /** What failures of a name are counted for: keyed and hashed, because people type passwords into the wrong field. */
  #accountKey(username: string): string {
    const { secretKey } = this.#parts.settings;
    const hash = createHmac("sha256", secretKey).update(`sign-in:${username.toLowerCase()}`).digest("base64url");
    return `user:${hash}`;
  }

  async #tryInTurn(attempt: SignIn, account: Account | null, accountKey: string): Promise<SignedIn> {
    const { db, clock } = this.#parts;
    const addressKey = `address:${attempt.address}`;
    const counted = [
      { key: accountKey, limit: accountLimit },
      { key: addressKey, limit: addressLimit },
    ];
    const waitMs = await countTry(db, counted, clock.now());
    if (waitMs !== null) {
      await this.#recordRefusal(account, attempt, "too many failed sign-ins");
      throw new HttpError(429, tooManySentence(waitMs));
    }
    // The same work for a user who does not exist, so that time does not tell names.
    const matches = await passwordMatches(account?.passwordHash ?? (await this.#nobody), attempt.password);
    if (account === null || !matches) {
      await this.#recordRefusal(account, attempt, account === null ? "unknown user" : "wrong password");
      throw new HttpError(401, "Invalid credentials");
    }
    await forgetTry(db, accountKey, addressKey);
    return this.#open(account, attempt.address);
  }

  async #open(account: Account, address: string): Promise<SignedIn> {
    const now = this.#parts.clock.now();
    const expiresAt = new Date(now.getTime() + this.#parts.settings.tokenHours * 3_600_000);
    const sid = await this.#parts.db.transaction().execute(async (tx) => {
      const id = await openSession(tx, { userId: account.id, now, expiresAt });
      await recordAudit(tx, {
        actor: { userId: account.id, name: account.name },
        action: "SIGN_IN",
        entity: "session",
        entityId: id,
        outcome: "DONE",
        after: { address },
        at: now,
      });
      return id;
    });
    const { id, name, email, role, partnerId } = account;
    const exp = Math.floor(expiresAt.getTime() / 1000);
    const token = this.#sign({ id, role, email, partnerId, sid, exp }, now);
    return { message: "Login successful", token, user: { id, name, email, role } };
  }

  /** A name that nobody has is not written down: people type passwords into the wrong field. */
  async #recordRefusal(account: Account | null, attempt: SignIn, reason: string): Promise<void> {
    await recordAudit(this.#parts.db, {
      actor: { userId: account?.id ?? null, name: account?.name ?? "Unknown user" },
      action: "SIGN_IN",
      entity: "session",
      outcome: "REFUSED",
      reason,
      after: { address: attempt.address },
      at: this.#parts.clock.now(),
    });
  }

  async signOut(viewer: Viewer): Promise<void> {
    const now = this.#parts.clock.now();
    await this.#parts.db.transaction().execute(async (tx) => {
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
