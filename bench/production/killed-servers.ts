import { once } from "node:events";
import { runSuncrew, type SuncrewRun } from "../../apps/server/test/suncrew-process.ts";
import { freePort } from "./private-part.ts";

export interface ServerSettings {
  readonly databaseUrl: string;
  readonly mqttUrl: string;
  readonly dataDir: string;
  readonly adminPassword: string;
  readonly secretKey: string;
  /** Beyond what every server gets. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Much longer than it takes: other servers start at the same moment. */
const START_LIMIT_MS = 300_000;

/** An interval in which a server answered, in Unix milliseconds. */
export interface Life {
  /** The name of its database connections. */
  readonly name: string;
  readonly fromMs: number;
  untilMs: number;
}

/** A slot for a server in production mode, always at the same port; the server is killed and started again. */
export class ServerPlace {
  readonly name: string;
  readonly url: string;
  readonly #port: number;
  readonly #settings: ServerSettings;
  readonly lives: Life[] = [];
  #births = 0;
  #retiring = false;
  #frozen = false;
  /** How often a server here was suspended. */
  freezes = 0;
  #run: SuncrewRun | null = null;
  #life: Life | null = null;
  /** What earlier runs printed. */
  #printed = "";

  private constructor(name: string, port: number, settings: ServerSettings) {
    this.name = name;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#settings = settings;
  }

  static async prepare(name: string, settings: ServerSettings): Promise<ServerPlace> {
    return new ServerPlace(name, await freePort(), settings);
  }

  /** The name of the server that currently answers here, as its database connections carry it; null if none does. */
  get answering(): string | null {
    return this.#life?.name ?? null;
  }

  /** Its process, while one runs here. */
  get pid(): number | null {
    return this.#run?.pid ?? null;
  }

  /** True while a server here was asked to stop and has not ended. */
  get retiring(): boolean {
    return this.#retiring;
  }

  /** True while the server here is suspended. */
  get frozen(): boolean {
    return this.#frozen;
  }

  /** Suspends the server, as a machine that stands still does, or resumes it. */
  freeze(): void {
    this.freezes += 1;
    this.#frozen = this.#run?.child.kill("SIGSTOP") === true;
  }

  thaw(): void {
    this.#run?.child.kill("SIGCONT");
    this.#frozen = false;
  }

  /**
   * Starts a server, of another version if that one's folder is given, and waits until it answers or is killed.
   * Throws with what it printed if it fails by itself.
   */
  async start(checkout?: string): Promise<void> {
    const { databaseUrl, mqttUrl, dataDir, adminPassword, secretKey, environment } = this.#settings;
    this.#births += 1;
    const name = `${this.name}-${this.#births}`;
    const run = runSuncrew(
      ["production"],
      {
        DATABASE_URL: `${databaseUrl}?application_name=${name}`,
        MQTT_URL: mqttUrl,
        DATA_DIR: dataDir,
        ADMIN_PASSWORD: adminPassword,
        SECRET_KEY: secretKey,
        HOST: "127.0.0.1",
        PORT: String(this.#port),
        LOG_LEVEL: "info",
        ...environment,
      },
      { startLimitMs: START_LIMIT_MS, ...(checkout !== undefined && { checkout }) },
    );
    this.#run = run;
    try {
      await run.ready();
    } catch (error) {
      // Killed while it started; the killer starts the next one.
      if (this.#run !== run) return;
      throw error;
    }
    if (this.#run !== run) return;
    this.#life = { name, fromMs: Date.now(), untilMs: Infinity };
    this.lives.push(this.#life);
  }

  /** Kills it like a power cut would, and returns when, in Unix milliseconds; null if there was none. */
  async kill(): Promise<number | null> {
    const run = this.#run;
    if (run === null) return null;
    const atMs = Date.now();
    const exited = once(run.child, "exit");
    run.child.kill("SIGKILL");
    this.#ended(atMs);
    await exited;
    return atMs;
  }

  /**
   * Ends it by SIGTERM as a rolling upgrade does: people keep calling it until it is gone. Returns its exit code, or
   * the signal that ended it, and how long it took in milliseconds.
   */
  async retire(): Promise<{ readonly code: number | string; readonly tookMs: number }> {
    const run = this.#run;
    if (run === null) throw new Error(`${this.name} does not run.`);
    const beganMs = Date.now();
    this.#retiring = true;
    run.child.kill("SIGTERM");
    const code = await run.ended();
    this.#retiring = false;
    this.#ended(Date.now());
    return { code, tookMs: Date.now() - beganMs };
  }

  /** Ends it as an operator would. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    this.thaw();
    this.#ended(Date.now());
    await run.interrupt();
  }

  /** Everything that servers in this slot have printed. */
  printed(): string {
    return this.#printed + (this.#run?.printed() ?? "");
  }

  #ended(atMs: number): void {
    this.#printed = this.printed();
    this.#run = null;
    if (this.#life !== null) this.#life.untilMs = atMs;
    this.#life = null;
  }
}
