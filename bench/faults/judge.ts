import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { anyUuid } from "../../apps/server/src/platform/database/database.ts";
import type { Motion } from "../production/fleet.ts";
import type { TestSystem } from "../production/test-system.ts";
import { until } from "../production/wait-and-random.ts";
import { ANSWER_LIMIT_MS, type Call, type Press } from "./people.ts";
import type { PlannedRun } from "./planned-runs.ts";
import { BEGUN_WITHIN_MS, type Observation, STOP_LIMIT_MS } from "./trial.ts";

/** From the press until the robot stands, where the broker is there. */
const STANDS_WITHIN_MS = 2_000;
/**
 * From the part's return, and the first robot's, until a START has succeeded; and from the part's until Stops must work
 * again.
 */
const WORKS_AGAIN_MS = 10_000;
/** From a START until the Stop that was sent after it, if both waited in the network. */
const OVERTAKEN_MS = 500;
/** Until the servers have recorded what they sent without the database, and everything is settled. */
const RECORDED_WITHIN_MS = 60_000;
/** The server's time of a press and the caller's may differ by this much. */
const TIME_DIFFERENCE_MS = 1_000;
/** What a server may say if something that it needs is away; any other error is its own. */
const knownErrors: readonly number[] = [502, 503, 504];

/** What became of one fault; times in milliseconds. */
export interface Verdict {
  readonly observation: Observation;
  readonly problems: readonly string[];
  readonly longestAnswerMs: number;
  /** From the part's return until a START had succeeded. */
  readonly startAgainMs: number;
  /** From the press of each Stop that had to work until its robot stood; Infinity if it did not. */
  readonly stood: readonly number[];
  /** From the part's return until each planned robot moved; negative if it moved before. */
  readonly begun: readonly number[];
  readonly wronglyStarted: number;
  readonly acknowledged: number;
  readonly acknowledgedOnRecord: number;
  readonly runsOnRecord: number;
}

