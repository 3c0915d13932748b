import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { runProgram } from "../production/private-part.ts";
import { until } from "../production/wait-and-random.ts";
import { type ComposeService, graceMs, readComposeFile } from "./compose-file.ts";
import { type LocalImages, repositoryDir } from "./local-images.ts";
import { type Contained, runContained, type RunningContained, startContained } from "./service-runner.ts";

/** What an image says about how it is run, as far as it matters here. */
const configurationSchema = z.object({
  User: z.string(),
  Env: z.array(z.string()),
  Cmd: z.array(z.string()),
  WorkingDir: z.string(),
  Healthcheck: z.object({ Test: z.tuple([z.literal("CMD")], z.string()) }),
});

const HEALTHY_LIMIT_MS = 300_000;
/** Docker's postgres image, for which Debian's PostgreSQL stands in. */
const POSTGRES = "docker.io/library/postgres:17-trixie";

/**
 * deploy/compose.yaml with the images that were built, played without a container engine: services start in its order,
 * with its commands, users, variables, volumes and rights. All share one network, in which each finds the others by name.
 */
export class Installation {
  readonly #images: LocalImages;
  readonly #folder: string;
  readonly #file: Awaited<ReturnType<typeof readComposeFile>>;
  /** In the order in which they were started. */
  readonly #running = new Map<string, { readonly run: RunningContained; readonly graceMs: number }>();
  readonly #printed = new Map<string, string>();

  private constructor(images: LocalImages, folder: string, file: Awaited<ReturnType<typeof readComposeFile>>) {
    this.#images = images;
    this.#folder = folder;
    this.#file = file;
    for (const volume of Object.keys(this.#file.volumes)) mkdirSync(this.volume(volume), { recursive: true });
    // A new volume belongs to whom the image's folder belongs; here `prepare` and these lines see to that.
    for (const [volume, owner] of [
      ["database", "999:999"],
      ["server", "10001:10001"],
    ] as const) {
      runProgram(null, "/bin/chown", [owner, this.volume(volume)]);
    }
  }

  /** `settings` is what the operator writes into deploy/.env. */
  static async open(images: LocalImages, folder: string, settings: Readonly<Record<string, string>>) {
    return new Installation(images, folder, await readComposeFile(images.workbench, folder, settings));
  }

  volume(name: string): string {
    return join(this.#folder, "volumes", name);
  }

  /** Everything that the service has printed since the beginning. */
  printed(name: string): string {
    return (this.#printed.get(name) ?? "") + (this.#running.get(name)?.run.printed() ?? "");
  }

  /** As `docker compose up` does without profiles. */
  async up(): Promise<void> {
    const left = new Map(Object.entries(this.#file.services).filter(([, { profiles }]) => profiles.length === 0));
    const done = new Set<string>();
    while (left.size > 0) {
      const next = [...left].find(([, { depends_on }]) => Object.keys(depends_on).every((name) => done.has(name)));
      if (next === undefined) throw new Error(`Nothing else can start: ${[...left.keys()].join(", ")}`);
      const [name, service] = next;
      left.delete(name);
      await this.#start(name, service);
      done.add(name);
    }
  }

  /** As `docker compose down` does: the last one first, each with its time to end. Returns how each ended. */
  async down(): Promise<Record<string, { code: number | string; tookMs: number }>> {
    const ends: Record<string, { code: number | string; tookMs: number }> = {};
    for (const [name, { run, graceMs }] of [...this.#running].toReversed()) {
      const beganMs = performance.now();
      run.signal("SIGTERM");
      const limit = setTimeout(() => void run.kill(), graceMs);
      const code = await run.ended;
      clearTimeout(limit);
      ends[name] = { code, tookMs: performance.now() - beganMs };
      this.#printed.set(name, this.printed(name));
      this.#running.delete(name);
    }
    return ends;
  }

  /** Runs another command as the service would; returns what it printed, and throws if it fails. */
  runAs(name: string, command: readonly string[]): Promise<string> {
    const service = this.#file.services[name];
    if (service === undefined) throw new Error(`There is no service ${name}.`);
    return runContained({ ...this.#contained(service), command }, this.#place(`${name}-command`));
  }

  async #start(name: string, service: ComposeService): Promise<void> {
    const run = startContained(this.#contained(service), this.#place(name));
    const isDone = Object.values(this.#file.services).some(
      ({ depends_on }) => depends_on[name]?.condition === "service_completed_successfully",
    );
    if (isDone) {
      const code = await run.ended;
      this.#printed.set(name, this.printed(name) + run.printed());
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${run.printed()}`);
      return;
    }
    this.#running.set(name, { run, graceMs: graceMs(service) });
    const ended = run.ended.then((code) => {
      throw new Error(`${name} ended with ${code}: ${run.printed()}`);
    });
    ended.catch(() => undefined);
    const [, ...test] = service.healthcheck?.test ?? this.#configuration(service)?.Healthcheck.Test ?? [];
    const contained = { ...this.#contained(service), command: this.#asDebianHas(service, test) };
    const isHealthy = () =>
      runContained(contained, this.#place(`${name}-health`)).then(
        () => true,
        () => false,
      );
    await Promise.race([ended, until(isHealthy, HEALTHY_LIMIT_MS, `${name} did not turn healthy (${run.printed()})`)]);
  }

  #contained(service: ComposeService): Contained {
    const configuration = this.#configuration(service);
    const own: Record<string, string> = {};
    for (const line of configuration?.Env ?? [])
      own[line.slice(0, line.indexOf("="))] = line.slice(line.indexOf("=") + 1);
    const command = service.command ?? configuration?.Cmd ?? [];
    return {
      files: this.#filesOf(service),
      command: service.image === POSTGRES ? ["/bin/sh", "/stand-in.sh", ...command] : command,
      user: service.user ?? configuration?.User ?? "0:0",
      workingDir: configuration?.WorkingDir || "/",
      environment: { ...own, ...service.environment },
      mounts: [...service.volumes.map((mount) => this.#mount(mount)), ...this.#standInMounts(service)],
      tmpfs: service.tmpfs,
      capabilities: service.cap_add.map((name) => name.toLowerCase()),
      readOnly: service.read_only,
    };
  }

  #standInMounts({ image }: ComposeService) {
    const from = join(repositoryDir, "bench/image/postgres-stand-in.sh");
    return image === POSTGRES ? [{ from, to: "/stand-in.sh", readOnly: true }] : [];
  }

  /** Debian puts PostgreSQL's programs elsewhere than the official image. */
  #asDebianHas({ image }: ComposeService, [program = "", ...rest]: readonly string[]): string[] {
    return [image === POSTGRES ? `/usr/lib/postgresql/17/bin/${program}` : program, ...rest];
  }

  #mount({ type, source, target, read_only }: ComposeService["volumes"][number]) {
    const from = type === "volume" ? this.volume(source) : this.#file.pathOf(source);
    if (!existsSync(from)) throw new Error(`deploy/compose.yaml mounts ${source}, which is not there.`);
    return { from, to: target, readOnly: read_only };
  }

  #configuration({ image }: ComposeService) {
    if (image !== "suncrew" && image !== "suncrew-broker") return null;
    return configurationSchema.parse(this.#images.configurations[image]);
  }

  #filesOf({ image }: ComposeService): string {
    if (image === "suncrew") return this.#images.server;
    return image === "suncrew-broker" ? this.#images.broker : this.#images.workbench;
  }

  #place(name: string): string {
    return join(this.#folder, "services", name);
  }
}
