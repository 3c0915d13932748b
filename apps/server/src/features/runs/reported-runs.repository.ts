import {
  type EventMessage,
  eventMessageSchema,
  type RunEndReason,
  type StateMessage,
} from "@suncrew/contract/devices/messages.ts";
import { reportedTime } from "@suncrew/domain/devices/reported-values.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { mapDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import {
  beginRuns,
  type EndedRun,
  endRuns,
  insertRuns,
  type NewRun,
  type OpenRun,
  openRunsOf,
  robotsWithUnknownRuns,
  runsById,
  startsOfRuns,
  type ReportedBeginning,
} from "./runs.repository.ts";

/** The part of a live state, of a robot's current session, that matters to runs. */
export interface ReportedMotion extends Pick<StateMessage, "motion" | "runId" | "battery" | "lastSeq" | "status"> {
  readonly robotId: number;
  readonly siteId: number;
  readonly receivedAt: Date;
  /** The robot was offline, or in another session, before this state. */
  readonly wasOffline: boolean;
}

/**
 * Every motion has a row: begins and ends runs according to the states, in order, for many robots at once. Over a
 * robot's budget, only those of STARTs. Returns the robots whose runs changed.
 */
export async function recordMotions(
  tx: Tx,
  shown: readonly ReportedMotion[],
  budget: RobotBudget = unlimited,
): Promise<Set<number>> {
  const changed = new Set<number>();
  if (shown.length === 0) return changed;
  const open = await openRunsOf(tx, [...new Set(shown.map(({ robotId }) => robotId))]);
  for (const batch of batchesByRobot(shown)) {
    const news = batch.filter((state) => !isSameRun(open.get(state.robotId), state));
    const over = news.flatMap((state) => {
      const run = open.get(state.robotId);
      return run ? [{ run, state }] : [];
    });
    await endRunsByMotion(tx, over);
    for (const { run } of over) {
      open.delete(run.robot_id);
      changed.add(run.robot_id);
    }
    const moving = news.flatMap((state) => (state.motion === "MOVING" ? [{ ...state, at: state.receivedAt }] : []));
    for (const run of await beginRuns(tx, moving, budget)) {
      open.set(run.robot_id, run);
      changed.add(run.robot_id);
    }
  }
  return changed;
}

/** A motion without a run id continues the run that was started at the robot. */
function isSameRun(run: OpenRun | undefined, { motion, runId }: ReportedMotion): boolean {
  if (run === undefined || motion !== "MOVING") return false;
  return runId === null ? run.command_id === null : run.id === runId;
}

interface EndedMotion {
  readonly run: OpenRun;
  readonly state: ReportedMotion;
}

async function endRunsByMotion(tx: Tx, over: readonly EndedMotion[]): Promise<void> {
  const stops = await findStopsTaken(tx, over);
  const ends = over.map((ended) => {
    const { run, state } = ended;
    const reason = likelyEndReason(ended, stops.get(run.robot_id) ?? null);
    return { run, end: { at: state.receivedAt, battery: state.battery, reason } };
  });
  await endRuns(tx, ends);
}

/** A robot that stops by its own clock may be seen stopped this much early by ours. */
const CLOCK_TOLERANCE_MS = 2_000;

type StopVerb = "STOP" | "MAINTENANCE_ON";

/** If the robot did not say why; its own RUN_ENDED corrects it when it arrives. */
function likelyEndReason({ run, state }: EndedMotion, stoppedBy: StopVerb | null): RunEndReason {
  if (stoppedBy !== null) return stoppedBy === "STOP" ? "STOP" : "MAINTENANCE";
  if (mapDeviceStatus(state.status) === "critical") return "FAULT";
  if (state.wasOffline) return "LINK_LOST";
  const { planned_end_at: plannedEndAt } = run;
  if (plannedEndAt && state.receivedAt.getTime() >= plannedEndAt.getTime() - CLOCK_TOLERANCE_MS) return "MAX_DURATION";
  return "FINISHED";
}

/**
 * The newest STOP or lock that each robot has accepted since its run began, by robot. After a START by the order of their
 * numbers: it may have been given before any state showed the robot moving.
 */
async function findStopsTaken(tx: Tx, over: readonly EndedMotion[]): Promise<Map<number, StopVerb>> {
  if (over.length === 0) return new Map();
  const motions = over.map(({ run, state }) => ({
    robot_id: run.robot_id,
    start_id: run.command_id,
    since: run.began_at ?? new Date(0),
    last_seq: state.lastSeq,
  }));
  const { rows } = await sql<{ robot_id: number; verb: StopVerb }>`
    select n.robot_id, stop.verb
    from json_to_recordset(${JSON.stringify(motions)}::json)
      n (robot_id int, start_id uuid, since timestamptz, last_seq bigint)
    left join commands start on start.id = n.start_id
    cross join lateral (
      select c.verb from commands c
      where c.robot_id = n.robot_id and c.verb in ('STOP', 'MAINTENANCE_ON') and c.seq <= n.last_seq
        and c.seq > coalesce(start.seq, 0) and (start.seq is not null or c.issued_at >= n.since)
      order by c.seq desc limit 1) stop`.execute(tx);
  return new Map(rows.map(({ robot_id, verb }) => [robot_id, verb]));
}

