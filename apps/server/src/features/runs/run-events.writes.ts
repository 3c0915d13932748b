import { sql } from "kysely";
import { type EventMessage, eventMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/commands/limits.ts";
import type { Tx } from "../../platform/database/database.ts";
import { beginRun, endRun, insertRun, openRunsOf, runById } from "./run-rows.writes.ts";

/** An event as it arrived. */
export interface EventTold {
  readonly robotId: number;
  readonly siteId: number;
  readonly message: EventMessage;
  readonly receivedAt: Date;
  /** Robot's clock minus the server's, in milliseconds, as last seen; null where it was never seen. */
  readonly clockSkewMs: number | null;
}

type RunBegan = Extract<EventMessage, { kind: "RUN_BEGAN" }>;
type RunEnded = Extract<EventMessage, { kind: "RUN_ENDED" }>;

/** Keeps each event once, however often it is told, and completes the runs by it. Answers whose runs changed. */
export async function recordEvents(tx: Tx, told: readonly EventTold[]): Promise<Set<number>> {
  const changed = new Set<number>();
  for (const event of told) {
    if (!(await keepEvent(tx, event))) continue;
    const { message } = event;
    if (message.kind === "RUN_BEGAN" && (await applyBegan(tx, event, message))) changed.add(event.robotId);
    if (message.kind === "RUN_ENDED" && (await applyEnded(tx, event, message))) changed.add(event.robotId);
  }
  return changed;
}

async function keepEvent(tx: Tx, { robotId, siteId, message, receivedAt }: EventTold): Promise<boolean> {
  const kept = await tx
    .insertInto("robot_events")
    .values({
      robot_id: robotId,
      site_id: siteId,
      event_seq: message.eventSeq,
      session: message.session,
      received_at: receivedAt,
      kind: message.kind,
      body: JSON.stringify(message),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("event_seq")
    .executeTakeFirst();
  return kept !== undefined;
}

/** The robot's time of what it tells, unless its clock is off or ahead of the receipt (protocol rule 12). */
function timeOf(event: EventTold, message: RunBegan | RunEnded): Date {
  const at = new Date(message.at);
  const clockIsOff = event.clockSkewMs !== null && Math.abs(event.clockSkewMs) > CLOCK_SKEW_MS;
  return clockIsOff || at > event.receivedAt ? event.receivedAt : at;
}

async function applyBegan(tx: Tx, event: EventTold, message: RunBegan): Promise<boolean> {
  const known = await runById(tx, message.runId);
  if (known && !(known.planned && known.began_at === null && known.robot_id === event.robotId)) return false;
  // Told late, while the next motion is under way: its RUN_ENDED puts it on record whole.
  if ((await openRunsOf(tx, [event.robotId])).size > 0) return false;
  await beginRun(tx, { ...event, runId: message.runId, at: timeOf(event, message), battery: message.battery });
  return true;
}

async function applyEnded(tx: Tx, event: EventTold, message: RunEnded): Promise<boolean> {
  const toldEnd = timeOf(event, message);
  const run = await runById(tx, message.runId);
  if (run && run.robot_id !== event.robotId) return false;
  const { battery, reason } = message;
  if (run?.began_at === null) {
    // A planned run that no state showed moving.
    const began = (await toldBeginning(tx, event, message.runId)) ?? { at: toldEnd, battery };
    await endRun(tx, run, { at: toldEnd, battery, reason }, began);
    return true;
  }
  if (run) {
    // Where a state showed the end first, the earlier of both is nearer to the truth.
    const at = run.ended_at && run.ended_at < toldEnd ? run.ended_at : toldEnd;
    await endRun(tx, run, { at, battery, reason });
    return true;
  }
  await recordWhole(tx, event, message, toldEnd);
  return true;
}

/** A run that no state showed, put on record whole from what the robot told of its two ends. */
async function recordWhole(tx: Tx, event: EventTold, message: RunEnded, endedAt: Date): Promise<void> {
  const began = await toldBeginning(tx, event, message.runId);
  await insertRun(
    tx,
    {
      robotId: event.robotId,
      siteId: event.siteId,
      runId: message.runId,
      at: began && began.at < endedAt ? began.at : endedAt,
      battery: began?.battery ?? message.battery,
    },
    { at: endedAt, battery: message.battery, reason: message.reason },
  );
}

async function toldBeginning(
  tx: Tx,
  event: EventTold,
  runId: string,
): Promise<{ readonly at: Date; readonly battery: number } | null> {
  const kept = await tx
    .selectFrom("robot_events")
    .where("robot_id", "=", event.robotId)
    .where("kind", "=", "RUN_BEGAN")
    .where(sql`body ->> 'runId'`, "=", runId)
    .select(["body", "received_at"])
    .executeTakeFirst();
  if (!kept) return null;
  const began = eventMessageSchema.parse(kept.body);
  if (began.kind !== "RUN_BEGAN") return null;
  return { at: timeOf({ ...event, receivedAt: kept.received_at }, began), battery: began.battery };
}
