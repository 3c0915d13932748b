import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createGroup, siteStop } from "@suncrew/contract/groups/groups.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { createSchedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Question } from "./caller.ts";
import { type KnownRobot, makeDevices } from "./fleet.ts";
import { FrozenNetwork } from "./frozen-network.ts";
import type { ServerPlace } from "./killed-servers.ts";
import { until } from "./wait-and-random.ts";
import { startSystem, type StepContext, type TestSystem } from "./test-system.ts";
import { localTime } from "./schedule-load.ts";
import type { SteppedClock } from "./stepped-clock.ts";

const GROUPS = 10;
/** Per group; their runs must begin. */
const TO_BEGIN = 10;
/** Per group; a person stops or locks these after the due time, and they must not begin. */
const HANDLED = 2;
const DURATION_MINUTES = 20;
const BEGUN_WITHIN_MS = 60_000;
/** Schedules are stored this long before the fault. */
const AHEAD_MS = 4_000;
/** The first runs are due this long after the fault began, the last this long before it ends. */
const DUE_FROM_MS = 1_000;
const DUE_UNTIL_MS = 4_000;
/**
 * Robots that must not begin are watched for this long after the others have begun; those that wait are checked each
 * second.
 */
const LOOK_ON_MS = 6_000;
const QUIET_MS = 60_000;
const HOUR_S = 3_600;

interface Fault {
  readonly name: string;
  /** The durations that customers report, and the usual ones of a trial, in seconds. */
  readonly longS: number;
  readonly shortS: number;
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
  /** For clock faults: the servers that have to say that their clock disagrees. */
  readonly reportedBy?: readonly ServerPlace[];
}

/** One due time of a group, its schedule, and which of its robots may begin. */
interface Planned {
  readonly group: { readonly id: number; readonly robots: readonly KnownRobot[] };
  scheduleId: number | null;
}

/**
 * Runs are due while the broker, the database or the robots' network is down, or a clock is wrong: true if each begins
 * within a minute of the return, and no robot that a person stopped or locked in the meantime.
 */
export async function catchUp(parts: StepContext): Promise<boolean> {
  const { options, stops } = parts;
  const runs = GROUPS * TO_BEGIN;
  console.log(
    `\n=== catch-up: ${runs} runs are due while the broker, the database or the robots' network is away, or clocks are wrong`,
  );
  const networks: FrozenNetwork[] = [];
  const robotsVia = async (url: string): Promise<string> => {
    const network = await FrozenNetwork.to(url);
    networks.push(network);
    stops.push(() => network.stop());
    return network.url;
  };
  const devices = makeDevices("CU", GROUPS * (TO_BEGIN + HANDLED));
  const system = await startSystem(parts, devices, { servers: 2, robotsVia, steppedClocks: true });
  const { postgres, mosquitto, clocks, places } = system;
  if (clocks === null) throw new Error("The clocks cannot be stepped.");
  const [network] = networks as [FrozenNetwork];
  stops.push(async () => postgres.resume());
  console.log(system.versions);
  const faults: Fault[] = [
    {
      name: "broker killed",
      longS: 30,
      shortS: 8,
      begin: () => mosquitto.kill(),
      end: () => mosquitto.start(),
    },
    {
      name: "PostgreSQL killed",
      longS: 105,
      shortS: 10,
      begin: () => postgres.kill(),
      end: () => postgres.startAgain(),
    },
    {
      name: "PostgreSQL paused",
      longS: 60,
      shortS: 10,
      begin: () => postgres.pause(),
      end: () => postgres.resume(),
    },
    { name: "network frozen", longS: 60, shortS: 12, begin: () => network.freeze(), end: () => network.thaw() },
    clockFault("a server's clock", HOUR_S, clocks.servers.slice(0, 1), places.slice(0, 1)),
    // All servers without time are tried by the database's clock too.
    ...(options.long ? [clockFault("servers' clocks", HOUR_S, clocks.servers, places)] : []),
    clockFault("database's clock", 600, [clocks.database], places),
  ];
  const groups = await makeGroups(system);
  const problems: string[] = [];
  for (const [nth, fault] of faults.entries()) {
    problems.push(...(await tryFault(system, groups, fault, options.long ? fault.longS : fault.shortS, nth)));
  }
  for (const problem of problems) console.log(`WRONG: ${problem}`);
  return problems.length === 0;
}

/** Clocks that are stepped ahead by this many seconds, and back. */
function clockFault(
  name: string,
  seconds: number,
  clocks: readonly SteppedClock[],
  reportedBy: readonly ServerPlace[],
): Fault {
  const step = (by: number) => Promise.all(clocks.map((clock) => clock.step(by)));
  return { name, longS: 40, shortS: 12, begin: () => step(seconds), end: () => step(0), reportedBy };
}

