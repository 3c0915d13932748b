import type { AddressInfo } from "node:net";
import { createRollout, rolloutDetails, controlRollout, uploadFirmware } from "@suncrew/contract/firmware/firmware.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { FaultInput } from "@suncrew/simulator/faults/fault.ts";
import { type HarnessOptions, type HarnessServer, CommandHarness } from "./command-harness.ts";
import { FastClock } from "./fast-clock.ts";
import type { TestRobot } from "./fixtures.ts";
import type { TestClient } from "./test-client.ts";
import { urlOf } from "./test-client.ts";

type FirmwareFault = Extract<FaultInput, { kind: "firmware" }>["what"];
type RolloutOptions = Partial<Omit<BodyOf<typeof createRollout>, "firmware_id" | "robot_ids">>;

/** A harness whose robots can download firmware from its first server. */
export class RolloutHarness {
  readonly commands: CommandHarness;
  readonly robots: readonly TestRobot[];
  /** The URL at which robots reach the server. */
  readonly url: string;

  private constructor(harness: CommandHarness, url: string) {
    this.commands = harness;
    this.robots = [harness.fixtures.ownRobot, harness.fixtures.ownRobot2, ...harness.moreRobots];
    this.url = url;
  }

  static async open(options: Omit<HarnessOptions, "settings"> = {}): Promise<RolloutHarness> {
    let url: string | null = null;
    // Rollouts advance once a second, and robots take their time.
    const clock = options.clock ?? new FastClock(3);
    const harness = await CommandHarness.open({ ...options, clock, settings: { publicUrl: () => url } });
    url = await listenOn(harness.server);
    const opened = new RolloutHarness(harness, url);
    for (const robot of opened.robots) await harness.live(robot);
    return opened;
  }

  get db() {
    return this.commands.db;
  }

  admin(on: HarnessServer = this.commands.server): Promise<TestClient> {
    return on.as("admin");
  }

  async upload(version: string, content = Buffer.from(`firmware ${version}`)): Promise<number> {
    const client = await this.admin();
    const url = urlOf(uploadFirmware.path, {}, { version, file_name: "robot.bin" });
    const { body, status, text } = await client.raw(url, { method: "POST", body: content });
    if (status !== 201) throw new Error(`The upload answered ${status}: ${text}`);
    return uploadFirmware.response.parse(body).firmwareId;
  }

  /** Rolls firmware out to these robots in their order; returns the rollout's id. */
  async createRollout(version: string, robots: readonly TestRobot[], options: RolloutOptions = {}): Promise<number> {
    const firmware_id = await this.upload(version);
    const body = { firmware_id, robot_ids: robots.map(({ id }) => id), ...options };
    return (await (await this.admin()).ask(createRollout, { body })).rolloutId;
  }

  async control(rolloutId: number, action: "PAUSE" | "RESUME" | "CANCEL"): Promise<string> {
    const client = await this.admin();
    return (await client.ask(controlRollout, { params: { rolloutId }, body: { action } })).message;
  }

  async details(rolloutId: number) {
    return (await this.admin()).ask(rolloutDetails, { params: { rolloutId } });
  }

  /** From now on the robot has this fault with firmware. */
  injectFault(robot: TestRobot, what: FirmwareFault): void {
    this.commands.robot(robot).inject({ kind: "firmware", what });
  }

  /** Resolves with the rollout once it is in that state; if the state is final, once it has ended for every robot. */
  untilRollout(rolloutId: number, state: "RUNNING" | "PAUSED" | "DONE" | "CANCELLED") {
    return this.commands.until(async () => {
      const row = await this.db
        .selectFrom("rollouts")
        .selectAll()
        .where("id", "=", rolloutId)
        .executeTakeFirstOrThrow();
      const isThere = row.state === state && (row.ended_at !== null || state === "RUNNING" || state === "PAUSED");
      return isThere && this.details(rolloutId);
    });
  }

  entry(rolloutId: number, robot: TestRobot) {
    return this.db
      .selectFrom("rollout_robots")
      .selectAll()
      .where("rollout_id", "=", rolloutId)
      .where("robot_id", "=", robot.id)
      .executeTakeFirstOrThrow();
  }

  /** Resolves once the robot is in one of these states of the rollout. */
  untilEntry(rolloutId: number, robot: TestRobot, ...states: readonly string[]) {
    return this.commands.until(async () => {
      const entry = await this.entry(rolloutId, robot);
      return states.includes(entry.state) && entry;
    });
  }

  close(): Promise<void> {
    return this.commands.close();
  }
}

async function listenOn(server: HarnessServer): Promise<string> {
  await server.app.http.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.http.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
