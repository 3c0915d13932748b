import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { z } from "zod";
import { faultKinds, faultSchema, issueText, parseFaultText } from "./faults/fault.ts";
import type { InitialState } from "./fleet/fleet.ts";
import type { FirmwareTimes } from "./fleet/simulated-robot.ts";
import type { Device } from "./fleet/link.ts";
import { firmwareFaults } from "./robot/conditions.ts";
import { conditionSchema } from "./robot/memory.ts";
import { sensorFaultKinds } from "./sensor/simulated-sensor.ts";

export interface Settings {
  readonly mqttUrl: string;
  readonly protocolVersion: 4 | 5;
  readonly devices: readonly Device[];
  readonly sensors: readonly Device[];
  readonly initial: Readonly<Record<string, InitialState>>;
  readonly stateFile: string | undefined;
  readonly controlPort: number;
  readonly controlFile: string | undefined;
  readonly speed: number;
  readonly linkLossStopMs: number;
  readonly firmware: FirmwareTimes;
  readonly exitWithStdin: boolean;
}

export const help = `Simulates cleaning robots that speak the device protocol to an MQTT broker.

Usage: npm run simulate -- [options]

  --mqtt-url URL        broker, mqtt:// or mqtts://      SIM_MQTT_URL      mqtt://127.0.0.1:1883
  --mqtt-version N      4 (MQTT 3.1.1) or 5              SIM_MQTT_VERSION  4
  --devices FILE        {"devices":[{"serial","secret"}]} SIM_DEVICES_FILE
                        with "sensor":true a weather sensor
  --serial S            one robot, with --secret
  --robots N            N robots SIM-00001 ..., with --secret for all of them
  --serial-prefix P     for --robots                                       SIM-
  --secret TEXT         password at the broker           SIM_SECRET
  --state FILE          stores what robots remember      SIM_STATE_FILE    (in memory)
  --scenario FILE       initial state of robots          SIM_SCENARIO_FILE
  --fault SERIAL=KIND[:ARG]   an initial fault; may be repeated
  --speed FACTOR        of battery and cleaning          SIM_SPEED         1
  --link-loss SECONDS   stops after this long without a broker  SIM_LINK_LOSS  300
  --firmware SECONDS    download and installation of new firmware  SIM_FIRMWARE  5
  --control-port PORT   of the control address, 0 = any  SIM_CONTROL_PORT  0
  --control-file FILE   file for the control address  SIM_CONTROL_FILE
  --exit-with-stdin     exit when standard input closes  SIM_EXIT_WITH_STDIN=1
  --help                show this text

Faults: ${faultKinds.join(", ")}.
  ARG is seconds until it clears (silent, drop-link, twice, jam, away, deaf), CODE[,VERB...] (refuse),
  milliseconds[,commands] (late), milliseconds (shuffle), percent (low-battery), text (warning, odd-status),
  milliseconds ahead or unset (wrong-clock), milliseconds between two or "instead" (malformed),
  ${firmwareFaults.join(", ")}[,SECONDS] (firmware).

Control address (127.0.0.1 only):
  GET /robots, GET /robots/SERIAL                  true physical state
  POST /robots/SERIAL/faults  {"kind": ..., ...}   DELETE /robots/SERIAL/faults[/KIND]
  POST /robots/SERIAL/condition  {"battery", "mode", "maintenance", "applied", "firmware"}
  POST /robots/SERIAL/power-cycle                  POST /robots/SERIAL/memory-loss
  GET /sensors, GET /sensors/SERIAL                true weather at the weather sensors
  POST /sensors/SERIAL/faults  {"kind": ..., ...}  DELETE /sensors/SERIAL/faults[/KIND]
    ${sensorFaultKinds.join(", ")}; "kmh" of gusts, "mmPerHour" of rain, "forSeconds" of all`;

type Environment = Readonly<Record<string, string | undefined>>;

/** Options override the environment, which overrides defaults. "help" if that was requested; throws an Error for a wrong value. */
export function readSettings(argv: readonly string[], environment: Environment): Settings | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      "mqtt-url": { type: "string" },
      "mqtt-version": { type: "string" },
      devices: { type: "string" },
      serial: { type: "string" },
      robots: { type: "string" },
      "serial-prefix": { type: "string", default: "SIM-" },
      secret: { type: "string" },
      state: { type: "string" },
      scenario: { type: "string" },
      fault: { type: "string", multiple: true, default: [] },
      speed: { type: "string" },
      "link-loss": { type: "string" },
      firmware: { type: "string" },
      "control-port": { type: "string" },
      "control-file": { type: "string" },
      "exit-with-stdin": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) return "help";
  const env = (name: string): string | undefined => environment[name] || undefined;
  const scenarioFile = values.scenario ?? env("SIM_SCENARIO_FILE");
  const scenario = scenarioFile === undefined ? { robots: {} } : readScenarioFile(scenarioFile);
  const { devices, sensors } = devicesOf({
    file: values.devices ?? env("SIM_DEVICES_FILE"),
    secret: values.secret ?? env("SIM_SECRET"),
    serial: values.serial,
    robots: values.robots,
    prefix: values["serial-prefix"],
  });
  return {
    mqttUrl: brokerUrl(values["mqtt-url"] ?? env("SIM_MQTT_URL") ?? "mqtt://127.0.0.1:1883"),
    protocolVersion:
      numberIn("--mqtt-version", values["mqtt-version"] ?? env("SIM_MQTT_VERSION") ?? "4", 4, 5) === 5 ? 5 : 4,
    devices,
    sensors,
    initial: withFaults(scenario.robots, values.fault, devices),
    stateFile: values.state ?? env("SIM_STATE_FILE"),
    controlPort: numberIn("--control-port", values["control-port"] ?? env("SIM_CONTROL_PORT") ?? "0", 0, 65_535),
    controlFile: values["control-file"] ?? env("SIM_CONTROL_FILE"),
    speed: numberIn("--speed", values.speed ?? env("SIM_SPEED") ?? "1", 0.01, 100_000),
    linkLossStopMs: 1000 * numberIn("--link-loss", values["link-loss"] ?? env("SIM_LINK_LOSS") ?? "300", 1, 86_400),
    firmware: firmwareTimes(numberIn("--firmware", values.firmware ?? env("SIM_FIRMWARE") ?? "5", 0, 86_400)),
    exitWithStdin: values["exit-with-stdin"] === true || env("SIM_EXIT_WITH_STDIN") === "1",
  };
}

