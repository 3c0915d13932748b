import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import { demoDevicesFile, demoScenarioFile } from "../demo/demo-devices.ts";
import { repositoryDir } from "./data-folder.ts";

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
