import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shareOf } from "../../apps/server/src/features/devices/shares.ts";
import { bridgeTimes } from "./bridge-times.ts";
import { BridgeWatch, hadAnotherServer, TAKEOVER_LIMIT_MS, timesWithoutServer } from "./bridge-watch.ts";
import { ServerKiller } from "./server-killer.ts";
import { makeDevices } from "./fleet.ts";
import { startSystem, type StepContext, type TestSystem } from "./test-system.ts";
import { SeededRandom, until } from "./wait-and-random.ts";
import { Presses } from "./presses.ts";
import { checkRuns } from "./run-checks.ts";
import { ScheduleLoad } from "./schedule-load.ts";

/** Time for storing all schedules before the first of them is due, even on a busy machine. */
const FIRST_DUE_MS = 10_000;
/** After the last planned end, for what is still to be confirmed. */
const REST_MS = 15_000;

/** Kills three servers at random while schedules are due and people press buttons; true if nothing went wrong. */
export async function endurance(parts: StepContext): Promise<boolean> {
  const { options, folder, stops } = parts;
  const { groups, robotsPerGroup, handRobots, seconds, seed } = options;
  console.log(`\n=== endurance: servers are killed for ${seconds} s, seed ${seed}`);
  const grouped = makeDevices("GRP", groups * robotsPerGroup);
  const system = await startSystem(parts, [...grouped, ...makeDevices("HAND", handRobots)]);
  const { db, places } = system;
  console.log(system.versions);
  const watch = new BridgeWatch(db);
  watch.start();
  stops.push(() => watch.stop());
  const schedules = new ScheduleLoad(system);
  const serials = new Set(grouped.map(({ serial }) => serial));
  await schedules.prepare(
    system.robots.filter(({ serial }) => serials.has(serial)),
    robotsPerGroup,
  );
  const killer = new ServerKiller(places, watch, new SeededRandom(seed + 1));
  const byHand = system.robots.filter(({ serial }) => !serials.has(serial));
  const presses = new Presses({ ...system, robots: byHand, random: new SeededRandom(seed + 2) });

  const firstDueMs = Date.now() + FIRST_DUE_MS;
  const endMs = Date.now() + seconds * 1000;
  await schedules.store(firstDueMs, endMs);
  const fromMs = Date.now();
  await Promise.all([schedules.setAnew(endMs), killer.work(endMs - fromMs), presses.work(() => Date.now() < endMs)]);
  const lastEndMs = Math.max(endMs, ...schedules.planned.map((run) => run.endMs));
  await untilQuiet(system, lastEndMs + REST_MS - Date.now());
  const gaps = timesWithoutServer(places, fromMs, Date.now());
  const untilMs = Date.now();
  const bridgeOf = (serial: string) => {
    const takeovers = watch.takeovers.filter(({ shares }) => shares.has(shareOf(serial)));
    return bridgeTimes(takeovers, gaps, fromMs, untilMs);
  };

  const counted = watch.takeovers.filter((takeover) => hadAnotherServer(takeover, places));
  const slowestTakeoverMs = Math.max(0, ...counted.flatMap(({ storedMs }) => storedMs ?? []));
  const runs = await checkRuns(system, schedules.planned, { gaps, bridgeOf, slowestTakeoverMs });
  const late = counted.filter(({ storedMs }) => storedMs === null || storedMs > TAKEOVER_LIMIT_MS);
  const problems = [
    ...runs.problems,
    ...(await presses.check()),
    ...late.map(({ killed, storedMs }) => `When ${killed} was killed the next bridges stored after ${storedMs} ms.`),
  ];

  const dues = schedules.planned.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b);
  const between = dues.slice(1).map((ms, index) => ms - (dues[index] ?? ms));
  console.log(`servers killed                     ${killer.kills}, ${killer.allKilled} times all at once`);
  console.log(`  times without any server         ${span(gaps.map((gap) => gap.untilMs - gap.fromMs))}`);
  console.log(`a bridge killed, others being there ${counted.length} of ${watch.takeovers.length} times`);
  console.log(`  until others held its locks      ${span(counted.flatMap(({ lockedMs }) => lockedMs ?? []))}`);
  console.log(`  until a robot's state was stored ${span(counted.flatMap(({ storedMs }) => storedMs ?? []))}`);
  console.log(`schedules fired                    ${dues.length}, one every ${span(between)}`);
  console.log(`  set anew, answer lost            ${schedules.unanswered}`);
  console.log(`  runs of robots                   ${runs.runs}`);
  console.log(`  from due until it moved          ${span(runs.delays)}`);
  console.log(`  the same, due without a server   ${span(runs.delaysWithoutServer)}`);
  console.log(`  from its end until it stood      ${span(runs.overruns)}`);
  console.log(`  stopped, being unseen            ${runs.unseen}`);
  console.log(`presses by hand                    ${presses.presses}, repeated after a kill ${presses.repeated}`);
  console.log(`  answers                          ${presses.describe()}`);
  console.log(`  STARTs taken by robots           ${presses.taken}`);
  for (const problem of problems) console.log(`WRONG: ${problem}`);
  if (problems.length === 0) console.log("Nothing missed, nothing doubled, nothing left without its stop.");
  if (problems.length > 0 || options.keep) {
    for (const place of places) await writeFile(join(folder, `${place.name}.log`), place.printed());
  }
  return problems.length === 0;
}

/** Waits until nothing is due, every run has ended and every command is settled; the check reports what is not. */
export async function untilQuiet({ db }: TestSystem, limitMs: number): Promise<void> {
  const isQuiet = async (): Promise<boolean> => {
    const due = await db.selectFrom("schedules").where("next_run_at", "<=", new Date()).select("id").executeTakeFirst();
    const run = await db.selectFrom("runs").where("ended_at", "is", null).select("id").executeTakeFirst();
    const command = await db.selectFrom("commands").where("settled_at", "is", null).select("id").executeTakeFirst();
    return due === undefined && run === undefined && command === undefined;
  };
  await until(isQuiet, limitMs, "Not everything ended").catch((error: unknown) => console.log(String(error)));
}

/** "least / median / most" of times in milliseconds. */
export function span(times: readonly number[]): string {
  if (times.length === 0) return "-";
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${at(0)} / ${at(0.5)} / ${at(1)} ms (least / median / most of ${times.length})`;
}