export async function judge(system: TestSystem, observation: Observation): Promise<Verdict> {
  const { fault, presses, reads, returnMs, reachableMs, beganMs } = observation;
  const problems: string[] = [];
  const calls: readonly Call[] = [...presses, ...reads];
  for (const { what, answer, fromMs, metFrozen } of calls) {
    if (answer !== null && answer.status >= 500 && !knownErrors.includes(answer.status)) {
      problems.push(`a ${what} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    if (answer === null && fromMs > returnMs && !metFrozen) problems.push(`a ${what} after the return had no answer.`);
  }
  const longestAnswerMs = Math.max(...calls.map(({ waitedMs }) => waitedMs));
  if (longestAnswerMs >= ANSWER_LIMIT_MS) problems.push(`a call hung for ${longestAnswerMs} ms.`);

  const worked = presses.filter(({ what, answer }) => what === "START" && answer?.status === 200);
  const startAgainMs = Math.min(...worked.map(({ untilMs }) => untilMs - returnMs).filter((ms) => ms >= 0));
  const pressedSince = worked.filter(({ fromMs }) => fromMs >= beganMs);
  const stillMs = Math.min(...pressedSince.map(({ untilMs }) => untilMs - beganMs));
  if (returnMs + startAgainMs > reachableMs + WORKS_AGAIN_MS)
    problems.push(`a START succeeded ${startAgainMs} ms after the return at first.`);
  if (fault.starts && stillMs > WORKS_AGAIN_MS) {
    problems.push(`no START succeeded for ${stillMs} ms although it had to work.`);
  }
  const stood = presses.flatMap((press) => standsAfter(press, observation));
  const late = stood.filter((ms) => ms > STANDS_WITHIN_MS);
  if (late.length > 0) {
    problems.push(`${late.length} of ${stood.length} Stops reached their robots after 2 s: ${late.join(", ")} ms.`);
  }

  const { begun, wrong, problems: ofRuns } = judgeRuns(observation);
  problems.push(...ofRuns);
  for (const { serial, fromMs } of wrong) {
    const told = await tellCommands(system, serial, returnMs);
    const times = `let go at ${(observation.letGo.get(serial) ?? 0) - returnMs} ms, moved at ${fromMs - returnMs} ms`;
    problems.push(`${serial} was started after a person had stopped or locked it (${times} after the return):${told}`);
  }
  let records = await readRecords(system, observation);
  const areWhole = async () => (records = await readRecords(system, observation)).problems.length === 0;
  if (records.problems.length > 0) await until(areWhole, RECORDED_WITHIN_MS, "").catch(() => {});
  problems.push(...records.problems);
  if (fault.reportedBy !== undefined) problems.push(...(await missingReports(system, observation)));
  return {
    observation,
    longestAnswerMs,
    startAgainMs,
    stood,
    begun,
    wronglyStarted: wrong.length,
    ...records,
    problems: problems.map((what) => `${fault.name}: ${what}`),
  };
}

/** How long after its press a Stop's robot stood, if the Stop had to work: the way to the robot was there meanwhile. */
function standsAfter({ what, fromMs, stood, metFrozen }: Press, { fault, beganMs, returnMs }: Observation): number[] {
  if (what !== "STOP" || stood === null || metFrozen) return [];
  const afterMs = stood.atMs === null ? Infinity : stood.atMs - fromMs;
  const dueMs = fromMs + Math.min(afterMs, STANDS_WITHIN_MS);
  if (!fault.stops && dueMs > beganMs && fromMs < returnMs + WORKS_AGAIN_MS) return [];
  return [afterMs];
}

function judgeRuns({ toBegin, handled, motions, letGo, returnMs, ended }: Observation) {
  const problems: string[] = [];
  const movesOf = ({ robot, dueMs }: PlannedRun): Motion[] =>
    motions.filter(({ serial, fromMs }) => serial === robot.serial && fromMs >= dueMs);
  const begun = toBegin.flatMap((run) => movesOf(run).slice(0, 1)).map(({ fromMs }) => fromMs - returnMs);
  const inTime = begun.filter((ms) => ms <= BEGUN_WITHIN_MS).length;
  if (inTime < toBegin.length) problems.push(`${inTime} of ${toBegin.length} began within a minute of the return.`);
  for (const { robot, endMs, ...run } of toBegin) {
    const moves = movesOf({ robot, endMs, ...run });
    if (moves.length > 1) problems.push(`${robot.serial} was started ${moves.length} times.`);
    const overrunMs = Math.max(...moves.map(({ untilMs }) => (untilMs ?? Infinity) - endMs));
    if (ended && overrunMs > STOP_LIMIT_MS) problems.push(`${robot.serial} moved on for ${overrunMs} ms.`);
  }
  if (letGo.size < handled.length) {
    problems.push(`${handled.length - letGo.size} robots could not be stopped or locked.`);
  }
  // A START that was on its way when the person stopped its robot is followed by that Stop, and arrives first.
  const isOvertaken = ({ fromMs, untilMs }: Motion) => untilMs !== null && untilMs - fromMs <= OVERTAKEN_MS;
  const wrong = motions.filter((one) => one.fromMs > (letGo.get(one.serial) ?? Infinity) && !isOvertaken(one));
  return { problems, begun, wrong };
}

/** What is recorded about a robot that must not begin, by the time since the return. */
async function tellCommands({ db }: TestSystem, serial: string, returnMs: number): Promise<string> {
  const rows = await db
    .selectFrom("commands")
    .select(["verb", "requested_by", "outcome", "seq", "issued_at", "published_at", "settled_at"])
    .where("serial_number", "=", serial)
    .orderBy("seq", "desc")
    .limit(6)
    .execute();
  const since = (at: Date | null) => (at === null ? "never" : `${at.getTime() - returnMs} ms`);
  const lines = rows.map(({ verb, requested_by, outcome, seq, issued_at, published_at, settled_at }) => {
    const times = `issued ${since(issued_at)}, sent ${since(published_at)}, ${outcome} ${since(settled_at)}`;
    return `\n  ${verb} ${seq} by ${requested_by}: ${times}`;
  });
  return lines.join("");
}

/** Compares what callers were told and what robots did with the commands, the activity log and the runs on record. */
async function readRecords(system: TestSystem, { fromMs, untilMs, presses, toBegin, handled }: Observation) {
  const { db, fleet, robots } = system;
  const problems: string[] = [];
  const commands = await db
    .selectFrom("commands")
    .select(["id", "robot_id", "verb", "user_id", "follows_id", "issued_at", "outcome"])
    .where("verb", "in", ["START", "STOP"])
    .where("issued_at", ">=", new Date(fromMs))
    .execute();
  const byId = new Map(commands.map((command) => [command.id, command]));
  const ofPeople = commands.filter(({ user_id, follows_id }) => user_id !== null && follows_id === null);
  const byRobot = Map.groupBy(ofPeople, ({ robot_id }) => robot_id);
  const logged = await db
    .selectFrom("activity")
    .select("command_id")
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .where("command_id", "=", anyUuid(byId.keys()))
    .groupBy("command_id")
    .execute();
  const rowsOf = new Map(logged.map(({ command_id, rows }) => [command_id, rows]));
  const open = commands.filter(({ outcome }) => outcome === null);
  if (open.length > 0) problems.push(`${open.length} commands are still open.`);

  const acknowledged = presses.filter(isAcknowledged);
  let acknowledgedOnRecord = 0;
  for (const { what, robot, answer, ...press } of acknowledged) {
    const told = sendCommand.response.safeParse(answer?.body);
    const isNear = ({ verb, issued_at }: (typeof commands)[number]) =>
      verb === what &&
      issued_at.getTime() >= press.fromMs - TIME_DIFFERENCE_MS &&
      issued_at.getTime() <= press.untilMs + TIME_DIFFERENCE_MS;
    // A Stop sent without the database may have another id on record, if its robot has shown a newer one by then.
    const isConfirmed = told.success && told.data.pending !== true;
    const named = told.success ? byId.get(told.data.command_id) : undefined;
    const row = named ?? (isConfirmed ? undefined : byRobot.get(robot.id)?.find(isNear));
    const which = `the ${what} of ${robot.serial} at ${new Date(press.fromMs).toISOString()}, answered ${answer?.status},`;
    if (row === undefined) problems.push(`${which} is not on record.`);
    else if (rowsOf.get(row.id) !== 1) problems.push(`${which} has ${rowsOf.get(row.id) ?? 0} rows of activity.`);
    else acknowledgedOnRecord += 1;
  }
  for (const [robotId, own] of Map.groupBy(presses, ({ robot }) => robot.id)) {
    const recorded = (byRobot.get(robotId) ?? []).filter(({ issued_at }) => issued_at.getTime() <= untilMs);
    for (const verb of ["START", "STOP"] as const) {
      const rows = recorded.filter((row) => row.verb === verb).length;
      const pressed = own.filter(({ what }) => what === verb).length;
      if (rows > pressed) problems.push(`${rows} ${verb}s of robot ${robotId} are on record, of ${pressed}.`);
    }
  }
  const starts = await db.selectFrom("commands").select("id").where("verb", "=", "START").execute();
  const known = new Set(starts.map(({ id }) => id));
  for (const { serial } of robots) {
    const { startsTaken } = fleet.truth(serial);
    if (new Set(startsTaken).size < startsTaken.length) problems.push(`${serial} took a START twice.`);
    const unknown = startsTaken.filter((id) => !known.has(id));
    if (unknown.length > 0) problems.push(`${serial} took a START that is not on record: ${unknown.join(", ")}.`);
  }
  const { onRecord: runsOnRecord, problems: ofRuns } = await readRuns(system, toBegin, handled);
  problems.push(...ofRuns);
  return { problems, acknowledged: acknowledged.length, acknowledgedOnRecord, runsOnRecord };
}

/** The caller was told that it is done, or that it will be. */
function isAcknowledged({ what, answer }: Press): boolean {
  if (answer?.status === 200) return true;
  const { body } = answer ?? {};
  const isPending = typeof body === "object" && body !== null && "code" in body && body.code === "COMMAND_PENDING";
  return what === "STOP" && isPending;
}

async function readRuns({ db }: TestSystem, toBegin: readonly PlannedRun[], handled: readonly PlannedRun[]) {
  const keyOf = (scheduleId: number | null, dueMs: number | undefined, robotId: number) =>
    `${scheduleId} ${dueMs} ${robotId}`;
  const dues = [...toBegin, ...handled].map(({ dueMs }) => new Date(dueMs));
  const rows = await db
    .selectFrom("runs")
    .select(["schedule_id", "due_at", "robot_id", "began_at", "ended_at", "outcome", "reason"])
    .where("due_at", "in", dues)
    .execute();
  const byKey = Map.groupBy(rows, (row) => keyOf(row.schedule_id, row.due_at?.getTime(), row.robot_id));
  const problems: string[] = [];
  let onRecord = 0;
  for (const { scheduleId, dueMs, robot } of [...toBegin, ...handled]) {
    const found = byKey.get(keyOf(scheduleId, dueMs, robot.id)) ?? [];
    if (found.length !== 1) problems.push(`${robot.serial} has ${found.length} runs on record.`);
  }
  for (const { scheduleId, dueMs, robot } of toBegin) {
    const [row] = byKey.get(keyOf(scheduleId, dueMs, robot.id)) ?? [];
    if (row === undefined) continue;
    if (row.began_at === null || row.ended_at === null) {
      problems.push(`the run of ${robot.serial} did not begin, or has no end: ${row.outcome}, ${row.reason}.`);
    } else onRecord += 1;
  }
  return { problems, onRecord };
}

/** What servers failed to say about a clock that was wrong: in their logs, and by an alert that has ended. */
async function missingReports({ db }: TestSystem, { fault, beganMs }: Observation): Promise<string[]> {
  const sentence = "this server's clock does not agree with the database's";
  const silent = (fault.reportedBy ?? []).filter((place) => !place.printed().includes(sentence));
  const alerts = await db
    .selectFrom("alerts")
    .select("cleared_at")
    .where("code", "=", "SERVER_CLOCK")
    .where("raised_at", ">", new Date(beganMs))
    .execute();
  return [
    ...silent.map(({ name }) => `the log of ${name} does not tell of the clock.`),
    ...(alerts.length === 0 ? ["no alert told of the clock."] : []),
    ...(alerts.some(({ cleared_at }) => cleared_at === null) ? ["the alert about the clock has not ended."] : []),
  ];
}
