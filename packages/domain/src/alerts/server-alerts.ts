import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import { lostText, type LostWhileMoving } from "../robots/lost-while-moving.ts";

/** A robot that is away for this long raises an alert. */
export const OFFLINE_TOO_LONG_MINUTES = 30;

/** What Suncrew itself raises; robots have codes of their own. */
const serverAlertCodes = [
  "CLOCK_SKEW",
  "UNKNOWN_STATUS",
  "LOW_BATTERY",
  "LOST_WHILE_MOVING",
  "OFFLINE_TOO_LONG",
  "COMMAND_UNCONFIRMED",
  "RUN_MISSED",
  "RUN_NOT_STARTED",
  "SITE_DARK",
  "MESSAGES_LOST",
  "TOO_MANY_MESSAGES",
  "TOO_MANY_CONNECTIONS",
  "MEMORY_LOST",
  "COUNTER_TOO_HIGH",
  "SERVER_CLOCK",
] as const;
export type ServerAlertCode = (typeof serverAlertCodes)[number];

interface ServerAlert extends DeviceAlert {
  readonly code: ServerAlertCode;
}

const pastCodes: readonly string[] = ["RUN_MISSED", "RUN_NOT_STARTED"] satisfies ServerAlertCode[];

/** What a person knows of and cannot be undone ends with that: no robot will ever show that a missed run was not missed. */
export function endsWhenAcknowledged(source: "ROBOT" | "SERVER", code: string): boolean {
  return source === "SERVER" && pastCodes.includes(code);
}

/** Protocol rule 12. The text does not carry the seconds, which would differ with every state. */
export function clockSkewAlert(skewMs: number): ServerAlert {
  const text = `The robot's clock is ${skewMs > 0 ? "ahead of" : "behind"} the server's by more than 30 seconds.`;
  return { code: "CLOCK_SKEW", severity: "WARNING", text };
}

export function unknownStatusAlert(status: string): ServerAlert {
  return { code: "UNKNOWN_STATUS", severity: "WARNING", text: `The robot reports the unknown status "${status}".` };
}

/** Protocol rule 13; `clockOf` tells an instant by the clocks of the site. */
export function lostWhileMovingAlert(lost: LostWhileMoving, clockOf: (at: Date) => string): ServerAlert {
  return { code: "LOST_WHILE_MOVING", severity: "CRITICAL", text: `${lostText(lost, clockOf)}.` };
}

/** A server whose clocks do not agree; `words` say how, as a sentence. */
interface DisagreeingServer {
  readonly name: string;
  readonly words: string;
}

/** Protocol rule 12, of one server or more; the same whatever order they come in. */
export function serverClockAlert(servers: readonly DisagreeingServer[]): ServerAlert {
  // A server that was restarted may be told of twice for a while.
  const told = [...new Set(servers.map(({ name, words }) => `${name}: ${words}`))].toSorted();
  const [one] = servers;
  const text =
    one !== undefined && told.length === 1
      ? `Server ${one.name} starts no robot, and is neither bridge nor scheduler, until its clocks agree. ${one.words}`
      : `${told.length} servers start no robot, and none of them is bridge or scheduler, until their clocks agree. ${told.join(" ")}`;
  return { code: "SERVER_CLOCK", severity: "CRITICAL", text };
}

export function messagesLostAlert(): ServerAlert {
  const text = "Suncrew could not store what the robot said. What is shown of it may be old.";
  return { code: "MESSAGES_LOST", severity: "WARNING", text };
}

/** Its budgets are spent (`devices/robot-budget.ts`). */
export function tooManyMessagesAlert(): ServerAlert {
  const text =
    "The robot sends more than a working robot can. What it does is shown; not all of its alerts, runs and history are kept.";
  return { code: "TOO_MANY_MESSAGES", severity: "WARNING", text };
}

/** Its budget of connections is spent. */
export function tooManyConnectionsAlert(): ServerAlert {
  const text =
    "The robot connects again and again. Its link is bad, or two machines use its serial number and secret and throw each other out.";
  return { code: "TOO_MANY_CONNECTIONS", severity: "WARNING", text };
}

const FORGET_IT = "It can be stopped, and nothing else, until a Super Admin forgets this robot's state.";

/** Protocol rule 14. */
export function memoryLostAlert(): ServerAlert {
  const text = `The robot has lost its memory: it counts its sessions from below what it told before, so what it says is not taken. ${FORGET_IT}`;
  return { code: "MEMORY_LOST", severity: "CRITICAL", text };
}

