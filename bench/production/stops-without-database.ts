import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createGroup, groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { type KnownRobot, makeDevices } from "./fleet.ts";
import { until } from "./wait-and-random.ts";
import { fill, smallDisk } from "./small-disk.ts";
import { startSystem, type StepContext, type TestSystem } from "./test-system.ts";

/** From the press, in milliseconds. */
const STANDS_WITHIN_MS = 2_000;
/** Servers read what they know about robots every 5 s. */
const KNOWN_AFTER_MS = 6_000;
const PRESSED_OVER_MS = 3_000;
const RECORDED_WITHIN_MS = 60_000;

/** What happens to the database, and how it comes back. */
interface Fault {
  readonly name: string;
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
}

/** Robots move, the database goes down, people press Stop: all robots stop, and each press is recorded afterwards. */
export async function stopsWithoutDatabase(parts: StepContext): Promise<boolean> {
  const { options, folder, stops } = parts;
  console.log(`\n=== stops: ${options.stopRobots} robots are stopped while the database is unreachable`);
  const disk = await smallDisk(parts);
  const system = await startSystem(parts, makeDevices("STP", options.stopRobots), { disk: disk ?? folder });
  console.log(system.versions);
  const { postgres } = system;
  const ballast = join(disk ?? folder, "ballast");
  const faults: Fault[] = [
    { name: "killed", begin: () => postgres.kill(), end: () => postgres.startAgain() },
    { name: "paused", begin: () => postgres.pause(), end: () => postgres.resume() },
  ];
  stops.push(async () => postgres.resume());
  if (disk === null) console.log("disk full: not tried, for only root can make a small disk.");
  else {
    const end = async () => {
      await rm(ballast, { force: true });
      await postgres.startAgain();
    };
    faults.push({ name: "disk full", begin: () => fill(ballast), end });
  }
  const groupId = await makeGroup(system);
  const problems: string[] = [];
  for (const fault of faults) problems.push(...(await tryFault(system, groupId, fault)));
  for (const problem of problems) console.log(`WRONG: ${problem}`);
  return problems.length === 0;
}

async function tryFault(system: TestSystem, groupId: number, fault: Fault): Promise<string[]> {
  const { places, caller, fleet, robots, random } = system;
  const problems: string[] = [];
  await startAll(system, groupId);
  await pause(KNOWN_AFTER_MS);
  await fault.begin();
  const began = new Date();
  const stoodMs: number[] = [];
  const answers = new Map<string, number>();
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  await Promise.all(
    robots.map(async (robot) => {
      await pause(random.between(0, PRESSED_OVER_MS));
      const pressedMs = performance.now();
      const stopped = fleet.fleet.robot(robot.serial).until(({ motion }) => motion === "STOPPED");
      const late = new AbortController();
      const stood = await Promise.race([
        Promise.all([stopped, press(system, robot, "STOP").then((answer) => count(`STOP ${describe(answer)}`))]).then(
          () => true,
        ),
        pause(10_000, false, { signal: late.signal }).catch(() => false),
        stopped.then(() => void stoodMs.push(performance.now() - pressedMs)).then(() => new Promise<boolean>(() => {})),
      ]);
      late.abort();
      if (!stood) problems.push(`${fault.name}: ${robot.serial} does not stand, or its Stop was not answered.`);
    }),
  );
  const inTime = stoodMs.filter((ms) => ms <= STANDS_WITHIN_MS).length;
  if (inTime < robots.length) problems.push(`${fault.name}: ${inTime} of ${robots.length} stood within 2 s.`);
  // Somebody who tries to start one is told that the database is needed.
  for (const place of places) {
    const [robot] = robots as [KnownRobot];
    const answer = await caller.call(place, sendCommand, { body: { ...named(robot), command: "START" } });
    count(`START ${answer?.status}`);
    if (answer?.status !== 503) problems.push(`${fault.name}: a START was answered ${describe(answer)}`);
  }
  const [place] = places as [(typeof places)[number]];
  const site = await caller.call(place, siteStop, { body: { siteId: robots[0]?.siteId } });
  count(`site ${describe(site)}`);
  if (site?.status !== 200) problems.push(`${fault.name}: the site's Stop was answered ${describe(site)}`);
  if (robots.some(({ serial }) => fleet.truth(serial).motion === "MOVING")) problems.push(`${fault.name}: one moves.`);
  await fault.end();
  const endedMs = performance.now();
  problems.push(...(await checkRecords(system, fault.name, began)));
  stoodMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round(stoodMs[Math.floor(share * (stoodMs.length - 1))] ?? Number.NaN);
  console.log(
    `${fault.name.padEnd(10)} ${inTime} of ${robots.length} stood within 2 s: ${at(0.5)} ms, 99 % ${at(0.99)}, most ${at(1)}`,
  );
  console.log(`  all on record ${Math.round((performance.now() - endedMs) / 1000)} s after its end`);
  for (const [what, times] of answers) console.log(`  ${times} x ${what}`);
  return problems;
}

