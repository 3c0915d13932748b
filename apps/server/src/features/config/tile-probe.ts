import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";

const EVERY_MS = 300_000;
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
    this.#cancel = this.#deps.clock.every(EVERY_MS, () => void this.#look(url));
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
