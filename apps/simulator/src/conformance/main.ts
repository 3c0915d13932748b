import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { systemFleetClock } from "../fleet/clock.ts";
import { type Access, RobotClient } from "./robot-client.ts";
import { deviceLeaves } from "@suncrew/contract/devices/topics.ts";
import { SensorCheck } from "./sensor-check.ts";
import { ConformanceCheck, defaultTimeouts } from "./conformance-check.ts";

const help = `Acts as the server for one real robot, or listens to one weather sensor, and reports rule by rule whether it follows the
device protocol.

Usage: npm run conformance -- --broker URL --serial SERIAL [options]

  --broker URL       mqtt:// or mqtts://
  --serial SERIAL    the robot, or the sensor
  --sensor           it is a weather sensor: listens for two minutes, and sends nothing
  --username NAME    an account that may publish to scr/v1/SERIAL/command and read the robot's topics
  --password TEXT    its password, or CONFORMANCE_PASSWORD in the environment
  --ca FILE          CA certificate of the broker
  --may-move         THE ROBOT MOVES: sends START several times, for seconds each. Only if nobody is near it.
  --person           somebody is there to turn the power off and on when asked
  --help             show this text

Use it while no Suncrew server commands the robot: a server would answer its events. It puts the robot into
maintenance and releases it. It always ends with a STOP, even after Ctrl-C, which leaves maintenance as it is then.
Exits with 0 if everything that was tried holds, with 1 if something does not, and with 2 if nothing could be tried.`;

interface Options {
  readonly access: Access;
  readonly mayMove: boolean;
  readonly person: boolean;
  readonly sensor: boolean;
}

/** "help" if that was requested; throws an Error for a wrong value. */
function readOptions(): Options | "help" {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    options: {
      broker: text,
      serial: text,
      username: text,
      password: text,
      ca: text,
      "may-move": flag,
      person: flag,
      sensor: flag,
      help: flag,
    },
  });
  if (values.help) return "help";
  const { broker: brokerUrl, ca } = values;
  if (brokerUrl === undefined || !/^mqtts?:\/\/./.test(brokerUrl))
    throw new Error("--broker must begin with mqtt:// or mqtts://.");
  const serial = serialSchema.safeParse(values.serial).data;
  if (serial === undefined) throw new Error("--serial must be the robot's serial number.");
  const password = values.password ?? process.env["CONFORMANCE_PASSWORD"];
  const access = { brokerUrl, serial, username: values.username, password, ca: ca && readFileSync(ca) };
  const { person, sensor } = values;
  return { access: { ...access, ca: access.ca || undefined }, mayMove: values["may-move"], person, sensor };
}

const LISTEN_MS = 120_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function runSensor({ access, person }: Options): Promise<boolean> {
  say(`Listens to ${access.serial} for ${LISTEN_MS / 1_000} seconds.`);
  const sensor = await RobotClient.open(access, systemFleetClock, deviceLeaves);
  const promptPerson = person ? (request: string) => say(`\n>>> ${request}\n`) : null;
  const { personMs } = defaultTimeouts;
  try {
    return await new SensorCheck(sensor, { listenMs: LISTEN_MS, personMs, promptPerson, say }).run();
  } finally {
    await sensor.close();
  }
}

async function run({ access, mayMove, person }: Options): Promise<boolean> {
  say(
    mayMove
      ? `${access.serial} WILL MOVE, a few seconds at a time. Ctrl-C stops it.`
      : `${access.serial} will not move: what only a moving robot shows is not tried without --may-move.`,
  );
  const robot = await RobotClient.open(access, systemFleetClock);
  const promptPerson = person ? (request: string) => say(`\n>>> ${request}\n`) : null;
  const check = new ConformanceCheck(robot, { timeouts: defaultTimeouts, mayMove, promptPerson, say });
  const endNow = (): void => void check.interrupt().finally(() => process.exit(130));
  process.once("SIGINT", endNow).once("SIGTERM", endNow);
  try {
    return await check.run();
  } finally {
    await robot.close();
  }
}

try {
  const options = readOptions();
  if (options === "help") process.stdout.write(`${help}\n`);
  else process.exitCode = (await (options.sensor ? runSensor(options) : run(options))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
