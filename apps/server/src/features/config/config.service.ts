import type { Cancel } from "../../platform/clock.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { demoSignIns, passwordMatches, readAccount } from "../auth/public.ts";

export type DemoSignIn = (typeof demoSignIns)[number];

/** The published sign-ins of a demo that still work: people may change those passwords, or delete the partner. */
export class WorkingDemoSignIns {
  readonly #db: Db;
  /** Whether a hash is that of the published password; checked once, because that is slow by design. */
  readonly #matches = new Map<string, Promise<boolean>>();
  #last: DemoSignIn[] = [...demoSignIns];

  constructor(db: Db) {
    this.#db = db;
  }

  /** While the database is unreachable, the last result: the rest of the answer is still needed. */
  async read(): Promise<DemoSignIn[]> {
    try {
      const works = await Promise.all(demoSignIns.map((signIn) => this.#works(signIn)));
      this.#last = demoSignIns.filter((_, index) => works[index]);
    } catch (error) {
      if (!isDatabaseUnreachable(error)) throw error;
    }
    return this.#last;
  }

  async #works({ username, password }: DemoSignIn): Promise<boolean> {
    const account = await readAccount(this.#db, username);
    if (account === null) return false;
    const matches = this.#matches.get(account.passwordHash) ?? passwordMatches(account.passwordHash, password);
    this.#matches.set(account.passwordHash, matches);
    return matches;
  }
}

const PROBE_EVERY_MS = 300_000;
const TIMEOUT_MS = 5_000;

/** Requests one small tile from the tile service from time to time: without network the console requests none. */
export class TileProbe implements Service {
  readonly #deps: Dependencies;
  #available = false;
  #cancel: Cancel = () => {};
  #ended = new AbortController();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** The result of the last probe; false before the first. */
  get available(): boolean {
    return this.#available;
  }

  async start(): Promise<void> {
    const url = this.#deps.settings.mapTiles?.url;
    if (url === undefined) return;
    this.#ended = new AbortController();
    // In the background: nothing waits for a service on the internet.
    void this.#probe(url);
    this.#cancel = this.#deps.clock.every(PROBE_EVERY_MS, () => void this.#probe(url));
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#ended.abort();
  }

  async #probe(template: string): Promise<void> {
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

/** The URL of the single tile that shows the whole world. */
export function worldTile(template: string): string {
  const values: Readonly<Record<string, string>> = { x: "0", y: "0", z: "0", s: "a", r: "" };
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
