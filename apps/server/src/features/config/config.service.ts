import type { Cancel } from "../../platform/clock.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
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

const PROBE_EVERY_MS = 300_000;
const TIMEOUT_MS = 5_000;

/** Asks the tile service for one small tile from time to time, so that the console asks for none without network. */
export class TileProbe implements Service {
  readonly #deps: Dependencies;
  #available = false;
  #cancel: Cancel = () => {};
  #ended = new AbortController();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** What the last look found; false before the first. */
  get available(): boolean {
    return this.#available;
  }

  async start(): Promise<void> {
    const url = this.#deps.settings.mapTiles?.url;
    if (url === undefined) return;
    this.#ended = new AbortController();
    // In the background: nothing waits for a service on the internet.
    void this.#look(url);
    this.#cancel = this.#deps.clock.every(PROBE_EVERY_MS, () => void this.#look(url));
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#ended.abort();
  }

  async #look(template: string): Promise<void> {
    const fetchTile = this.#deps.fetch ?? fetch;
    try {
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetchTile(worldTile(template), { signal, headers: { "user-agent": "Suncrew" } });
      await response.body?.cancel();
      this.#available = response.ok;
    } catch {
      this.#available = false;
    }
  }
}

/** The one tile of the whole world. */
export function worldTile(template: string): string {
  const values: Readonly<Record<string, string>> = { x: "0", y: "0", z: "0", s: "a", r: "" };
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
