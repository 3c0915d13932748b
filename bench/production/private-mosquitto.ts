import type { ChildProcess } from "node:child_process";
import { openSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import { until } from "./wait-and-random.ts";
import { type Doors, type WriteConfiguration, writeConfiguration } from "./mosquitto-configuration.ts";
import { type Account, debianProgram, end, freePort, launch, makeFolderFor, runProgram } from "./private-part.ts";

export interface PrivateMosquitto {
  readonly version: string;
  /** For servers: the URL with their own account. */
  readonly serverUrl: string;
  readonly serverTlsUrl: string;
  /** For robots: URLs without an account. */
  readonly robotUrl: string;
  readonly robotTlsUrl: string;
  readonly authorityFile: string;
  /** Ends it like a power cut would. */
  kill(): Promise<void>;
  /** Suspends it, or resumes it. */
  pause(): void;
  resume(): void;
  /** Starts it again, with what it has stored. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 120_000;

/** Debian's Mosquitto on free ports at 127.0.0.1 that knows these devices. Already started. */
export async function startMosquitto(
  folder: string,
  account: Account,
  devices: readonly Device[],
  write: WriteConfiguration = writeConfiguration,
): Promise<PrivateMosquitto> {
  const own = join(folder, "mosquitto");
  await makeFolderFor(account, own);
  const doors: Doors = {
    server: await freePort(),
    serverTls: await freePort(),
    robot: await freePort(),
    robotTls: await freePort(),
  };
  const { file, serverAccount, authorityFile, complete } = await write(own, account, doors, devices);
  const log = openSync(join(folder, "mosquitto.log"), "a", 0o600);
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = launch(account, debianProgram("mosquitto", "mosquitto"), ["-c", file], log);
    try {
      await until(() => accepts(doors.robotTls), START_LIMIT_MS, "Mosquitto did not start");
    } catch (error) {
      await end(child, "SIGTERM", 2_000);
      throw error;
    }
  };
  const stop = (signal: NodeJS.Signals, patienceMs: number) => end(child, signal, patienceMs);
  await start();
  try {
    complete?.();
  } catch (error) {
    await stop("SIGTERM", 2_000);
    throw error;
  }
  const asked = runProgram(account, debianProgram("dpkg-query", "dpkg"), ["-W", "-f", "${Version}", "mosquitto"]);
  return {
    version: asked.trim(),
    serverUrl: `mqtt://${serverAccount}@127.0.0.1:${doors.server}`,
    serverTlsUrl: `mqtts://${serverAccount}@localhost:${doors.serverTls}`,
    robotUrl: `mqtt://127.0.0.1:${doors.robot}`,
    robotTlsUrl: `mqtts://localhost:${doors.robotTls}`,
    authorityFile,
    kill: () => stop("SIGKILL", 2_000),
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    start,
    stop: () => stop("SIGTERM", 5_000),
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
