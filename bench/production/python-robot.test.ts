import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RobotClient } from "@suncrew/simulator/conformance/robot-client.ts";
import { ConformanceCheck, defaultTimeouts } from "@suncrew/simulator/conformance/conformance-check.ts";
import { systemFleetClock } from "@suncrew/simulator/fleet/clock.ts";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { press, startCheckedSystem, untilStored } from "./checked-system.ts";
import { makeDevices } from "./fleet.ts";
import { chooseAccount, end } from "./private-part.ts";
import { startMosquitto } from "./private-mosquitto.ts";

const program = fileURLToPath(new URL("../../docs/examples/robot.py", import.meta.url));
const stops: (() => Promise<void>)[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-python-"));
  // The broker's account may pass through.
  await chmod(folder, 0o711);
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await rm(folder, { recursive: true, force: true });
});

/** The robot of docs/examples, run by Debian's Python. Ended with the test, like by a power cut. */
function startRobot({ serial, secret }: Device, url: string, ca?: string): ChildProcess {
  const { hostname, port } = new URL(url);
  const memory = join(folder, "robot.json");
  const options = { host: hostname, port, serial, secret, memory, ...(ca !== undefined && { ca }) };
  // A secret may begin with a dash.
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn("/usr/bin/python3", [program, ...args], { stdio: "inherit" });
  stops.push(() => end(child, "SIGKILL", 5_000));
  return child;
}

test(
  "device guide: the robot in Python passes what can be tried, a power cut among it",
  { timeout: 90_000 },
  async () => {
    const [device] = makeDevices("PYR", 1) as [Device];
    const mosquitto = await startMosquitto(folder, await chooseAccount(), [device]);
    stops.push(() => mosquitto.stop());
    let child = startRobot(device, mosquitto.robotTlsUrl, mosquitto.authorityFile);
    const { username, password, host } = new URL(mosquitto.serverUrl);
    const access = { brokerUrl: `mqtt://${host}`, serial: device.serial, username, password };
    const robot = await RobotClient.open(access, systemFleetClock);
    stops.push(() => robot.close());
    await robot.next("connection", ({ state }) => state === "ONLINE", 20_000, 0);
    const cutPower = async (): Promise<void> => {
      await end(child, "SIGKILL", 5_000);
      child = startRobot(device, mosquitto.robotTlsUrl, mosquitto.authorityFile);
    };
    const printed: string[] = [];
    const options = { timeouts: defaultTimeouts, mayMove: true, promptPerson: () => void cutPower() };
    const check = new ConformanceCheck(robot, { ...options, say: (line) => printed.push(line) });
    const holds = await check.run();
    expect(printed.filter((line) => !line.startsWith("holds") && !line.startsWith("not tried"))).toEqual([]);
    expect(holds).toBe(true);
  },
);

test("device guide: Suncrew starts and stops the robot in Python", async () => {
  const system = await startCheckedSystem({ robots: 1, connect: ({ serverUrl }) => ({ mqttUrl: serverUrl }) });
  stops.push(() => system.close());
  const [robot, device] = [system.robots[0], system.devices[0]];
  if (robot === undefined || device === undefined) throw new Error("There is no robot.");
  startRobot(device, system.mosquitto.robotUrl);
  await untilStored(system, robot, ({ live_at }) => live_at !== null);
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  await untilStored(system, robot, ({ motion, online }) => motion === "MOVING" && online);
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  await untilStored(system, robot, ({ motion }) => motion === "STOPPED");
});
