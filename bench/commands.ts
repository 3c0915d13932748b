import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { ObedientRobots } from "./obedient-robots.ts";
import { Caller } from "./production/caller.ts";
import {
  PASSWORD,
  reportInTurn,
  type ReportingFleet,
  ROBOTS,
  serialOf,
  siteOf,
  withReportingFleet,
} from "./reporting-fleet.ts";
import { quantile, report } from "./result.ts";

// The server's own part of a person's START or STOP while 200 robot messages a second come in: from the call until the
// robot has the order, and from the robot's answer until the caller has one. The robot's own time is left out; broker and
// network of this machine are contained. The server is a process of its own, on a durable PostgreSQL and Mosquitto. It
// begins once every robot has reported, for a robot's first report costs more: it comes online.

const REPORTS_PER_SECOND = 200;
const PRESSES = Number(process.env["BENCH_PRESSES"] ?? 600);
const EVERY_MS = 100;
/** Each is started and stopped in turn, and reports only what it does; the others report all the time. */
const PRESSED_ROBOTS = 20;
/** The first ones compile. */
const WARM_UP_PRESSES = 50;
const LIMIT_MS = 50;

async function measure({ url, robotUrl }: ReportingFleet): Promise<void> {
  const robotIds = Array.from({ length: ROBOTS }, (_, nth) => 1 + nth);
  const pressed = robotIds.slice(0, PRESSED_ROBOTS);
  const others = robotIds.slice(PRESSED_ROBOTS);
  const allOnline = Promise.withResolvers<void>();
  const stop = await reportInTurn({ robotUrl }, others, REPORTS_PER_SECOND, (robotId) => {
    if (robotId === others.at(-1)) allOnline.resolve();
  });
  const robots = new ObedientRobots();
  await allOnline.promise;
  // Only now: a robot that has been silent for 45 s is not started (protocol rule 2).
  await robots.connect(robotUrl, "bench-obedient", pressed.map(serialOf));
  await pause(2_000);
  const caller = await Caller.signIn({ url }, PASSWORD);
  const own: { sending: number; answering: number }[] = [];
  let wrong = 0;
  const press = async (nth: number) => {
    const robotId = pressed[nth % pressed.length] ?? 0;
    const serial = serialOf(robotId);
    const command = Math.floor(nth / pressed.length) % 2 === 0 ? "START" : "STOP";
    const beganMs = performance.now();
    const body = { robotId: serial, robotObjectId: robotId, siteId: siteOf(robotId), command };
    const answer = await caller.call({ url }, sendCommand, { body, key: randomUUID() });
    const endedMs = performance.now();
    const handled = robots.handled.get(serial);
    if (answer?.status !== 200 || handled === undefined || handled.atMs < beganMs) wrong += 1;
    else if (nth >= WARM_UP_PRESSES) {
      own.push({ sending: handled.atMs - beganMs, answering: endedMs - handled.answeredMs });
    }
  };
  const pressing: Promise<void>[] = [];
  for (let nth = 0; nth < WARM_UP_PRESSES + PRESSES; nth += 1) {
    pressing.push(press(nth));
    await pause(EVERY_MS);
  }
  await Promise.all(pressing);
  await stop();
  await robots.end();
  const [whole, sending, answering] = [
    own.map((one) => one.sending + one.answering),
    own.map((one) => one.sending),
    own.map((one) => one.answering),
  ];
  const both = (times: readonly number[]) => `${quantile(times, 0.5)} and ${quantile(times, 0.99)} ms`;
  report({
    what: `command, the server's own part at ${REPORTS_PER_SECOND} messages/s, 99 of 100`,
    figure: quantile(whole, 0.99),
    unit: "ms",
    atMost: LIMIT_MS,
    detail:
      `median ${quantile(whole, 0.5)} ms, most ${quantile(whole, 1)} ms; until the robot has it ${both(sending)}, from its answer ` +
      `until the caller's ${both(answering)} (median and 99 of 100); ${own.length} presses, ${wrong} otherwise than done`,
  });
}

await withReportingFleet(measure);
