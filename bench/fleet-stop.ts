import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { health } from "@suncrew/contract/config/config.ts";
import { fleetStop, ROBOTS_PER_COMMAND_MAX, robotsSendCommand } from "@suncrew/contract/groups/groups.ts";
import { sharesOf } from "@suncrew/domain/commands/shares.ts";
import { sql } from "kysely";
import { ObedientRobots } from "./obedient-robots.ts";
import { busySecondsOf, longestTransaction } from "./process-figures.ts";
import { Caller } from "./production/caller.ts";
import { until } from "./production/wait-and-random.ts";
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

// One press of "Stop fleet" for 5,000 robots that clean, while 5,000 others report: until the last one has its Stop, until
// the press is answered, what another person's Stop of a single robot and other calls wait for meanwhile, and that every
// robot had exactly one order. Each against a Stop of a single robot in the same run. The server is a process of its own,
// on a durable PostgreSQL and Mosquitto; the robots are in this process, so its own work is contained.

const STOPPED_ROBOTS = Number(process.env["BENCH_STOPPED_ROBOTS"] ?? 5_000);
const REPORTS_PER_SECOND = 167;
/** Stopped one by one: first with nothing else to do, then while the fleet is being stopped. */
const SINGLE_ROBOTS = 20;
const SINGLE_EVERY_MS = 100;
/** A client has so many robots: one for each would measure this process. */
const ROBOTS_PER_CLIENT = 100;
const PROBE_EVERY_MS = 20;
const REST_LIMIT_MS = 120_000;
const SETTLES_LIMIT_MS = 120_000;

interface SingleStop {
  /** Until its robot had it. */
  readonly sentMs: number;
  readonly answeredMs: number;
}

