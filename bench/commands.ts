import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import type { Db } from "@suncrew/server/platform/database/database.ts";
import { sql } from "kysely";
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
// begins once every robot has reported, for a robot's first report costs more: it comes online. Then the same while the
// soiling of 20 sites and their comparison of strategies are asked for all the time, and computed anew each time.

const REPORTS_PER_SECOND = 200;
const PRESSES = Number(process.env["BENCH_PRESSES"] ?? 600);
const EVERY_MS = 100;
/** Each is started and stopped in turn, and reports only what it does; the others report all the time. */
const PRESSED_ROBOTS = 20;
const pressedRobots = Array.from({ length: PRESSED_ROBOTS }, (_, nth) => 1 + nth);
/** The first ones compile. With the others they leave every robot stopped. */
const WARM_UP_PRESSES = 40;
const LIMIT_MS = 50;
const BESIDE_SOILING_AT_MOST = 2;

const SOILED_SITES = Array.from({ length: 20 }, (_, nth) => 2 + nth);
/** As many people ask at once as the server has workers, and as many wait. */
const ASKING = 4;

/** Before the server starts, so that it asks for the irradiance on their panels at once. */
async function addFacts(db: Db): Promise<void> {
  await db
    .updateTable("sites")
    .set({ dc_capacity_kwp: 1_000, tilt_degrees: 20, azimuth_degrees: 180, performance_ratio_percent: 80 })
    .set({ tariff_per_kwh: 2.5, currency: "INR", cleaning_price: 800, cleaning_price_per: "run" })
    .where("id", "in", SOILED_SITES)
    .execute();
}

/** Has figures computed anew all the time, until the returned function is called; it answers how many were. */
async function computeSoiling({ db, url }: ReportingFleet, caller: Caller): Promise<() => Promise<number>> {
  const ask = async (route: typeof siteSoiling | typeof siteStrategies, siteId: number) => {
    const answer = await caller.call({ url }, route, { params: { siteId } });
    if (answer?.status !== 200) throw new Error(`${route.path}: ${JSON.stringify(answer)}`);
    return route.response.parse(answer.body).missing;
  };
  for (const siteId of SOILED_SITES) while ((await ask(siteSoiling, siteId)).length > 0) await pause(1_000);
  const over = new AbortController();
  let computed = 0;
  const asking = Array.from({ length: ASKING }, async (_, nth) => {
    for (let turn = nth; !over.signal.aborted; turn += ASKING) {
      const siteId = SOILED_SITES[turn % SOILED_SITES.length] ?? 0;
      // As an edit of the site would: what was kept does not hold any more.
      await sql`update sites set version = version + 1 where id = ${siteId}`.execute(db);
      for (const route of [siteSoiling, siteStrategies]) await ask(route, siteId);
      computed += 2;
    }
  });
  return async () => {
    over.abort();
    await Promise.all(asking);
    return computed;
  };
}

async function measure(fleet: ReportingFleet): Promise<void> {
  const { robotUrl } = fleet;
  const robotIds = Array.from({ length: ROBOTS }, (_, nth) => 1 + nth);
  const others = robotIds.slice(PRESSED_ROBOTS);
  const allOnline = Promise.withResolvers<void>();
  const stop = await reportInTurn({ robotUrl }, others, REPORTS_PER_SECOND, (robotId) => {
    if (robotId === others.at(-1)) allOnline.resolve();
  });
  const robots = new ObedientRobots();
  await allOnline.promise;
  // Only now: a robot that has been silent for 45 s is not started (protocol rule 2).
  await robots.connect(robotUrl, "bench-obedient", pressedRobots.map(serialOf));
  await pause(2_000);
  const caller = await Caller.signIn(fleet, PASSWORD);
  const alone = await pressInTurn(fleet, caller, robots);
  report({
    what: `command, the server's own part at ${REPORTS_PER_SECOND} messages/s, 99 of 100`,
    figure: quantile(alone.whole, 0.99),
    unit: "ms",
    atMost: LIMIT_MS,
    detail: alone.told,
  });
  const end = await computeSoiling(fleet, caller);
  const beganMs = performance.now();
  const beside = await pressInTurn(fleet, caller, robots);
  const perSecond = (await end()) / ((performance.now() - beganMs) / 1_000);
  report({
    what: `command, the server's own part at ${REPORTS_PER_SECOND} messages/s while soiling is computed, against without, median`,
    figure: quantile(beside.whole, 0.5) / quantile(alone.whole, 0.5),
    unit: "times",
    atMost: BESIDE_SOILING_AT_MOST,
    detail: `${beside.told}; 99 of 100 ${quantile(beside.whole, 0.99)} ms, ${quantile(alone.whole, 0.99)} without; ${perSecond.toFixed(0)} results of soiling a second`,
  });
  await stop();
  await robots.end();
}

/** Starts and stops the robots in turn: the server's own part of each press in milliseconds, and in words. */
async function pressInTurn(
  { url }: ReportingFleet,
  caller: Caller,
  robots: ObedientRobots,
): Promise<{ readonly whole: readonly number[]; readonly told: string }> {
  const own: { sending: number; answering: number }[] = [];
  let wrong = 0;
  const press = async (nth: number) => {
    const robotId = pressedRobots[nth % PRESSED_ROBOTS] ?? 0;
    const serial = serialOf(robotId);
    const command = Math.floor(nth / PRESSED_ROBOTS) % 2 === 0 ? "START" : "STOP";
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
  const [whole, sending, answering] = [
    own.map((one) => one.sending + one.answering),
    own.map((one) => one.sending),
    own.map((one) => one.answering),
  ];
  const both = (times: readonly number[]) => `${quantile(times, 0.5)} and ${quantile(times, 0.99)} ms`;
  const told =
    `median ${quantile(whole, 0.5)} ms, most ${quantile(whole, 1)} ms; until the robot has it ${both(sending)}, from its answer ` +
    `until the caller's ${both(answering)} (median and 99 of 100); ${own.length} presses, ${wrong} otherwise than done`;
  return { whole, told };
}

await withReportingFleet(measure, addFacts);
