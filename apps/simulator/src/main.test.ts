import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, test } from "vitest";
import { BrokerHarness } from "../test/broker-harness.ts";

let broker: BrokerHarness;
let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  broker = await BrokerHarness.open();
  folder = mkdtempSync(join(tmpdir(), "suncrew-simulator-main-"));
});

afterEach(async () => {
  child?.kill("SIGKILL");
  child = undefined;
  await broker.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(argv: string[], environment: Record<string, string> = {}): ChildProcess {
  child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...argv], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...environment },
  });
  return child;
}

function says(state: string) {
  return broker.first(({ leaf, text }) => leaf === "connection" && text.includes(`"${state}"`));
}

const endings: [string, (process: ChildProcess) => void][] = [
  ["SIGTERM", (process) => void process.kill("SIGTERM")],
  ["SIGINT", (process) => void process.kill("SIGINT")],
  ["its parent's end", (process) => process.disconnect()],
];

test.each(endings)(
  "takes its configuration from the environment, writes its control URL, and exits cleanly on %s",
  async (_name, end) => {
    const files = {
      devices: join(folder, "devices.json"),
      control: join(folder, "control"),
      state: join(folder, "state.json"),
    };
    writeFileSync(files.devices, JSON.stringify({ devices: [{ serial: "SCR-1001", secret: "hidden" }] }));
    const simulator = start([], {
      SIM_MQTT_URL: broker.url,
      SIM_DEVICES_FILE: files.devices,
      SIM_CONTROL_FILE: files.control,
      SIM_STATE_FILE: files.state,
    });
    await says("ONLINE");
    const robots = await fetch(`${readFileSync(files.control, "utf8").trim()}/robots`);
    expect(await robots.json()).toMatchObject([{ serial: "SCR-1001", connected: true }]);
    const exit = once(simulator, "exit");
    end(simulator);
    await says("OFFLINE");
    expect(await exit).toEqual([0, null]);
    expect(readFileSync(files.state, "utf8")).toContain("SCR-1001");
  },
);

it("exits with one sentence if an option is wrong", async () => {
  const simulator = start(["--mqtt-url", "nonsense", "--robots", "1", "--secret", "s"]);
  let told = "";
  simulator.stderr?.on("data", (chunk) => (told += String(chunk)));
  expect(await once(simulator, "close")).toEqual([1, null]);
  expect(told).toBe("--mqtt-url must be an address that begins with mqtt:// or mqtts://.\n");
});
