import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { systemFleetClock } from "../fleet/clock.ts";
import { type Access, Conversation } from "./conversation.ts";
import { Examination, usualPatience } from "./examination.ts";

const help = `Plays the server to one real robot, and says rule by rule whether the device protocol holds.

Usage: npm run conformance -- --broker URL --serial SERIAL [options]

  --broker URL       mqtt:// or mqtts://
  --serial SERIAL    the robot
  --username NAME    an account that may publish to scr/v1/SERIAL/command and read what the robot says
  --password TEXT    its password, or CONFORMANCE_PASSWORD in the environment
  --ca FILE          certificate of the authority that signed the broker's
  --may-move         THE ROBOT MOVES: a START is sent, several times, for seconds each. Only where nobody is near it.
  --person           somebody stands by who cuts the robot's power when asked
  --help             this text

Use it while no Suncrew server commands the robot: a server would answer its events. It sets the robot to
maintenance and releases it. It always ends with a STOP, on Ctrl-C as well, which leaves maintenance as it is then.
Ends with 0 where all that was tried holds, with 1 where something does not, and with 2 where nothing could be tried.`;

interface Wishes {
  readonly access: Access;
  readonly mayMove: boolean;
  readonly person: boolean;
}

/** "help" where that was asked; throws one sentence for a wrong value. */
function readWishes(): Wishes | "help" {
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
      help: flag,
    },
  });
  if (values.help) return "help";
  const { broker: brokerUrl, ca } = values;
  if (brokerUrl === undefined || !/^mqtts?:\/\/./.test(brokerUrl))
    throw new Error("--broker wants mqtt:// or mqtts://.");
  const serial = serialSchema.safeParse(values.serial).data;
  if (serial === undefined) throw new Error("--serial wants the robot's serial number.");
  const password = values.password ?? process.env["CONFORMANCE_PASSWORD"];
  const access = { brokerUrl, serial, username: values.username, password, ca: ca && readFileSync(ca) };
  return { access: { ...access, ca: access.ca || undefined }, mayMove: values["may-move"], person: values.person };
}

async function run({ access, mayMove, person }: Wishes): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(
    mayMove
      ? `${access.serial} WILL MOVE, a few seconds at a time. Ctrl-C stops it.`
      : `${access.serial} is not started: what only a moving robot shows is not tried without --may-move.`,
  );
  const robot = await Conversation.open(access, systemFleetClock);
  const askPerson = person ? (wish: string) => say(`\n>>> ${wish}\n`) : null;
  const examination = new Examination(robot, { patience: usualPatience, mayMove, askPerson, say });
  const endNow = (): void => void examination.interrupt().finally(() => process.exit(130));
  process.once("SIGINT", endNow).once("SIGTERM", endNow);
  try {
    return await examination.run();
  } finally {
    await robot.close();
  }
}

try {
  const wishes = readWishes();
  if (wishes === "help") process.stdout.write(`${help}\n`);
  else process.exitCode = (await run(wishes)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
