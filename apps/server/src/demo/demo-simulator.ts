import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import { z } from "zod";
import { writePrivateFile } from "../platform/embedded/files.ts";
import { DEMO_DEVICES_FILE, repositoryDir } from "../process/data-folder.ts";
import { type DemoFleet, demoSensor } from "./demo-fleet.ts";

const devicesSchema = z.object({
  devices: z.array(z.object({ serial: z.string(), secret: z.string().min(20), sensor: z.literal(true).optional() })),
});
export interface DemoDevice {
  readonly serial: string;
  readonly secret: string;
  /** Newly generated: the database has a different secret, or none. */
  readonly isNew?: true;
}

export const demoDevicesFile = (dataDir: string): string => join(dataDir, DEMO_DEVICES_FILE);
export const demoScenarioFile = (dataDir: string): string => join(dataDir, "demo-scenario.json");

/**
 * The simulated devices with their secrets, which only the simulator stores in plain text. If the file is missing,
 * damaged or incomplete, new secrets are generated, which the caller stores in the database; rotated secrets are not
 * touched.
 */
export async function ensureDemoDevices(dataDir: string, { serials }: DemoFleet): Promise<DemoDevice[]> {
  const path = demoDevicesFile(dataDir);
  const known = new Map((await readDevices(path)).map((device) => [device.serial, device]));
  const devices = [...serials, demoSensor.serial].map((serial) => known.get(serial) ?? newDevice(serial));
  if (devices.some(({ isNew }) => isNew)) {
    const stored = {
      devices: devices.map(({ serial, secret }) => ({
        serial,
        secret,
        ...(serial === demoSensor.serial && { sensor: true }),
      })),
    };
    await writePrivateFile(path, `${JSON.stringify(stored, null, 1)}\n`);
  }
  return devices;
}

const newDevice = (serial: string): DemoDevice => ({ serial, secret: randomBytes(32).toString("hex"), isNew: true });

async function readDevices(path: string): Promise<DemoDevice[]> {
  try {
    return devicesSchema.parse(JSON.parse(await readFile(path, "utf8"))).devices;
  } catch {
    return [];
  }
}

/**
 * Writes the initial state of the simulated robots. Devices without a robot, and robots after the first `simulated`,
 * stay offline until somebody clears that fault.
 */
export async function writeDemoScenario(dataDir: string, fleet: DemoFleet, simulated: number): Promise<void> {
  const bySerial = new Map(fleet.robots.map((robot, index) => [robot.serial, { ...robot, index }]));
  const robots = Object.fromEntries(
    fleet.serials.map((serial) => {
      const robot = bySerial.get(serial);
      if (robot === undefined) return [serial, { faults: ["away"] }];
      const { battery, firmware, mode, index } = robot;
      const fault = index < simulated ? robot.fault : "away";
      return [serial, { condition: { battery, firmware, mode }, faults: fault === undefined ? [] : [fault] }];
    }),
  );
  await writePrivateFile(demoScenarioFile(dataDir), `${JSON.stringify({ robots }, null, 1)}\n`);
}

/** Files that a process opens besides its robots: database connections, browsers, files. */
const OTHER_OPEN_FILES = 300;

/**
 * How many of a demo's robots can be simulated: each is a connection of the broker and of the simulator, and the open
 * files of a process are limited. The others stay offline.
 */
export async function robotsToSimulate(robots: number): Promise<number> {
  return withinOpenFiles(robots, openFilesOf(await readFile("/proc/self/limits", "utf8").catch(() => "")));
}

/** The same for a known limit; null if there is none. */
export function withinOpenFiles(robots: number, allowed: number | null): number {
  return allowed === null ? robots : Math.max(0, Math.min(robots, allowed - OTHER_OPEN_FILES));
}