/** What servers failed to say about a clock that was wrong: in their logs, and by an alert that has ended. */
async function missingReports(
  { db }: TestSystem,
  reportedBy: readonly ServerPlace[],
  sinceMs: number,
): Promise<string[]> {
  const sentence = "this server's clock does not agree with the database's";
  const silent = reportedBy.filter((place) => !place.printed().includes(sentence));
  const alerts = await db
    .selectFrom("alerts")
    .select("cleared_at")
    .where("code", "=", "SERVER_CLOCK")
    .where("raised_at", ">", new Date(sinceMs))
    .execute();
  return [
    ...silent.map(({ name }) => `the log of ${name} does not tell of the clock.`),
    ...(alerts.length === 0 ? ["no alert told of the clock."] : []),
    ...(alerts.some(({ cleared_at }) => cleared_at === null) ? ["the alert about the clock has not ended."] : []),
  ];
}

async function tryFault(
  system: TestSystem,
  groups: readonly Planned[],
  fault: Fault,
  seconds: number,
  nth: number,
): Promise<string[]> {
  const { fleet } = system;
  const beginsMs = Date.now() + AHEAD_MS;
  const endsMs = beginsMs + seconds * 1_000;
  const spreadMs = endsMs - DUE_UNTIL_MS - (beginsMs + DUE_FROM_MS);
  await Promise.all(
    groups.map(async (planned, index) => {
      await plan(system, planned, beginsMs + DUE_FROM_MS + (index * spreadMs) / (groups.length - 1));
    }),
  );
  if (Date.now() > beginsMs) throw new Error("Schedules took longer to store than there was time.");
  const toBegin = groups.flatMap(({ group }) => group.robots.slice(0, TO_BEGIN));
  const handled = groups.flatMap(({ group }) => group.robots.slice(TO_BEGIN));
  const before = fleet.motions.length;
  await pause(beginsMs - Date.now());
  await fault.begin();
  // By then all runs are due; the last of the handled robots are stopped once it is over.
  await pause(endsMs - DUE_UNTIL_MS / 2 - Date.now());
  const during = handled.slice(0, handled.length - 2);
  const letGo = new Map<string, number>();
  const handle = async (robot: KnownRobot, index: number): Promise<void> => {
    const answered = await stopOrLock(system, robot, index === nth);
    if (answered) letGo.set(robot.serial, Date.now());
  };
  const pressed = Promise.all(during.map(handle));
  await pause(endsMs - Date.now());
  await fault.end();
  const returnMs = Date.now();
  await Promise.all([pressed, ...handled.slice(-2).map((robot) => handle(robot, handled.length))]);
  const moves = ({ serial }: KnownRobot) => fleet.truth(serial).motion === "MOVING";
  const inTime = await until(() => toBegin.every(moves), returnMs + BEGUN_WITHIN_MS - Date.now(), "").then(
    () => true,
    () => false,
  );
  await pause(LOOK_ON_MS);
  const motions = fleet.motions.slice(before);
  const firstOf = (serial: string) => motions.find((motion) => motion.serial === serial);
  const begun = toBegin.filter((robot) => moves(robot) && firstOf(robot.serial) !== undefined);
  const delays = begun.map(({ serial }) => (firstOf(serial)?.fromMs ?? 0) - returnMs).toSorted((a, b) => a - b);
  const within = delays.filter((ms) => ms <= BEGUN_WITHIN_MS).length;
  const wrong = motions.filter(({ serial, fromMs }) => fromMs > (letGo.get(serial) ?? Infinity));
  const twice = toBegin.filter(({ serial }) => motions.filter((motion) => motion.serial === serial).length > 1);
  const at = (share: number) => ((delays[Math.floor(share * (delays.length - 1))] ?? Number.NaN) / 1_000).toFixed(1);
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${fault.name}: ${what}`);
  if (letGo.size < handled.length) say(`${handled.length - letGo.size} robots could not be stopped or locked.`);
  for (const { serial } of wrong) {
    say(`${serial} was started after a person had stopped or locked it.`);
    await tellCommands(system, serial, returnMs);
  }
  for (const { serial } of twice) say(`${serial} was started more than once.`);
  if (!inTime || within < toBegin.length) {
    say(`${within} of ${toBegin.length} began within a minute of the return.`);
    await tellOthers(system, toBegin, begun);
  }
  if (fault.reportedBy !== undefined) {
    for (const what of await missingReports(system, fault.reportedBy, beginsMs)) say(what);
  }
  console.log(
    `${fault.name.padEnd(18)} ${String(seconds).padStart(3)} s: begun within 60 s of the return ${within} of ${toBegin.length}` +
      ` (half by ${at(0.5)} s, all by ${at(1)} s), wrongly started ${wrong.length} of ${handled.length}`,
  );
  await stopAll(system);
  return problems;
}

/** What is recorded about those that did not begin. */
async function tellOthers(
  { db }: TestSystem,
  toBegin: readonly KnownRobot[],
  begun: readonly KnownRobot[],
): Promise<void> {
  const missing = toBegin.filter((robot) => !begun.includes(robot)).map(({ id }) => id);
  if (missing.length === 0) return;
  const rows = await db
    .selectFrom("runs")
    .select(["outcome", "reason"])
    .select((eb) => eb.fn.countAll<number>().as("runs"))
    .where("robot_id", "in", missing)
    .where("due_at", ">", new Date(Date.now() - 300_000))
    .groupBy(["outcome", "reason"])
    .execute();
  for (const { outcome, reason, runs } of rows) console.log(`  ${runs} x ${outcome}: ${reason}`);
}

/** What is recorded about one that must not begin, by the time since the return. */
async function tellCommands({ db }: TestSystem, serial: string, returnMs: number): Promise<void> {
  const rows = await db
    .selectFrom("commands")
    .select(["verb", "requested_by", "outcome", "seq", "issued_at", "settled_at"])
    .where("serial_number", "=", serial)
    .orderBy("seq", "desc")
    .limit(6)
    .execute();
  const since = (at: Date | null) => (at === null ? "open" : `${at.getTime() - returnMs} ms`);
  for (const { verb, requested_by, outcome, issued_at, settled_at } of rows) {
    console.log(`  ${serial} ${verb} by ${requested_by} at ${since(issued_at)}: ${outcome} at ${since(settled_at)}`);
  }
}

/**
 * True if the person was told that it is accepted. If it is a lock, the call is repeated until the database is back.
 */
async function stopOrLock(system: TestSystem, robot: KnownRobot, lock: boolean): Promise<boolean> {
  const { id: robotObjectId, serial: robotId, siteId } = robot;
  for (const endMs = Date.now() + QUIET_MS; Date.now() < endMs; await pause(250)) {
    const answer = lock
      ? await ask(system, robotMaintenance, {
          params: { robotId: robotObjectId },
          body: { enabled: true, reason: "Trial" },
        })
      : await ask(system, sendCommand, { body: { robotId, robotObjectId, siteId, command: "STOP" } });
    // 504: stored, and pending until the robot shows it.
    if (answer !== null && (answer.status === 200 || answer.status === 504)) return true;
  }
  return false;
}

async function makeGroups(system: TestSystem): Promise<Planned[]> {
  const groups: Planned[] = [];
  const each = TO_BEGIN + HANDLED;
  for (let nth = 0; nth < GROUPS; nth += 1) {
    const robots = system.robots.slice(nth * each, (nth + 1) * each);
    const body = { site_id: robots[0]?.siteId, group_name: `Rows ${nth + 1}`, robot_ids: robots.map(({ id }) => id) };
    const { groupId } = createGroup.response.parse((await ask(system, createGroup, { body }))?.body);
    groups.push({ group: { id: groupId, robots }, scheduleId: null });
  }
  return groups;
}

/** Sets a group's next time, in whole seconds. */
async function plan(system: TestSystem, planned: Planned, dueMs: number): Promise<void> {
  const { group, scheduleId } = planned;
  const body = {
    site_id: group.robots[0]?.siteId,
    group_id: group.id,
    action: "START",
    start_time: localTime(Math.ceil(dueMs / 1_000) * 1_000, system.timezone),
    duration_minutes: DURATION_MINUTES,
    frequency: "ONCE",
    status: "ACTIVE",
  };
  const answer =
    scheduleId === null
      ? await ask(system, createSchedule, { body })
      : await ask(system, updateSchedule, { params: { scheduleId }, body });
  if (answer === null || answer.status >= 300) throw new Error(`A schedule was refused: ${JSON.stringify(answer)}`);
  planned.scheduleId ??= createSchedule.response.parse(answer.body).scheduleId;
}

/** All robots are stopped, and nothing is open, before the next fault. */
async function stopAll(system: TestSystem): Promise<void> {
  const { db, fleet, robots } = system;
  await ask(system, siteStop, { body: { siteId: robots[0]?.siteId } });
  const isQuiet = async () => {
    const open = await db.selectFrom("commands").select("id").where("settled_at", "is", null).executeTakeFirst();
    const away = await db.selectFrom("robot_state").select("robot_id").where("online", "=", false).executeTakeFirst();
    const stand = robots.every(({ serial }) => fleet.truth(serial).motion === "STOPPED");
    return stand && open === undefined && away === undefined;
  };
  await until(isQuiet, QUIET_MS, "Not every robot stood");
}

function ask({ places, caller, random }: TestSystem, route: RouteSpec, question: Question) {
  const place = random.pick(places);
  if (place === undefined) throw new Error("There is no server.");
  return caller.call(place, route, question);
}