/** Protocol rule 14; `name` is the field's. */
export function counterTooHighAlert(name: string): ServerAlert {
  const text = `The robot tells a ${name} that lies days ahead, which would shut it out for good, so what it says is not taken. Set its clock and restart it, or have its firmware looked at.`;
  return { code: "COUNTER_TOO_HIGH", severity: "CRITICAL", text };
}

export function offlineTooLongAlert(): ServerAlert {
  const text = `The robot has been out of reach for more than ${OFFLINE_TOO_LONG_MINUTES} minutes.`;
  return { code: "OFFLINE_TOO_LONG", severity: "WARNING", text };
}

export function siteOutageAlert(robotCount: number): ServerAlert {
  const text = `All ${robotCount} robots of the site are out of reach. Its link or its power may be down.`;
  return { code: "SITE_DARK", severity: "CRITICAL", text };
}

/**
 * What leaves something open: a START is followed by a STOP and its run has failed, a STOP or lock stays pending. New
 * settings or a release that were not confirmed leave everything as it was, and whoever asked for them was told so.
 */
export const alertedVerbs = ["START", "STOP", "MAINTENANCE_ON"] as const;
type UnconfirmedVerb = (typeof alertedVerbs)[number];

const STOP_UNCONFIRMED = "The robot has not confirmed a Stop.";
/** Of a STOP that was not confirmed, while the robot may be moving, and from when on protocol rule 4 has stopped it. */
export const unconfirmedStopTexts = {
  mayMove: `${STOP_UNCONFIRMED} It may be moving.`,
  stands: `${STOP_UNCONFIRMED} It must have stopped by itself; not seen since.`,
} as const;

/** A robot that may move on although it was told to stop is the worst of them. */
const unconfirmed: Readonly<Record<UnconfirmedVerb, { readonly severity: Severity; readonly text: string }>> = {
  START: { severity: "WARNING", text: "The robot has not confirmed a Start." },
  STOP: { severity: "CRITICAL", text: unconfirmedStopTexts.mayMove },
  MAINTENANCE_ON: { severity: "WARNING", text: "The robot has not confirmed its maintenance lock." },
};

export function unconfirmedAlert(verb: UnconfirmedVerb): ServerAlert {
  return { code: "COMMAND_UNCONFIRMED", ...unconfirmed[verb] };
}

/** Its START failed, or the robot could not be started; `reason` is a sentence. */
export function runNotStartedAlert(reason: string): ServerAlert {
  return { code: "RUN_NOT_STARTED", severity: "WARNING", text: `A planned run did not start. ${reason}` };
}

/** `reason` is a sentence. */
export function runMissedAlert(reason: string): ServerAlert {
  return { code: "RUN_MISSED", severity: "WARNING", text: `A planned run was missed. ${reason}` };
}

/** Below this a battery is low, in percent. */
export const LOW_BATTERY_PERCENT = 20;
/** Below this it is nearly empty. */
const NEARLY_EMPTY_PERCENT = 10;
/** From here on it is low no more, so that a reading that sways does not raise it again and again. */
const LOW_BATTERY_CLEARED_PERCENT = 25;

const code = "LOW_BATTERY" satisfies ServerAlertCode;

interface BatteryReading {
  readonly batteryPercent: number;
  readonly charging: boolean;
  /** The alerts that the robot itself lists. */
  readonly listed: readonly Pick<DeviceAlert, "code">[];
}

/**
 * What a reading says about a low battery: it is raised, it is over, or (between both) it stays as it is. A robot that
 * tells of it by itself is believed, so that nobody reads the same twice.
 */
export function lowBattery({ batteryPercent, charging, listed }: BatteryReading): DeviceAlert | "over" | "stays" {
  if (listed.some((alert) => alert.code === code)) return "over";
  if (batteryPercent < NEARLY_EMPTY_PERCENT) {
    return { code, severity: "CRITICAL", text: `The battery is nearly empty, below ${NEARLY_EMPTY_PERCENT} %.` };
  }
  if (batteryPercent < LOW_BATTERY_PERCENT) {
    return { code, severity: "WARNING", text: `The battery is low, below ${LOW_BATTERY_PERCENT} %.` };
  }
  return charging || batteryPercent >= LOW_BATTERY_CLEARED_PERCENT ? "over" : "stays";
}