/**
 * Each press for one robot and the one for the site has its row, at its time, confirmed. A Stop that follows a START
 * which was not confirmed in time is nobody's press.
 */
async function checkRecords({ db, robots }: TestSystem, name: string, began: Date): Promise<string[]> {
  const read = () =>
    db
      .selectFrom("commands")
      .select(["serial_number", "outcome"])
      .where("verb", "=", "STOP")
      .where("follows_id", "is", null)
      .where("issued_at", ">=", began)
      .execute();
  const isWhole = async () => {
    const stops = await read();
    return stops.length === 2 * robots.length && stops.every(({ outcome }) => outcome === "CONFIRMED");
  };
  try {
    await until(() => isWhole().catch(() => false), RECORDED_WITHIN_MS, "");
    return [];
  } catch {
    const stops = await read();
    const confirmed = stops.filter(({ outcome }) => outcome === "CONFIRMED").length;
    return [`${name}: ${stops.length} Stops on record, ${confirmed} confirmed, of ${2 * robots.length}.`];
  }
}

/** A group of these robots, which belong to one site. */
export async function makeGroup({ places, caller, robots }: TestSystem): Promise<number> {
  const [place] = places as [(typeof places)[number]];
  const body = { site_id: robots[0]?.siteId, group_name: "All of them", robot_ids: robots.map(({ id }) => id) };
  const answer = await caller.call(place, createGroup, { body });
  return createGroup.response.parse(answer?.body).groupId;
}

/** Starts every robot, again if one did not; when it resolves, all of them have been seen to move. */
export async function startAll({ db, places, caller, robots, fleet }: TestSystem, groupId: number): Promise<void> {
  const [place] = places as [(typeof places)[number]];
  const moves = () => robots.every(({ serial }) => fleet.truth(serial).motion === "MOVING");
  const start = async () => {
    const body = { siteId: robots[0]?.siteId, groupId, command: "START" };
    await caller.call(place, groupSendCommand, { body });
    return moves();
  };
  await until(start, 60_000, "Not every robot started");
  const areSeen = async () => {
    const ids = robots.map(({ id }) => id);
    const state = db.selectFrom("robot_state").select("robot_id").where("robot_id", "in", ids);
    const moving = await state.where("motion", "=", "MOVING").execute();
    const command = db.selectFrom("commands").select("id").where("robot_id", "in", ids);
    const open = await command.where("settled_at", "is", null).execute();
    return moving.length === robots.length && open.length === 0;
  };
  await until(areSeen, 60_000, "Not every robot was seen to move");
}

const named = ({ id, serial, siteId }: KnownRobot) => ({ robotId: serial, robotObjectId: id, siteId });

function press({ places, caller, random }: TestSystem, robot: KnownRobot, command: "STOP") {
  const place = random.pick(places) ?? places[0];
  if (place === undefined) throw new Error("There is no server.");
  return caller.call(place, sendCommand, { body: { ...named(robot), command } });
}

function describe(answer: { readonly status: number; readonly body: unknown } | null): string {
  if (answer === null) return "without an answer";
  const { body } = answer;
  const message = typeof body === "object" && body !== null && "message" in body ? String(body.message) : "";
  return `${answer.status} ${message.replaceAll(/STP-\d+/g, "STP")}`;
}