export function simulatedMessage(robots: number, simulated: number): string {
  const offline = robots - simulated;
  return `${simulated} of ${robots} robots are simulated, the other ${offline} stay offline: each needs an open file, and this machine allows a process ${simulated + OTHER_OPEN_FILES} (\`ulimit -n ${robots + OTHER_OPEN_FILES}\` before the start would be enough for all).`;
}

/** The hard limit, which Node.js uses, from Linux's /proc; null if there is none or it is unknown. */
export function openFilesOf(limits: string): number | null {
  const found = /^Max open files +\S+ +(\d+) /m.exec(limits);
  return found === null ? null : Number(found[1]);
}

export interface SimulatorOptions {
  readonly mqttUrl: string;
  readonly dataDir: string;
  readonly log: Logger;
  /** The robots stop by themselves after this time without their broker; the server assumes the same. */
  readonly linkLossStopSeconds: number;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A process that ran this long was healthy; its end resets the backoff. */
const HEALTHY_AFTER_MS = 60_000;
const READY_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 2500;

/** The server's secrets, which the simulator does not get. */
const serverSecrets = ["SECRET_KEY", "ADMIN_PASSWORD", "DATABASE_URL", "MQTT_URL", "WEATHER_API_KEY"];

/**
 * The simulated robots in a separate process, which is restarted if it dies. It has its own process group, so that a
 * Ctrl-C reaches only the server; it ends with the server by itself, even when that is killed.
 */
export class SimulatorChild {
  readonly #options: SimulatorOptions;
  readonly #controlFile: string;
  #child: ChildProcess | null = null;
  #stopping = false;
  #delayMs = FIRST_DELAY_MS;
  #restart: NodeJS.Timeout | null = null;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.#controlFile = process.env["SIM_CONTROL_FILE"] || join(options.dataDir, "simulator-control");
  }

  /** Starts the robots and returns their control address; null if it was not available in time. */
  async start(): Promise<string | null> {
    await rm(this.#controlFile, { force: true });
    await Promise.race([this.#spawn(), wait(READY_TIMEOUT_MS, undefined, { ref: false })]);
    return (await readFile(this.#controlFile, "utf8").catch(() => "")).trim() || null;
  }

  /** Resolves when it prints its first line, or ends. */
  async #spawn(): Promise<void> {
    const { mqttUrl, dataDir, log, linkLossStopSeconds } = this.#options;
    const environment = { ...process.env };
    for (const name of serverSecrets) delete environment[name];
    const child = spawn(process.execPath, [join(repositoryDir, "apps/simulator/src/main.ts")], {
      cwd: repositoryDir,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: {
        SIM_LINK_LOSS: String(linkLossStopSeconds),
        ...environment,
        SIM_MQTT_URL: mqttUrl,
        SIM_DEVICES_FILE: demoDevicesFile(dataDir),
        SIM_SCENARIO_FILE: demoScenarioFile(dataDir),
        SIM_STATE_FILE: join(dataDir, "simulator-state.json"),
        SIM_CONTROL_FILE: this.#controlFile,
      },
    });
    this.#child = child;
    const began = Date.now();
    const firstLine = new Promise<void>((resolve) => {
      eachLine(child.stdout, (line) => {
        log.info({ from: "simulator" }, line);
        resolve();
      });
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    eachLine(child.stderr, (line) => log.warn({ from: "simulator" }, line));
    child.once("error", (error) => log.error({ error }, "the simulator could not be started"));
    child.once("exit", (code, signal) => this.#ended(began, code ?? signal));
    await firstLine;
  }

  #ended(began: number, how: number | string | null): void {
    this.#child = null;
    if (this.#stopping) return;
    if (Date.now() - began > HEALTHY_AFTER_MS) this.#delayMs = FIRST_DELAY_MS;
    this.#options.log.warn({ how, againInMs: this.#delayMs }, "the simulator exited; restarting it");
    this.#restart = setTimeout(() => void this.#spawn(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, "exit");
    const limit = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    child.kill("SIGTERM");
    await ended;
    clearTimeout(limit);
  }
}

function eachLine(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on("line", onLine);
}