function numberIn(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= min && number <= max)) {
    throw new Error(`${name} must be a number from ${min} to ${max}.`);
  }
  return number;
}

/** The download takes 60 % of the time. */
function firmwareTimes(seconds: number): FirmwareTimes {
  return { downloadMs: 600 * seconds, installMs: 400 * seconds };
}

function brokerUrl(text: string): string {
  if (!URL.canParse(text) || !["mqtt:", "mqtts:"].includes(new URL(text).protocol)) {
    throw new Error("--mqtt-url must be an address that begins with mqtt:// or mqtts://.");
  }
  return text;
}

interface DeviceOptions {
  readonly file: string | undefined;
  readonly serial: string | undefined;
  readonly robots: string | undefined;
  readonly prefix: string;
  readonly secret: string | undefined;
}

function devicesOf({ file, serial, robots, prefix, secret }: DeviceOptions): Pick<Settings, "devices" | "sensors"> {
  if (serial === undefined && robots === undefined) {
    if (file === undefined)
      throw new Error("Specify the robots: --devices FILE, or --serial or --robots with --secret.");
    return readDevicesFile(file);
  }
  if (secret === undefined) throw new Error("--serial and --robots need --secret.");
  const count = robots === undefined ? 0 : Math.floor(numberIn("--robots", robots, 1, 100_000));
  const serials = Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(5, "0")}`);
  if (serial !== undefined) serials.unshift(serial);
  const wrong = serials.find((each) => !serialSchema.safeParse(each).success);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not a serial number.`);
  return { devices: serials.map((each) => ({ serial: each, secret })), sensors: [] };
}

function withFaults(
  initial: Readonly<Record<string, InitialState>>,
  texts: readonly string[],
  devices: readonly Device[],
): Record<string, InitialState> {
  const all: Record<string, InitialState> = { ...initial };
  for (const text of texts) {
    const at = text.indexOf("=");
    const serial = text.slice(0, Math.max(0, at));
    if (!devices.some((device) => device.serial === serial)) {
      throw new Error(`--fault ${text}: write SERIAL=KIND[:ARG] with the serial number of a simulated robot.`);
    }
    const previous = all[serial] ?? {};
    all[serial] = { ...previous, faults: [...(previous.faults ?? []), parseFaultText(text.slice(at + 1))] };
  }
  return all;
}

const faultInScenario = z.union([
  z.string().transform((text, context) => {
    try {
      return parseFaultText(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is not a fault" });
      return z.NEVER;
    }
  }),
  faultSchema,
]);

/** The initial state of robots: `{"robots": {"SCR-1003": {"condition": {"battery": 40}, "faults": ["jam", {"kind": "late"}]}}}`. */
const scenarioSchema = z.strictObject({
  robots: z.record(
    serialSchema,
    z.strictObject({ condition: conditionSchema.optional(), faults: z.array(faultInScenario).optional() }),
  ),
});
const deviceSchema = z.object({
  serial: serialSchema,
  secret: z.string().min(1),
  /** It is a weather sensor's. */
  sensor: z.boolean().default(false),
});
const devicesSchema = z.object({ devices: z.array(deviceSchema) });

/** Throws an Error if the file is missing or invalid. */
function readScenarioFile(path: string): z.output<typeof scenarioSchema> {
  return readJsonFile(path, "scenario", scenarioSchema);
}

/** Throws an Error, which contains no secret, if the file is missing or invalid. */
function readDevicesFile(path: string): Pick<Settings, "devices" | "sensors"> {
  const found = Map.groupBy(readJsonFile(path, "devices", devicesSchema).devices, ({ sensor }) => sensor);
  const of = (some: readonly Device[] = []) => some.map(({ serial, secret }) => ({ serial, secret }));
  return { devices: of(found.get(false)), sensors: of(found.get(true)) };
}

function readJsonFile<T>(path: string, what: string, schema: z.ZodType<T>): T {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new Error(`The ${what} file ${path} cannot be read as JSON.`);
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new Error(`The ${what} file ${path} is wrong at ${issueText(parsed.error)}`);
  return parsed.data;
}
