import type { DeviceAlert, EventMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";
import {
  clockSkewAlert,
  counterTooHighAlert,
  memoryLostAlert,
  messagesLostAlert,
  type ServerAlertCode,
  tooManyConnectionsAlert,
  tooManyMessagesAlert,
  unknownStatusAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { lowBattery } from "@suncrew/domain/alerts/low-battery.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { implausibleCounter } from "@suncrew/domain/devices/reported-values.ts";
import type { RobotBudget } from "@suncrew/domain/devices/robot-budget.ts";
import { isKnownDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import { announceChange } from "../../platform/change-signal.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { clearSiteOutages, raiseAlerts, recordPastAlerts, type CurrentAlerts, syncAlerts } from "../alerts/public.ts";
import { recordAcks, settleByStates } from "../commands/public.ts";
import { recordReports, settleByFirmware } from "../firmware/public.ts";
import { type ReceivedReading, recordReadings } from "../guard/public.ts";
import { markLateReadings } from "../robot-days/public.ts";
import { type ReceivedEvent, type ReportedMotion, recordEvents, recordMotions } from "../runs/public.ts";
import type { IncomingMessage, RobotMessages } from "./devices.mqtt.ts";
import { hasLostSession, applyMessage, type StateRow } from "./presence.ts";
import { Allowance } from "./robot-budgets.ts";
import {
  addReadings,
  type KnownRobot,
  lockRobotStates,
  prepareIngest,
  type Reading,
  touchRobots,
  writeRobotStates,
} from "./robot-state.repository.ts";

type Ack = Extract<IncomingMessage, { leaf: "ack" }>;
type Event = Extract<IncomingMessage, { leaf: "event" }>;
type Weather = Extract<IncomingMessage, { leaf: "weather" }>;
type Firmware = Extract<IncomingMessage, { leaf: "firmware/state" }>;

interface Outcome {
  readonly serial: string;
  readonly allowance: Allowance;
  readonly before: StateRow;
  after: StateRow;
  changed: boolean;
  /** It came online or reconnected. */
  returned: boolean;
  newest: StateMessage | null;
  /** A reading over the robot's budget is left out. */
  readonly live: { message: StateMessage; reading: Reading | null; motion: ReportedMotion }[];
  readonly acks: Ack[];
  readonly events: Event[];
  readonly firmware: Firmware[];
  /** Protocol rule 14: it publishes in a session below the known one. */
  hasLostMemory: boolean;
  /** Protocol rule 14: a counter value that is impossible. */
  badCounter: string | null;
}

export interface Ingested {
  /** Serial numbers that neither robot nor site uses, with the number of their messages. */
  readonly unknown: readonly { readonly serial: string; readonly messages: number }[];
  /** What a robot sends as if it were a weather sensor, or a sensor as if it were a robot. */
  readonly misplaced: readonly { readonly serial: string; readonly messages: number }[];
  /** Robots that came online or reconnected. */
  readonly returned: readonly number[];
  /** Stored events to acknowledge, including those stored earlier. */
  readonly received: readonly { readonly serial: string; readonly session: number; readonly eventSeq: number }[];
  /** States that advanced the current one and came live. */
  readonly readings: number;
}

/**
 * Stores robots' messages in one transaction: states, presence, readings, runs, alerts, commands. Over its budget, only
 * a robot's state and what commands depend on is stored.
 */
export async function ingest(
  db: Db,
  batch: readonly RobotMessages[],
  clock: Pick<Clock, "now">,
  allowanceOf: (serial: string) => Allowance = () => Allowance.unlimited(),
): Promise<Ingested> {
  return inTransaction(db, async (tx) => {
    await prepareIngest(tx);
    const serials = batch.map(({ serial }) => serial);
    const known = await lockRobotStates(tx, serials);
    const outcomes: Outcome[] = [];
    const unknown: { serial: string; messages: number }[] = [];
    const misplaced: { serial: string; messages: number }[] = [];
    const sensors = await recordReadings(tx, readingsOf(batch.filter(({ serial }) => !known.has(serial))));
    for (const { serial, messages } of batch) {
      const robot = known.get(serial);
      const own = messages.filter(({ leaf }) => (leaf === "weather") === (robot === undefined));
      if (own.length < messages.length && (robot !== undefined || sensors.has(serial)))
        misplaced.push({ serial, messages: messages.length - own.length });
      if (robot) outcomes.push(outcomeOf(serial, robot, own, allowanceOf(serial)));
      else if (!sensors.has(serial)) unknown.push({ serial, messages: messages.length });
    }
    // All writers lock rows in this order.
    outcomes.sort((one, other) => one.before.robot_id - other.before.robot_id);
    const refused = await store(tx, outcomes, clock);
    return {
      unknown,
      misplaced,
      returned: outcomes.filter(({ returned }) => returned).map(({ before }) => before.robot_id),
      received: outcomes.flatMap(({ serial, after, events }) =>
        events
          .filter(({ message }) => !refused.has(message))
          .map(({ message }) => ({ serial, session: after.session, eventSeq: message.eventSeq })),
      ),
      readings: outcomes.reduce((sum, { live }) => sum + live.length, 0),
    };
  });
}

/** The newest reading of each sensor. */
function readingsOf(batch: readonly RobotMessages[]): ReceivedReading[] {
  return batch.flatMap(({ serial, messages }) => {
    const readings = messages.filter((incoming): incoming is Weather => incoming.leaf === "weather");
    const [newest] = readings.toSorted(
      ({ message: one }, { message: other }) => other.session - one.session || other.seq - one.seq,
    );
    return newest === undefined ? [] : [{ serial, message: newest.message, receivedAt: newest.receivedAt }];
  });
}

/** Returns the events that were not stored. */
async function store(
  tx: Tx,
  outcomes: readonly Outcome[],
  clock: Pick<Clock, "now">,
): Promise<ReadonlySet<EventMessage>> {
  const now = clock.now();
  const budget = budgetOf(outcomes);
  const written = outcomes.filter(({ changed }) => changed).map(({ after }) => after);
  const live = outcomes.flatMap((outcome) => outcome.live);
  const readings = live.flatMap(({ reading }) => reading ?? []);
  const motions = live.map(({ motion }) => motion);
  const states = outcomes.flatMap(({ before, live: shown }) =>
    shown.map(({ message }) => ({ robotId: before.robot_id, knownSeq: before.last_seq, state: message })),
  );
  const acks = outcomes.flatMap(({ serial, acks: own }) => own.map(({ message }) => ({ serial, ack: message })));
  await writeRobotStates(tx, written);
  await addReadings(tx, readings);
  await markLateReadings(tx, readings, now);
  const moved = await recordMotions(tx, motions, budget);
  const events = await recordEvents(tx, outcomes.flatMap(eventReports), budget);
  const currentAlerts = outcomes.flatMap((outcome) => alertsOf(outcome, now));
  const alerted = await syncAlerts(tx, currentAlerts, budget);
  const pastAlerts = await recordPastAlerts(tx, events.stored, budget);
  const updated = await recordFirmware(tx, outcomes, now);
  await clearSiteOutages(tx, recoveredSites(outcomes), now);
  const settled = [...(await settleByStates(tx, states, clock)), ...(await recordAcks(tx, acks, now))];
  const touched = new Set([...moved, ...events.changed, ...alerted, ...pastAlerts, ...updated, ...settled]);
  for (const { robot_id } of written) touched.delete(robot_id);
  const untouched = [...touched].toSorted((one, other) => one - other);
  await touchRobots(tx, untouched);
  if (written.length + untouched.length > 0) await announceChange(tx);
  return events.refused;
}

function budgetOf(outcomes: readonly Outcome[]): RobotBudget {
  const allowances = new Map(outcomes.map(({ before, allowance }) => [before.robot_id, allowance]));
  return {
    has: (robotId, kind) => allowances.get(robotId)?.has(kind) ?? true,
    take: (robotId, kind) => allowances.get(robotId)?.take(kind),
  };
}

/** Sites with a robot that is back; one in maintenance does not count, as it does not when a site goes dark. */
function recoveredSites(outcomes: readonly Outcome[]): number[] {
  const back = outcomes.filter(({ returned, after }) => returned && after.operating_mode !== "maintenance");
  return [...new Set(back.map(({ after }) => after.site_id))];
}

/** Reports about offers first, then what robots show: a report may arrive before the state it refers to. */
async function recordFirmware(tx: Tx, outcomes: readonly Outcome[], now: Date): Promise<number[]> {
  const reports = outcomes.flatMap(({ before, firmware }) =>
    firmware.map(({ message }) => ({ robotId: before.robot_id, message })),
  );
  const shown = outcomes.flatMap(({ before, live }) =>
    live.map(({ message }) => ({ robotId: before.robot_id, firmware: message.firmware })),
  );
  return [...(await recordReports(tx, reports, now)), ...(await settleByFirmware(tx, shown, now))];
}

function outcomeOf(
  serial: string,
  { row: before, commandSeq }: KnownRobot,
  messages: readonly IncomingMessage[],
  allowance: Allowance,
): Outcome {
  const outcome: Outcome = {
    serial,
    allowance,
    before,
    after: before,
    changed: false,
    returned: false,
    newest: null,
    live: [],
    acks: [],
    events: [],
    firmware: [],
    hasLostMemory: false,
    badCounter: null,
  };
  for (const incoming of messages) {
    if (incoming.leaf === "weather") continue;
    const implausible =
      incoming.leaf === "ack" ? null : implausibleCounter(incoming.message, incoming.receivedAt.getTime(), commandSeq);
    if (implausible !== null) {
      outcome.badCounter = implausible;
      continue;
    }
    if (incoming.leaf === "ack") outcome.acks.push(incoming);
    else if (incoming.leaf === "event") outcome.events.push(incoming);
    else if (incoming.leaf === "firmware/state") outcome.firmware.push(incoming);
    else {
      const was = outcome.after;
      const is = applyMessage(was, incoming);
      if (is === null) {
        outcome.hasLostMemory ||= hasLostSession(was, incoming);
        continue;
      }
      outcome.after = is;
      outcome.changed = true;
      const wasOffline = !was.online || was.session !== is.session;
      outcome.returned ||= is.online && (wasOffline || (was.live_at === null && is.live_at !== null));
      if (incoming.leaf === "connection") continue;
      outcome.newest = incoming.message;
      if (incoming.retained) continue;
      const live = liveStateOf(is, incoming.message, incoming.receivedAt, wasOffline);
      const isWithinBudget = allowance.has("readings");
      if (isWithinBudget) allowance.take("readings");
      outcome.live.push(isWithinBudget ? live : { ...live, reading: null });
    }
  }
  return outcome;
}

function liveStateOf(
  row: StateRow,
  message: StateMessage,
  receivedAt: Date,
  wasOffline: boolean,
): Outcome["live"][number] {
  const { robot_id, site_id, robot_status } = row;
  const { session, seq, status, motion, mode, battery, charging, runId, lastSeq, ts } = message;
  const place = { robot_id, site_id, received_at: receivedAt, robot_ts: new Date(ts), session, seq };
  return {
    message,
    reading: { ...place, status, robot_status, motion, mode, battery, charging },
    motion: { robotId: robot_id, siteId: site_id, motion, runId, battery, lastSeq, status, receivedAt, wasOffline },
  };
}

function eventReports({ after, events }: Outcome): ReceivedEvent[] {
  const { robot_id: robotId, site_id: siteId, clock_skew_ms: clockSkewMs } = after;
  return events.map(({ message, receivedAt }) => ({ robotId, siteId, message, receivedAt, clockSkewMs }));
}

/**
 * Alerts that follow from a robot's newest state: those it lists, and those the server detects. The server's come
 * first, because a robot that floods has a limited budget of alerts. If none of its states were accepted, only what is
 * wrong with its messages.
 */
function alertsOf(outcome: Outcome, now: Date): CurrentAlerts[] {
  const { after: row, newest } = outcome;
  const robot = { robotId: row.robot_id, siteId: row.site_id };
  const faults = messageFaults(outcome);
  if (newest === null) {
    return faults.length === 0 ? [] : [{ ...robot, source: "SERVER", alerts: faults, clears: [], at: now }];
  }
  const at = row.received_at ?? new Date(newest.ts);
  const { battery: batteryPercent, charging, alerts: listed } = newest;
  const battery = lowBattery({ batteryPercent, charging, listed });
  const { clock_skew_ms: skewMs } = row;
  const alerts = [
    ...(skewMs === null || Math.abs(skewMs) <= CLOCK_SKEW_MS ? [] : [clockSkewAlert(skewMs)]),
    ...(isKnownDeviceStatus(newest.status) ? [] : [unknownStatusAlert(newest.status)]),
    ...(typeof battery === "string" ? [] : [battery]),
    ...faults,
  ];
  const clears: ServerAlertCode[] = ["CLOCK_SKEW", "UNKNOWN_STATUS", "MESSAGES_LOST", "TOO_MANY_MESSAGES"];
  clears.push("TOO_MANY_CONNECTIONS", "COUNTER_TOO_HIGH");
  // A retained state may belong to the session that the robot has forgotten.
  if (row.online) clears.push("MEMORY_LOST");
  if (battery !== "stays") clears.push("LOW_BATTERY");
  // A retained state shows how the robot was, not that it is connected.
  if (row.online) clears.push("OFFLINE_TOO_LONG");
  // A retained state can prove that it has stopped, though.
  if (row.online || newest.motion === "STOPPED") clears.push("LOST_WHILE_MOVING");
  return [
    { ...robot, source: "SERVER", alerts, clears, at },
    { ...robot, source: "ROBOT", alerts: listed, clears: "all", at },
  ];
}

/** What is wrong with a robot's messages, apart from their content. */
function messageFaults({ allowance, newest, hasLostMemory, badCounter }: Outcome): DeviceAlert[] {
  return [
    ...(allowance.isFlooding ? [tooManyMessagesAlert()] : []),
    ...(allowance.isReconnecting ? [tooManyConnectionsAlert()] : []),
    ...(hasLostMemory && newest === null ? [memoryLostAlert()] : []),
    ...(badCounter === null ? [] : [counterTooHighAlert(badCounter)]),
  ];
}

/** Suncrew lost some of the robot's messages; its next state that can be stored clears the alert. */
export async function alertLostMessages(db: Db, serial: string, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    const robot = await tx
      .selectFrom("robots")
      .select(["id as robotId", "site_id as siteId"])
      .where("serial_number", "=", serial)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (robot) await raiseAlerts(tx, [{ ...robot, alert: messagesLostAlert() }], now);
  });
}
