import { type EventMessage, eventMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { reportedTime } from "@suncrew/domain/devices/reported-time.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import {
  beginRuns,
  type EndedRun,
  endRuns,
  insertRuns,
  type NewRun,
  openRunsOf,
  robotsWithUnknownRuns,
  runsById,
  type ToldBeginning,
} from "./run-rows.repository.ts";
import { turnsOf } from "./turns.ts";

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

/** An event about one end of a run. */
interface Told<M extends RunBegan | RunEnded> {
  readonly event: EventTold;
  readonly message: M;
}

export interface RecordedEvents {
  /** Robots whose runs changed. */
  readonly changed: ReadonlySet<number>;
  /** Told for the first time. */
  readonly kept: readonly EventTold[];
  /** Past the robot's budget and not kept: it must not be told that they were received, and tells them again. */
  readonly refused: ReadonlySet<EventMessage>;
}

/** Keeps each event once, however often it is told, and completes the runs by them, those of many robots at once. */
export async function recordEvents(
  tx: Tx,
  told: readonly EventTold[],
  budget: RobotBudget = unlimited,
): Promise<RecordedEvents> {
  const changed = new Set<number>();
  const refused = new Set<EventMessage>();
  const kept: EventTold[] = [];
  for (const turn of turnsOf(told)) {
    const unknown = await robotsWithUnknownRuns(tx, turn.flatMap(runOf));
    const fits = ({ robotId }: EventTold) =>
      budget.has(robotId, "events") && (!unknown.has(robotId) || budget.has(robotId, "runs"));
    const mayBeKept = turn.filter(fits);
    // What was kept before is received, however often it is told.
    const pastBudget = turn.filter((event) => !fits(event));
    for (const { message } of await neverKept(tx, pastBudget)) refused.add(message);
    const began: Told<RunBegan>[] = [];
    const ended: Told<RunEnded>[] = [];
    for (const event of await keepEvents(tx, mayBeKept)) {
      budget.take(event.robotId, "events");
      if (unknown.has(event.robotId)) budget.take(event.robotId, "runs");
      kept.push(event);
      const { message } = event;
      if (message.kind === "RUN_BEGAN") began.push({ event, message });
      if (message.kind === "RUN_ENDED") ended.push({ event, message });
    }
    for (const robotId of await applyBegan(tx, began)) changed.add(robotId);
    for (const robotId of await applyEnded(tx, ended)) changed.add(robotId);
  }
  return { changed, kept, refused };
}

function runOf({ robotId, message }: EventTold): { robotId: number; runId: string }[] {
  return "runId" in message ? [{ robotId, runId: message.runId }] : [];
}

/** However often an event is told, its time and what it is about stay; its session may be that of another try. */
function isSameEvent(one: "e", other: "n" | "excluded") {
  const told = (of: string) =>
    sql`(${sql.ref(`${of}.kind`)}, ${sql.ref(`${of}.body`)} ->> 'at', ${sql.ref(`${of}.body`)} ->> 'runId')`;
  return sql`(${told(one)} is not distinct from ${told(other)})`;
}

/** Those of the events that are not on record. */
async function neverKept(tx: Tx, told: readonly EventTold[]): Promise<EventTold[]> {
  if (told.length === 0) return [];
  const rows = told.map(({ robotId, message }, nth) => {
    return { nth, robot_id: robotId, event_seq: message.eventSeq, kind: message.kind, body: message };
  });
  const { rows: kept } = await sql<{ nth: number }>`
    select n.nth
    from json_to_recordset(${JSON.stringify(rows)}::json)
      n (nth int, robot_id int, event_seq bigint, kind text, body jsonb)
    join robot_events e using (robot_id, event_seq)
    where ${isSameEvent("e", "n")}`.execute(tx);
  const places = new Set(kept.map(({ nth }) => nth));
  return told.filter((_event, nth) => !places.has(nth));
}

/**
 * Answers those that were not kept before. A robot that lost its memory counts its events from where it did before:
 * what is told under the number of another one is new, and takes its place on record.
 */
async function keepEvents(tx: Tx, told: readonly EventTold[]): Promise<EventTold[]> {
  if (told.length === 0) return [];
  const rows = told.map(({ robotId, siteId, message, receivedAt }) => ({
    robot_id: robotId,
    site_id: siteId,
    event_seq: message.eventSeq,
    session: message.session,
    received_at: receivedAt,
    kind: message.kind,
    body: message,
  }));
  const { rows: kept } = await sql<{ robot_id: number }>`
    insert into robot_events as e (robot_id, site_id, event_seq, session, received_at, kind, body)
    select n.robot_id, n.site_id, n.event_seq, n.session, n.received_at, n.kind, n.body
    from json_populate_recordset(null::robot_events, ${JSON.stringify(rows)}::json) n
    on conflict (robot_id, event_seq) do update set session = excluded.session, received_at = excluded.received_at,
      kind = excluded.kind, body = excluded.body, site_id = excluded.site_id
    where not ${isSameEvent("e", "excluded")}
    returning robot_id`.execute(tx);
  const robotIds = new Set(kept.map(({ robot_id }) => robot_id));
  return told.filter(({ robotId }) => robotIds.has(robotId));
}

