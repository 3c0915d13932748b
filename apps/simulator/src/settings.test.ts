import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import { faultKinds, parseFaultText } from "./faults/fault.ts";
import { help, readSettings } from "./settings.ts";

let folder: string;
let devicesFile: string;
let scenarioFile: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "suncrew-settings-"));
  devicesFile = join(folder, "devices.json");
  scenarioFile = join(folder, "scenario.json");
  writeFileSync(devicesFile, JSON.stringify({ devices: [{ serial: "SCR-1001", secret: "hidden" }] }));
  const robot = { condition: { battery: 40 }, faults: ["jam", { kind: "late", ms: 9_000 }] };
  writeFileSync(scenarioFile, JSON.stringify({ robots: { "SCR-1001": robot } }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function settingsOf(argv: string[], environment: Record<string, string> = {}) {
  const settings = readSettings(argv, environment);
  if (settings === "help") throw new Error("this is the help");
  return settings;
}

it("uses the environment if no option is given", () => {
  const environment = {
    SIM_MQTT_URL: "mqtt://broker:1884",
    SIM_DEVICES_FILE: devicesFile,
    SIM_SCENARIO_FILE: scenarioFile,
    SIM_CONTROL_PORT: "4000",
    SIM_STATE_FILE: "state.json",
    SIM_SPEED: "60",
  };
  expect(settingsOf(["--control-port", "4001"], environment)).toMatchObject({
    mqttUrl: "mqtt://broker:1884",
    protocolVersion: 4,
    devices: [{ serial: "SCR-1001", secret: "hidden" }],
    sensors: [],
    controlPort: 4001,
    stateFile: "state.json",
    speed: 60,
    linkLossStopMs: 300_000,
    initial: { "SCR-1001": { condition: { battery: 40 }, faults: [{ kind: "jam" }, { kind: "late", ms: 9_000 }] } },
  });
});

it("generates robots, and adds faults to those of the scenario", () => {
  const made = settingsOf([
    "--robots",
    "2",
    "--secret",
    "s",
    "--fault",
    "SIM-00002=refuse:BUSY",
    "--fault",
    "SIM-00002=deaf",
  ]);
  expect(made.devices.map(({ serial }) => serial)).toEqual(["SIM-00001", "SIM-00002"]);
  expect(made.initial["SIM-00002"]?.faults).toMatchObject([{ kind: "refuse", code: "BUSY" }, { kind: "deaf" }]);
});

test.each([
  [["--mqtt-url", "http://x"], "--mqtt-url must be"],
  [["--control-port", "99999"], "--control-port must be a number from 0 to 65535."],
  [["--speed", "0"], "--speed must be"],
  [["--devices", "/nowhere/x.json"], "cannot be read"],
  [["--robots", "3"], "--serial and --robots need --secret."],
  [["--serial", "a/b", "--secret", "s"], "is not a serial number"],
  [["--fault", "SCR-9=jam"], "SERIAL=KIND"],
  [["--fault", "SCR-1001=magic"], "is not a fault"],
  [["--fault", "SCR-1001=late:soon"], "is invalid"],
  [["--unknown"], "--unknown"],
])("a wrong option is refused: %j", (argv, sentence) => {
  expect(() => settingsOf(argv, { SIM_DEVICES_FILE: devicesFile })).toThrow(sentence);
});

it("a wrong devices file is named without its secrets", () => {
  const path = join(folder, "wrong.json");
  writeFileSync(path, JSON.stringify({ devices: [{ serial: "a b", secret: "hidden" }] }));
  expect(() => settingsOf(["--devices", path])).toThrow(/^(?!.*hidden).*wrong\.json is wrong at devices\.0\.serial/);
});

it("requires the robots", () => expect(() => settingsOf([])).toThrow("Specify the robots"));

it("the help names every fault", () => {
  for (const kind of faultKinds) expect(help).toContain(kind);
  expect(readSettings(["--help"], {})).toBe("help");
});

test.each([
  ["silent:30", { kind: "silent", forSeconds: 30 }],
  ["drop-link", { kind: "drop-link", forSeconds: 10 }],
  ["refuse:FAULT,STOP,START", { kind: "refuse", code: "FAULT", verbs: ["STOP", "START"] }],
  ["late:9000", { kind: "late", ms: 9_000, what: "answers" }],
  ["late:200,commands", { kind: "late", ms: 200, what: "commands" }],
  ["shuffle:50", { kind: "shuffle", ms: 50 }],
  ["low-battery:8", { kind: "low-battery", percent: 8 }],
  ["warning:Row 3: check the rail", { kind: "warning", text: "Row 3: check the rail" }],
  ["wrong-clock:-60000", { kind: "wrong-clock", offset: -60_000 }],
  ["wrong-clock:unset", { kind: "wrong-clock", offset: "unset" }],
  ["malformed:instead", { kind: "malformed", everyMs: 2_000, instead: true }],
  ["odd-status:dancing", { kind: "odd-status", text: "dancing" }],
])("reads the fault %s", (text, fault) => expect(parseFaultText(text)).toEqual(fault));
