import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Device } from "@suncrew/simulator/fleet/link.ts";
import mqtt from "mqtt";
import { afterEach, expect, test } from "vitest";
import { type CheckedSystem, press, startCheckedSystem, turn, untilStored } from "./checked-system.ts";
import type { KnownRobot } from "./fleet.ts";
import { until } from "./wait-and-random.ts";

const simulatorProgram = fileURLToPath(new URL("../../apps/simulator/src/main.ts", import.meta.url));
let system: CheckedSystem | undefined;
let simulator: ChildProcess | undefined;

afterEach(async () => {
  if (simulator !== undefined) {
    const ended = once(simulator, "exit");
    simulator.kill("SIGTERM");
    await ended;
    simulator = undefined;
  }
  await system?.close();
});

test("protocol rule 6: servers and robots with MQTT 5 work over TLS with an authority of one's own", async () => {
  const { place, mosquitto, robots, devices } = (system = await startCheckedSystem({
    robots: 1,
    connect: ({ serverTlsUrl, authorityFile }) => ({
      mqttUrl: serverTlsUrl,
      environment: { NODE_EXTRA_CA_CERTS: authorityFile },
    }),
  }));
  const [robot, device] = [...robots, ...devices] as [KnownRobot, Device];
  simulator = spawn(process.execPath, [simulatorProgram, "--serial", robot.serial, "--mqtt-version", "5"], {
    env: {
      PATH: process.env["PATH"],
      SIM_MQTT_URL: mosquitto.robotTlsUrl,
      SIM_SECRET: device.secret,
      NODE_EXTRA_CA_CERTS: mosquitto.authorityFile,
    },
    stdio: "ignore",
  });
  await untilStored(system, robot, ({ live_at }) => live_at !== null);
  const startedAtMs = performance.now();
  expect(await press(system, robot, "START")).toMatchObject({ status: 200 });
  const tookMs = performance.now() - startedAtMs;
  expect(await turn(system, robot, "REVERSE")).toMatchObject({ status: 200 });
  expect(await press(system, robot, "STOP")).toMatchObject({ status: 200 });
  expect(place.printed()).not.toContain("the MQTT broker is unreachable");
  console.log(`START to confirmation over TLS: ${tookMs.toFixed(0)} ms`);
});

test("protocol rule 9: a server that cannot prove who the broker is does not talk to it, and says so", async () => {
  const { place, mosquitto } = (system = await startCheckedSystem({
    robots: 1,
    connect: ({ serverTlsUrl }) => ({ mqttUrl: serverTlsUrl }),
  }));
  await expect(mqtt.connectAsync(mosquitto.serverTlsUrl, { reconnectPeriod: 0 }, false)).rejects.toThrow(/certificate/);
  await until(() => place.printed().includes("the MQTT broker is unreachable"), 10_000, "Nothing was logged");
  const ready = await fetch(`${place.url}/api/ready`);
  expect({ status: ready.status, body: await ready.json() }).toMatchObject({ status: 503 });
  const [, password = "none"] = /:\/\/[^:]+:([^@]+)@/.exec(mosquitto.serverTlsUrl) ?? [];
  expect(place.printed()).not.toContain(password);
});
