import type { StartRefusal } from "@suncrew/domain/commands/start-refusal.ts";
import { v7 as uuidv7 } from "uuid";
import type { Tx } from "../../platform/database/database.ts";
import { acceptOrders, type LockedRobot, lockRobots, readOpenCommands, refusalOf } from "../commands/public.ts";
import { insertPlannedRuns, type Occurrence, type PlannedRun, withoutRun } from "../runs/public.ts";
import { recordNone } from "./record-none.ts";
import { readRuledOut } from "./ruled-out.writes.ts";
import { scheduledOrder, secondsUntil } from "./scheduled-order.ts";
import { scheduled } from "./scheduler-sentences.ts";

/** People see to these themselves: the robot is locked or retired, or cleans already. */
const wanted: readonly string[] = ["maintenance", "retired", "moving", "start-open"] satisfies StartRefusal[];

/** Every robot that is there is heard of within this: they report every 30 s, and a new bridge asks them at once. */
export const HEARD_OF_MS = 30_000;

/**
 * Starts what can be started, each robot for itself; the others are skipped with the reason. What people did since the
 * run was due comes before it, however late it is served. Those that may only not have been heard of are left for a
 * later look: what no server saw is no reason to skip a robot.
 */
export async function startGroup(
  tx: Tx,
  occurrence: Occurrence,
  members: readonly number[],
  knowsRobots: boolean,
  now: Date,
): Promise<{ readonly started: readonly string[]; readonly undecided: boolean }> {
  const without = await withoutRun(tx, occurrence, members);
  const robots = await lockRobots(tx, without);
  const { still, reasons } = await readRuledOut(tx, occurrence, without);
  for (const [reason, ruledOut] of Map.groupBy(reasons.keys(), (robotId) => reasons.get(robotId) ?? "")) {
    await recordNone(tx, occurrence, ruledOut, { outcome: "SKIPPED", reason }, now);
  }
  const due = still.filter((robotId) => !reasons.has(robotId));
  const robotIds = await decidedNow(tx, robots, occurrence, due, knowsRobots, now);
  const all = await acceptOrders(
    tx,
    occurrence.siteId,
    robotIds,
    () => ({
      ...scheduledOrder,
      verb: "START",
      runId: uuidv7(),
      maxDurationS: secondsUntil(occurrence.stopDueAt, now),
    }),
    now,
  );
  const runs = all.map(({ robot, accepted }): PlannedRun => {
    if (accepted.kind === "refused") {
      const { refusal, error } = accepted;
      const reason = refusal === "start-open" ? scheduled.startOpen(robot.serial_number) : error.message;
      return { robotId: robot.id, outcome: "SKIPPED", reason, isAlert: !wanted.includes(refusal) };
    }
    const { id: commandId, run_id } = accepted.command;
    return { id: run_id ?? uuidv7(), robotId: robot.id, commandId };
  });
  await insertPlannedRuns(tx, occurrence, runs, now);
  const started = runs.flatMap((run) => ("id" in run ? [run.commandId] : []));
  return { started, undecided: robotIds.length < due.length };
}

/** The robots that can start now, and those that it makes no sense to wait for. */
async function decidedNow(
  tx: Tx,
  robots: ReadonlyMap<number, LockedRobot>,
  { dueAt }: Occurrence,
  robotIds: readonly number[],
  knowsRobots: boolean,
  now: Date,
): Promise<number[]> {
  const open = Map.groupBy(await readOpenCommands(tx, robotIds), (command) => command.robot_id);
  const isEarly = now.getTime() - dueAt.getTime() < HEARD_OF_MS;
  const waitsFor = (refusal: StartRefusal | null) => {
    // Of a robot in maintenance nothing newer will be heard.
    if (refusal === null || refusal === "maintenance") return false;
    // A silent robot that is not known to be away may be one whose bridge is moving to another server.
    return !knowsRobots || (refusal === "stale" && isEarly);
  };
  return robotIds.filter((robotId) => {
    const robot = robots.get(robotId);
    return robot === undefined || !waitsFor(refusalOf(robot, open.get(robotId) ?? [], now));
  });
}