function timeOf({ receivedAt, clockSkewMs }: EventTold, { at }: RunBegan | RunEnded): Date {
  return reportedTime({ at: new Date(at), receivedAt, clockSkewMs });
}

async function applyBegan(tx: Tx, told: readonly Told<RunBegan>[]): Promise<number[]> {
  if (told.length === 0) return [];
  const known = await runsById(
    tx,
    told.map(({ message }) => message.runId),
  );
  // Told late, while the next motion is under way: its RUN_ENDED puts it on record whole.
  const moving = await openRunsOf(
    tx,
    told.map(({ event }) => event.robotId),
  );
  const began = told.filter(({ event, message }) => {
    const run = known.get(message.runId);
    const isNew = run === undefined || (run.planned && run.began_at === null && run.robot_id === event.robotId);
    return isNew && !moving.has(event.robotId);
  });
  await beginRuns(
    tx,
    began.map(({ event, message: { runId, battery }, message }) => {
      return { robotId: event.robotId, siteId: event.siteId, runId, at: timeOf(event, message), battery };
    }),
  );
  return began.map(({ event }) => event.robotId);
}

async function applyEnded(tx: Tx, told: readonly Told<RunEnded>[]): Promise<number[]> {
  if (told.length === 0) return [];
  const known = await runsById(
    tx,
    told.map(({ message }) => message.runId),
  );
  const unseen = told.filter(({ message }) => (known.get(message.runId)?.began_at ?? null) === null);
  const beginnings = await toldBeginnings(tx, unseen);
  const ended: EndedRun[] = [];
  const whole: NewRun[] = [];
  const changed: number[] = [];
  for (const { event, message } of told) {
    const { runId, battery, reason } = message;
    const { robotId, siteId } = event;
    const toldEnd = timeOf(event, message);
    const began = beginnings.get(robotId);
    const run = known.get(runId);
    if (run && run.robot_id !== robotId) continue;
    changed.push(robotId);
    if (run === undefined) {
      // No state showed it: it is put on record whole from what the robot told of its two ends.
      const at = began && began.at < toldEnd ? began.at : toldEnd;
      const beginning = { robotId, siteId, runId, at, battery: began?.battery ?? battery };
      whole.push({ beginning, end: { at: toldEnd, battery, reason } });
    } else if (run.began_at === null) {
      // A planned run that no state showed moving.
      ended.push({ run, end: { at: toldEnd, battery, reason }, began: began ?? { at: toldEnd, battery } });
    } else {
      // Where a state showed the end first, the earlier of both is nearer to the truth.
      const at = run.ended_at && run.ended_at < toldEnd ? run.ended_at : toldEnd;
      ended.push({ run, end: { at, battery, reason } });
    }
  }
  await endRuns(tx, ended);
  await insertRuns(tx, whole);
  return changed;
}

/** What robots have told about the beginning of these runs, by robot. */
async function toldBeginnings(tx: Tx, told: readonly Told<RunEnded>[]): Promise<Map<number, ToldBeginning>> {
  if (told.length === 0) return new Map();
  const { rows } = await sql<{ robot_id: number; body: unknown; received_at: Date }>`
    select e.robot_id, e.body, e.received_at
    from unnest(${told.map(({ event }) => event.robotId)}::int[], ${told.map(({ message }) => message.runId)}::text[])
      n (robot_id, run_id)
    join robot_events e on e.robot_id = n.robot_id and e.kind = 'RUN_BEGAN' and e.body ->> 'runId' = n.run_id
    order by e.robot_id, e.event_seq desc`.execute(tx);
  const kept = new Map(rows.map((row) => [row.robot_id, row]));
  const beginnings = new Map<number, ToldBeginning>();
  for (const { event } of told) {
    const row = kept.get(event.robotId);
    const message = row && eventMessageSchema.parse(row.body);
    if (row === undefined || message?.kind !== "RUN_BEGAN") continue;
    const at = timeOf({ ...event, receivedAt: row.received_at }, message);
    beginnings.set(event.robotId, { at, battery: message.battery });
  }
  return beginnings;
}
