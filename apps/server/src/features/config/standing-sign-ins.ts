import type { Db } from "../../platform/database/database.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import { demoSignIns, passwordMatches, readAccount } from "../auth/public.ts";

export type DemoSignIn = (typeof demoSignIns)[number];

/** The known sign-ins of a demo that still work: people may change those passwords, or delete the partner. */
export class StandingSignIns {
  readonly #db: Db;
  /** Whether a known password is behind a hash: looked at once, for that is slow by design. */
  readonly #known = new Map<string, Promise<boolean>>();

  #last: DemoSignIn[] = [...demoSignIns];

  constructor(db: Db) {
    this.#db = db;
  }

  /** While the database cannot be reached, those of before: what else the call answers is needed then, too. */
  async read(): Promise<DemoSignIn[]> {
    try {
      const stands = await Promise.all(demoSignIns.map((signIn) => this.#stands(signIn)));
      this.#last = demoSignIns.filter((_, index) => stands[index]);
    } catch (error) {
      if (!isDatabaseUnreachable(error)) throw error;
    }
    return this.#last;
  }

  async #stands({ username, password }: DemoSignIn): Promise<boolean> {
    const account = await readAccount(this.#db, username);
    if (account === null) return false;
    const known = this.#known.get(account.passwordHash) ?? passwordMatches(account.passwordHash, password);
    this.#known.set(account.passwordHash, known);
    return known;
  }
}