/** An event as it arrived. */
export interface ReceivedEvent<M extends EventMessage = EventMessage> {
  readonly robotId: number;
  readonly siteId: number;
  readonly message: M;
  readonly receivedAt: Date;
  /** Robot's clock minus the server's, in milliseconds, as last seen; null if unknown. */
  readonly clockSkewMs: number | null;
}

type RunBegan = ReceivedEvent<Extract<EventMessage, { kind: "RUN_BEGAN" }>>;
type RunEnded = ReceivedEvent<Extract<EventMessage, { kind: "RUN_ENDED" }>>;

const isRunBegan = (event: ReceivedEvent): event is RunBegan => event.message.kind === "RUN_BEGAN";
const isRunEnded = (event: ReceivedEvent): event is RunEnded => event.message.kind === "RUN_ENDED";
const robotIdsOf = (events: readonly ReceivedEvent[]) => events.map(({ robotId }) => robotId);
const runIdsOf = (events: readonly (RunBegan | RunEnded)[]) => events.map(({ message }) => message.runId);

export interface RecordedEvents {
  /** Robots whose runs changed. */
  readonly changed: ReadonlySet<number>;
  /** Stored for the first time. */
  readonly stored: readonly ReceivedEvent[];
  /** Over the robot's budget and not stored: they must not be acknowledged, so that the robot sends them again. */
  readonly refused: ReadonlySet<EventMessage>;
}

/** Stores each event once, however often it arrives, and completes the runs from them, for many robots at once. */
export async function recordEvents(
  tx: Tx,
  events: readonly ReceivedEvent[],
  budget: RobotBudget = unlimited,
): Promise<RecordedEvents> {
  const changed = new Set<number>();
  const refused = new Set<EventMessage>();
  const stored: ReceivedEvent[] = [];
  for (const batch of batchesByRobot(events)) {
    const unknown = await robotsWithUnknownRuns(tx, batch.flatMap(runOf));
    const fits = ({ robotId }: ReceivedEvent) =>
      budget.has(robotId, "events") && (!unknown.has(robotId) || budget.has(robotId, "runs"));
    const withinBudget = batch.filter(fits);
    // An event that is already stored is acknowledged, however often it arrives.
    const pastBudget = batch.filter((event) => !fits(event));
    for (const { message } of await findUnstored(tx, pastBudget)) refused.add(message);
    const news = await storeEvents(tx, withinBudget);
    for (const { robotId } of news) {
      budget.take(robotId, "events");
      if (unknown.has(robotId)) budget.take(robotId, "runs");
    }
    stored.push(...news);
    for (const robotId of await applyBeginnings(tx, news.filter(isRunBegan))) changed.add(robotId);
    for (const robotId of await applyEnds(tx, news.filter(isRunEnded))) changed.add(robotId);
  }
  return { changed, stored, refused };
}

function runOf({ robotId, message }: ReceivedEvent): { robotId: number; runId: string }[] {
  return "runId" in message ? [{ robotId, runId: message.runId }] : [];
}

/** A repeated event keeps its time and run; its session may be that of a later attempt. */
function isSameEvent(one: "e", other: "n" | "excluded") {
  const identity = (of: string) =>
    sql`(${sql.ref(`${of}.kind`)}, ${sql.ref(`${of}.body`)} ->> 'at', ${sql.ref(`${of}.body`)} ->> 'runId')`;
  return sql`(${identity(one)} is not distinct from ${identity(other)})`;
}

/** Those of the events that are not stored. */
async function findUnstored(tx: Tx, events: readonly ReceivedEvent[]): Promise<ReceivedEvent[]> {
  if (events.length === 0) return [];
  const rows = events.map(({ robotId, message }, nth) => {
    return { nth, robot_id: robotId, event_seq: message.eventSeq, kind: message.kind, body: message };
  });
  const { rows: kept } = await sql<{ nth: number }>`
    select n.nth
    from json_to_recordset(${JSON.stringify(rows)}::json)
      n (nth int, robot_id int, event_seq bigint, kind text, body jsonb)
    join robot_events e using (robot_id, event_seq)
    where ${isSameEvent("e", "n")}`.execute(tx);
  const places = new Set(kept.map(({ nth }) => nth));
  return events.filter((_event, nth) => !places.has(nth));
}

/**
 * Returns those that were not stored before. A robot that lost its memory reuses event numbers: a different event under
 * the number of a stored one is new and replaces it.
 */
