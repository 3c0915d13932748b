import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import { z } from "zod";
import { writePrivateFile } from "../platform/embedded/files.ts";
import { repositoryDir } from "../process/data-folder.ts";
import type { DemoFleet } from "./demo-fleet.ts";

const devicesSchema = z.object({ devices: z.array(z.object({ serial: z.string(), secret: z.string().min(20) })) });
export interface DemoDevice {
  readonly serial: string;
  readonly secret: string;
  /** Made now: the database has another secret of it, or none. */
  readonly isNew?: true;
}

export const demoDevicesFile = (dataDir: string): string => join(dataDir, "demo-devices.json");
export const demoScenarioFile = (dataDir: string): string => join(dataDir, "demo-scenario.json");

/**
 * The simulated devices with their secrets, which nobody but the simulator keeps in clear. A lost, damaged or
 * incomplete file gives new secrets, which the caller stores in the database; a secret that was rotated since stays.
 */
export async function readOrMakeDemoDevices(dataDir: string, { serials }: DemoFleet): Promise<DemoDevice[]> {
  const path = demoDevicesFile(dataDir);
  const known = new Map((await readDevices(path)).map((device) => [device.serial, device]));
  const devices = serials.map((serial) => known.get(serial) ?? newDevice(serial));
  if (devices.some(({ serial }) => !known.has(serial)))
    await writePrivateFile(path, `${JSON.stringify({ devices: devices.map(plain) }, null, 1)}\n`);
  return devices;
}

const newDevice = (serial: string): DemoDevice => ({ serial, secret: randomBytes(32).toString("hex"), isNew: true });
const plain = ({ serial, secret }: DemoDevice) => ({ serial, secret });

async function readDevices(path: string): Promise<DemoDevice[]> {
  try {
    return devicesSchema.parse(JSON.parse(await readFile(path, "utf8"))).devices;
  } catch {
    return [];
  }
}

/**
 * Says how the simulated robots begin. Devices that no robot has yet, and robots after the first `simulated`, stay away
 * until somebody calls them in.
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

/** What a process opens beside its robots: database connections, browsers, files. */
const BESIDE_ROBOTS = 300;

/**
 * How many of a demo's robots can be simulated: each is a connection of the broker and of the simulator, and a program
 * may open so many only. The others are devices that stay away.
 */
export async function robotsToSimulate(robots: number): Promise<number> {
  return withinOpenFiles(robots, openFilesOf(await readFile("/proc/self/limits", "utf8").catch(() => "")));
}

/** The same for a known limit; null where there is none. */
export function withinOpenFiles(robots: number, allowed: number | null): number {
  return allowed === null ? robots : Math.max(0, Math.min(robots, allowed - BESIDE_ROBOTS));
}

/** What a start says where not all can be simulated. */
export function simulatedSentence(robots: number, simulated: number): string {
  const away = robots - simulated;
  return `${simulated} of ${robots} robots are simulated, the other ${away} stay offline: each takes an open file, and this machine allows a program ${simulated + BESIDE_ROBOTS} (\`ulimit -n ${robots + BESIDE_ROBOTS}\` before the start would do for all).`;
}

/** The limit in the words of Linux, hard because Node.js takes all it may; null where there is none or it is not known. */
export function openFilesOf(limits: string): number | null {
  const found = /^Max open files +\S+ +(\d+) /m.exec(limits);
  return found === null ? null : Number(found[1]);
}

export interface SimulatorOptions {
  readonly mqttUrl: string;
  readonly dataDir: string;
  readonly log: Logger;
  /** The robots stop by themselves after so long without their broker, as the server believes. */
  readonly linkLossStopSeconds: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** One that ran this long was well; its end is not counted as another failure in a row. */
const WELL_AFTER_MS = 60_000;
const READY_TIMEOUT_MS = 15_000;
const STOP_TIMEOUT_MS = 2500;

/** Settings of the server that are no business of the simulator's. */
const ownSecrets = ["SECRET_KEY", "ADMIN_PASSWORD", "DATABASE_URL", "MQTT_URL", "WEATHER_API_KEY"];

/**
 * The simulated robots in a process of their own, started again if they die. The process has its own group, so that a
 * Ctrl-C reaches the server alone; it ends with the server by itself, also when that is killed.
 */
export class SimulatorChild {
  readonly #parts: SimulatorOptions;
  readonly #controlFile: string;
  #child: ChildProcess | null = null;
  #stopping = false;
  #pauseMs = FIRST_PAUSE_MS;
  #restart: NodeJS.Timeout | null = null;

  constructor(parts: SimulatorOptions) {
    this.#parts = parts;
    this.#controlFile = process.env["SIM_CONTROL_FILE"] || join(parts.dataDir, "simulator-control");
  }

  /** Starts the robots and answers their control address; null where it did not come in time. */
  async start(): Promise<string | null> {
    await rm(this.#controlFile, { force: true });
    const ready = this.#spawn();
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, READY_TIMEOUT_MS).unref());
    await Promise.race([ready, timeout]);
    return (await readFile(this.#controlFile, "utf8").catch(() => "")).trim() || null;
  }

  /** Resolves at the first line it prints, or when it ends. */
  async #spawn(): Promise<void> {
    const { mqttUrl, dataDir, log, linkLossStopSeconds } = this.#parts;
    const environment = { ...process.env };
    for (const name of ownSecrets) delete environment[name];
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
    if (Date.now() - began > WELL_AFTER_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.#parts.log.warn({ how, againInMs: this.#pauseMs }, "the simulator ended and is started again");
    this.#restart = setTimeout(() => void this.#spawn(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
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

function eachLine(stream: Readable | null, take: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on("line", take);
}