async function measure({ db, url, robotUrl, pid }: ReportingFleet): Promise<void> {
  const ids = Array.from({ length: ROBOTS }, (_, nth) => 1 + nth);
  const fleetIds = ids.slice(0, STOPPED_ROBOTS);
  const singleIds = ids.slice(STOPPED_ROBOTS, STOPPED_ROBOTS + SINGLE_ROBOTS);
  const robots = new ObedientRobots();
  for (const [nth, share] of sharesOf([...fleetIds, ...singleIds], ROBOTS_PER_CLIENT).entries()) {
    await robots.connect(robotUrl, `bench-obedient-${nth}`, share.map(serialOf));
  }
  const endReports = await reportInTurn({ robotUrl }, ids.slice(STOPPED_ROBOTS + SINGLE_ROBOTS), REPORTS_PER_SECOND);
  const areOnline = async () => {
    const { rows } = await sql<{ live: number }>`
      select count(*)::int as live from robot_state where online and robot_id <= ${STOPPED_ROBOTS + SINGLE_ROBOTS}`.execute(
      db,
    );
    return rows[0]?.live === STOPPED_ROBOTS + SINGLE_ROBOTS;
  };
  await until(areOnline, REST_LIMIT_MS, "The robots are not all online");

  const recorded = async () => {
    const { rows } = await sql<{ robots: number; rows: number }>`
      select count(distinct robot_id)::int as robots, count(*)::int as rows from commands
      where verb = 'STOP' and robot_id <= ${STOPPED_ROBOTS}`.execute(db);
    return rows[0] ?? { robots: 0, rows: 0 };
  };
  /** Those that went out before their rows are recorded afterwards, and confirmed by what their robots report next. */
  const areSettled = async () => {
    const open = await db.selectFrom("commands").select("id").where("settled_at", "is", null).limit(1).execute();
    return open.length === 0 && (await recorded()).robots === STOPPED_ROBOTS;
  };

  const [caller, other] = [await Caller.signIn({ url }, PASSWORD), await Caller.signIn({ url }, PASSWORD)];
  const start = async (robotObjectIds: readonly number[]) => {
    for (const share of sharesOf(robotObjectIds, ROBOTS_PER_COMMAND_MAX)) {
      const body = { command: "START", robotObjectIds: share };
      const answer = await caller.call({ url }, robotsSendCommand, { body, key: randomUUID() });
      const { results } = robotsSendCommand.response.parse(answer?.body);
      const failed = results.filter(({ outcome }) => outcome !== "SUCCESS");
      if (failed.length > 0) console.log(`${failed.length} not started: ${failed[0]?.message}`);
    }
  };
  const stopSingle = async (robotId: number): Promise<SingleStop> => {
    const serial = serialOf(robotId);
    const beganMs = performance.now();
    const body = { robotId: serial, robotObjectId: robotId, siteId: siteOf(robotId), command: "STOP" };
    const answer = await other.call({ url }, sendCommand, { body, key: randomUUID() });
    const answeredMs = performance.now() - beganMs;
    if (answer?.status !== 200) console.log(`A single Stop was answered ${answer?.status}.`);
    const hasIt = async () => robots.handled.get(serial)?.verb === "STOP";
    await until(hasIt, SETTLES_LIMIT_MS, `${serial} does not get its Stop`);
    return { sentMs: (robots.handled.get(serial)?.atMs ?? Infinity) - beganMs, answeredMs };
  };
  const stopSingles = async () => {
    const stops: Promise<SingleStop>[] = [];
    for (const robotId of singleIds) {
      stops.push(stopSingle(robotId));
      await pause(SINGLE_EVERY_MS);
    }
    return Promise.all(stops);
  };
  // The first one compiles.
  for (let round = 0; round < 2; round += 1) {
    await start(singleIds);
    await stopSingles();
  }
  await start(singleIds);
  const alone = await stopSingles();
  await start(singleIds);
  await start(fleetIds);
  // Servers know which robots move some seconds later.
  await pause(6_000);

  /** What other calls wait for; the longest is how long the server was busy with something else. */
  const probing = new AbortController();
  const probe = async () => {
    const waits: number[] = [];
    while (!probing.signal.aborted) {
      const beganMs = performance.now();
      await other.call({ url }, health, {});
      waits.push(performance.now() - beganMs);
      await pause(PROBE_EVERY_MS);
    }
    return waits;
  };
  const commits = async () => {
    const { rows } = await sql<{ commits: number }>`
      select xact_commit::int as commits from pg_stat_database where datname = current_database()`.execute(db);
    return rows[0]?.commits ?? 0;
  };
  const waiting = probe();
  await pause(1_000);
  const [busyBefore, commitsBefore] = [await busySecondsOf(pid), await commits()];
  const receivedBefore = robots.received;
  const beganMs = performance.now();
  let message = "";
  let answeredMs = Infinity;
  let meanwhile: SingleStop[] = [];
  const longestTransactionS = await longestTransaction(db, async () => {
    const pressing = caller.call({ url }, fleetStop, { body: { robotObjectIds: fleetIds }, key: randomUUID() });
    const stoppingSingles = stopSingles();
    message = fleetStop.response.parse((await pressing)?.body).message;
    answeredMs = performance.now() - beganMs;
    meanwhile = await stoppingSingles;
    await until(areSettled, SETTLES_LIMIT_MS, "The Stops are not all confirmed");
  });
  const settledMs = performance.now() - beganMs;
  const busySeconds = (await busySecondsOf(pid)) - busyBefore;
  const commitCount = (await commits()) - commitsBefore;
  probing.abort();
  const received = robots.received - receivedBefore;
  const waits = await waiting;
  await endReports();
  await robots.end();

  const stopped = fleetIds.flatMap((id) => {
    const handled = robots.handled.get(serialOf(id));
    return handled?.verb === "STOP" ? [handled.atMs - beganMs] : [];
  });
  const { robots: recordedRobots, rows: recordedRows } = await recorded();
  const figures = (times: readonly number[]) => `${quantile(times, 0.5)} and ${quantile(times, 1)} ms`;
  const sentOf = (stops: readonly SingleStop[]) => stops.map(({ sentMs }) => sentMs);
  const answeredOf = (stops: readonly SingleStop[]) => stops.map(({ answeredMs: ms }) => ms);
  const what = `fleet stop of ${STOPPED_ROBOTS.toLocaleString("en")} moving robots`;
  report({
    what: `${what}: not sent to a robot, not recorded, or recorded twice`,
    figure: STOPPED_ROBOTS - stopped.length + (STOPPED_ROBOTS - recordedRobots) + (recordedRows - recordedRobots),
    unit: "",
    atMost: 0,
    detail: `${received} orders received; "${message}"`,
  });
  report({
    what: `${what}: until the last robot has it, a robot, against a Stop of one alone`,
    figure: quantile(stopped, 1) / STOPPED_ROBOTS / quantile(sentOf(alone), 0.5),
    unit: "times",
    atMost: 0.1,
    detail: `half of them ${quantile(stopped, 0.5)} ms, the last ${quantile(stopped, 1)} ms; one alone ${figures(sentOf(alone))} (median and most)`,
  });
  report({
    what: `${what}: another person's Stop of a robot meanwhile, until that has it, against the last of the fleet`,
    figure: quantile(sentOf(meanwhile), 1) / quantile(stopped, 1),
    unit: "times",
    atMost: 1,
    detail:
      `${figures(sentOf(meanwhile))}; answered after ${figures(answeredOf(meanwhile))}, alone ${figures(answeredOf(alone))}; ` +
      `other calls waited ${figures(waits)}`,
  });
  report({
    what: `${what}: until the press is answered, against the last robot that has it`,
    figure: answeredMs / quantile(stopped, 1),
    unit: "times",
    detail:
      `${(answeredMs / 1_000).toFixed(1)} s, all confirmed after ${(settledMs / 1_000).toFixed(1)} s; ${commitCount} commits, ` +
      `longest transaction ${longestTransactionS.toFixed(2)} s, server busy ${busySeconds.toFixed(1)} s`,
  });
}

await withReportingFleet(measure);