async function storeEvents(tx: Tx, events: readonly ReceivedEvent[]): Promise<ReceivedEvent[]> {
  if (events.length === 0) return [];
  const rows = events.map(({ robotId, siteId, message, receivedAt }) => ({
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
  return events.filter(({ robotId }) => robotIds.has(robotId));
}

function timeOf({ message, receivedAt, clockSkewMs }: RunBegan | RunEnded): Date {
  return reportedTime({ at: new Date(message.at), receivedAt, clockSkewMs });
}

async function applyBeginnings(tx: Tx, events: readonly RunBegan[]): Promise<number[]> {
  if (events.length === 0) return [];
  const known = await runsById(tx, runIdsOf(events));
  // It arrived late, while the next motion is in progress: its RUN_ENDED will store the complete run.
  const moving = await openRunsOf(tx, robotIdsOf(events));
  const began = events.filter(({ robotId, message }) => {
    const run = known.get(message.runId);
    const isNew = run === undefined || (run.planned && run.began_at === null && run.robot_id === robotId);
    return isNew && !moving.has(robotId);
  });
  const beginnings = began.map((event) => {
    const { robotId, siteId, message } = event;
    return { robotId, siteId, runId: message.runId, at: timeOf(event), battery: message.battery };
  });
  await beginRuns(tx, beginnings);
  return robotIdsOf(began);
}

async function applyEnds(tx: Tx, events: readonly RunEnded[]): Promise<number[]> {
  if (events.length === 0) return [];
  const known = await runsById(tx, runIdsOf(events));
  const unseen = events.filter(({ message }) => (known.get(message.runId)?.began_at ?? null) === null);
  const beginnings = await reportedBeginnings(tx, unseen);
  const ended: EndedRun[] = [];
  const complete: NewRun[] = [];
  const changed: number[] = [];
  for (const event of events) {
    const { robotId, siteId, message } = event;
    const { runId, battery, reason } = message;
    const reportedEnd = timeOf(event);
    const began = beginnings.get(robotId);
    const run = known.get(runId);
    if (run && run.robot_id !== robotId) continue;
    changed.push(robotId);
    if (run === undefined) {
      // No state showed it: the complete run is stored from the robot's two events.
      const at = began && began.at < reportedEnd ? began.at : reportedEnd;
      const beginning = { robotId, siteId, runId, at, battery: began?.battery ?? battery };
      complete.push({ beginning, end: { at: reportedEnd, battery, reason } });
    } else if (run.began_at === null) {
      // A planned run that no state showed moving.
      ended.push({ run, end: { at: reportedEnd, battery, reason }, began: began ?? { at: reportedEnd, battery } });
    } else {
      // If a state showed the end first, the earlier of the two is more accurate.
      const at = run.ended_at && run.ended_at < reportedEnd ? run.ended_at : reportedEnd;
      ended.push({ run, end: { at, battery, reason } });
    }
  }
  await endRuns(tx, ended);
  const starts = await startsOfRuns(
    tx,
    complete.map(({ beginning }) => beginning),
  );
  await insertRuns(tx, complete, starts);
  return changed;
}

/** What robots have reported about the beginning of these runs, by robot. */
async function reportedBeginnings(tx: Tx, events: readonly RunEnded[]): Promise<Map<number, ReportedBeginning>> {
  if (events.length === 0) return new Map();
  const { rows } = await sql<{ robot_id: number; body: unknown; received_at: Date }>`
    select e.robot_id, e.body, e.received_at
    from unnest(${robotIdsOf(events)}::int[], ${runIdsOf(events)}::text[]) n (robot_id, run_id)
    join robot_events e on e.robot_id = n.robot_id and e.kind = 'RUN_BEGAN' and e.body ->> 'runId' = n.run_id
    order by e.robot_id, e.event_seq desc`.execute(tx);
  const kept = new Map(rows.map((row) => [row.robot_id, row]));
  const beginnings = new Map<number, ReportedBeginning>();
  for (const { robotId, siteId, clockSkewMs } of events) {
    const row = kept.get(robotId);
    const message = row && eventMessageSchema.parse(row.body);
    if (row === undefined || message?.kind !== "RUN_BEGAN") continue;
    const at = timeOf({ robotId, siteId, message, receivedAt: row.received_at, clockSkewMs });
    beginnings.set(robotId, { at, battery: message.battery });
  }
  return beginnings;
}

/**
 * Splits robots' messages into batches with at most one message per robot, in order: single messages of many robots
 * take a few statements, and several messages of one robot are stored one after another.
 */
function batchesByRobot<T extends { readonly robotId: number }>(messages: readonly T[]): T[][] {
  const batches: T[][] = [];
  const countOf = new Map<number, number>();
  for (const each of messages) {
    const batch = countOf.get(each.robotId) ?? 0;
    countOf.set(each.robotId, batch + 1);
    (batches[batch] ??= []).push(each);
  }
  return batches;
}
