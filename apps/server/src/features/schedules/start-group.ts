import type { StartRefusal } from "@suncrew/domain/commands/start-refusal.ts";
import { type DueRobot, runWait, type RunWait } from "@suncrew/domain/schedules/run-wait.ts";
import { v7 as uuidv7 } from "uuid";
import type { Tx } from "../../platform/database/database.ts";
import { acceptOrders, type LockedRobot, lockRobots, readOpenCommands, refusalOf } from "../commands/public.ts";
import { insertPlannedRuns, type Occurrence, type PlannedRun, withoutRun } from "../runs/public.ts";
import { recordNone } from "./record-none.ts";
import { readRuledOut } from "./ruled-out.repository.ts";
import { scheduledOrder, secondsUntil } from "./scheduled-order.ts";
import { scheduled } from "./scheduler-sentences.ts";

/** People see to these themselves: the robot is locked or retired, or cleans already. */
const wanted: readonly string[] = ["maintenance", "retired", "moving", "start-open"] satisfies StartRefusal[];

/**
 * Starts what can be started, each robot for itself; the others are skipped with the reason. What people did since the
 * run was due comes before it, however late it is served. Robots that are worth waiting for (decision 45) are left for a
 * later look, and told with what they wait for by serial number. Once `isOver`, nothing starts and nobody is waited for:
 * who cannot start is skipped for that reason, and the others are left to the caller.
 */
export async function startGroup(
  tx: Tx,
  occurrence: Occurrence,
  members: readonly number[],
  { hearsSince, now, isOver = false }: { readonly hearsSince: Date; readonly now: Date; readonly isOver?: boolean },
): Promise<{ readonly started: readonly string[]; readonly waits: ReadonlyMap<string, RunWait> }> {
  const without = await withoutRun(tx, occurrence, members);
  const robots = await lockRobots(tx, without);
  const { still, reasons } = await readRuledOut(tx, occurrence, [...robots.values()]);
  for (const [reason, ruledOut] of Map.groupBy(reasons.keys(), (robotId) => reasons.get(robotId) ?? "")) {
    await recordNone(tx, occurrence, ruledOut, { outcome: "SKIPPED", reason }, now);
  }
  const due = still.filter((robotId) => !reasons.has(robotId));
  const open = Map.groupBy(await readOpenCommands(tx, due), (command) => command.robot_id);
  const robotIds: number[] = [];
  const waits = new Map<string, RunWait>();
  for (const robotId of due) {
    const robot = robots.get(robotId);
    const refusal = robot ? refusalOf(robot, open.get(robotId) ?? [], now) : null;
    const wait =
      robot && !isOver ? runWait(dueRobotOf(robot, refusal), { dueAt: occurrence.dueAt, hearsSince, now }) : null;
    if (robot && wait !== null) waits.set(robot.serial_number, wait);
    else if (!isOver || refusal !== null) robotIds.push(robotId);
  }
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
  return { started: runs.flatMap((run) => ("id" in run ? [run.commandId] : [])), waits };
}

function dueRobotOf({ state, last_command_seq: recordedSeq }: LockedRobot, refusal: StartRefusal | null): DueRobot {
  const { connection, connection_at: connectionAt, live_at: liveStateAt, clock_skew_ms: clockSkewMs } = state;
  const { last_seq: lastSeq } = state;
  return { refusal, connection, connectionAt, liveStateAt, clockSkewMs, lastSeq, recordedSeq };
}
