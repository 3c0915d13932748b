import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { Banded } from "@suncrew/contract/soiling/soiling.ts";
import { lostText, lostTimes, type LostTimes, type LostWhileMoving } from "../robots/lost-while-moving.ts";
import { bareOutcomeSentence, type OutcomeText } from "../texts/outcome-texts.ts";
import { nested, type NestedText, type ParamsOf, type TextParams } from "@suncrew/contract/http/coded-text.ts";
import { type PassedLimit, passedPhrase } from "../texts/passed-limit.ts";
import type { DiskLevel } from "./disk-space.ts";
import { OFFLINE_TOO_LONG_MINUTES } from "./offline-alerts.ts";

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
  "RUN_SKIPPED",
  "RUN_CUT_SHORT",
  "SITE_DARK",
  "SITE_SOILED",
  "WEATHER_LIMIT",
  "SENSOR_SILENT",
  "MESSAGES_LOST",
  "TOO_MANY_MESSAGES",
  "TOO_MANY_CONNECTIONS",
  "MEMORY_LOST",
  "COUNTER_TOO_HIGH",
  "SERVER_CLOCK",
  "DISK_NEARLY_FULL",
  "CHANNEL_FAILING",
  "ROLLOUT_PAUSED",
  "REPORT_FAILED",
  "SIGN_IN_LOCKED",
  "AUDIT_CHAIN_BROKEN",
  "BACKUP_OVERDUE",
] as const;
export type ServerAlertCode = (typeof serverAlertCodes)[number];

/** What Suncrew itself raises. `text` is `alertText` of the code and the parameters, which are stored beside it. */
export interface ServerAlert extends DeviceAlert {
  readonly code: ServerAlertCode;
  readonly params: TextParams;
}

const pastCodes: readonly string[] = [
  "RUN_MISSED",
  "RUN_NOT_STARTED",
  "RUN_SKIPPED",
  "RUN_CUT_SHORT",
  "REPORT_FAILED",
  "SIGN_IN_LOCKED",
] satisfies ServerAlertCode[];

/**
 * Acknowledging ends these, because nothing can undo them: no robot will ever show that a missed run was not missed.
 */
export function endsWhenAcknowledged(source: "ROBOT" | "SERVER", code: string): boolean {
  return source === "SERVER" && pastCodes.includes(code);
}

/** What tells the entries of an alert's lists apart; the rest, such as how full a disk is, may change. */
const subjectFields = ["name", "rollout", "username", "server", "folder"] as const;

/** Whether an open alert comes to be about something else as well: another contact point, rollout, account or disk. */
export function isAboutMore(params: object, before: object | null): boolean {
  const known = subjectsOf(before ?? {});
  return subjectsOf(params).some((subject) => {
    const nth = known.indexOf(subject);
    // Two contact points may have one name.
    if (nth >= 0) known.splice(nth, 1);
    return nth < 0;
  });
}

const subjectsOf = (params: object): string[] =>
  Object.values(params)
    .filter((list) => Array.isArray(list))
    .flat()
    .map((entry: object) => JSON.stringify(entry, [...subjectFields]));

const FORGET_IT = "It can be stopped, and nothing else, until a Super Admin forgets this robot's state.";
const RULE_4_STOPPED = "It must have stopped by itself; not seen since.";

/** The folder of the disk of a PostgreSQL elsewhere, whose size is configured. */
export const DATABASE_DISK = "database";
const diskName = ({ server, folder }: FullDisk) =>
  folder === DATABASE_DISK ? "the database" : `server ${server} with the folder ${folder}`;

type WithReason = { readonly reason: NestedText };
type FullDisks = { readonly disks: readonly FullDisk[] };
type FailingChannels = {
  readonly contacts: readonly { readonly name: string }[];
  readonly webhooks?: readonly { readonly name: string }[];
};
type PausedRollouts = { readonly rollouts: readonly PausedRollout[] };
type LockedAccounts = { readonly accounts: readonly LockedAccount[] };
type BrokenChain = {
  /** A sentence: the first difference from what was sealed. */
  readonly wrong: string;
  /** The number of the link at which it was found. */
  readonly number: number;
  /** A head of the chain that was known before, `NUMBER:HASH`; null where none was. */
  readonly head: string | null;
};
/** In percent of the energy, with the least and the most that it may be. */
type SoiledSite = {
  readonly loss: number;
  readonly low: number;
  readonly high: number;
  readonly limit: number;
  /** Where the model is corrected: what the settling particles are multiplied by. */
  readonly factor?: number;
};
/** `since` is the day and the time of its last reading, by the site's clock. */
type SilentSensor = { readonly serial: string; readonly since: string };
type DisagreeingServers = { readonly servers: readonly DisagreeingServer[] };

/** The texts. A code keeps its parameters for good, because stored rows have them. */
const alertTexts = {
  CLOCK_SKEW: ({ ahead }: { readonly ahead: boolean }) =>
    `The robot's clock is ${ahead ? "ahead of" : "behind"} the server's by more than 30 seconds.`,
  UNKNOWN_STATUS: ({ status }: { readonly status: string }) => `The robot reports the unknown status "${status}".`,
  LOW_BATTERY: ({ below, percent }: { readonly below: "low" | "nearly empty"; readonly percent: number }) =>
    `The battery is ${below}, below ${percent} %.`,
  LOST_WHILE_MOVING: (times: LostTimes) => `${lostText(times)}.`,
  OFFLINE_TOO_LONG: ({ minutes }: { readonly minutes: number }) =>
    `The robot has been offline for more than ${minutes} minutes.`,
  COMMAND_UNCONFIRMED: ({ verb, mayMove }: UnconfirmedCommand) => {
    if (verb === "START") return "The robot has not confirmed a Start.";
    if (verb === "MAINTENANCE_ON") return "The robot has not confirmed its maintenance lock.";
    return `The robot has not confirmed a Stop. ${mayMove === false ? RULE_4_STOPPED : "It may be moving."}`;
  },
  RUN_MISSED: ({ reason }: WithReason) => `A planned run was missed. ${bareOutcomeSentence(reason)}`,
  RUN_NOT_STARTED: ({ reason }: WithReason) => `A planned run did not start. ${bareOutcomeSentence(reason)}`,
  RUN_SKIPPED: ({ reason }: WithReason) => `A planned run was skipped. ${bareOutcomeSentence(reason)}`,
  RUN_CUT_SHORT: ({ reason }: WithReason) => `A planned run was cut short. ${bareOutcomeSentence(reason)}`,
  SITE_DARK: ({ robots }: { readonly robots: number }) =>
    `All ${robots} robots of the site are offline. Its network or power may be down.`,
  SITE_SOILED: ({ loss, low, high, limit, factor }: SoiledSite) =>
    `By model${factor === undefined ? "" : `, with particles \u00d7${factor}`}, soiling takes about ${loss} % of this site's energy: between ${low} % and ${high} %, as the dust in the air is known only roughly. Nothing was measured. Attention is due from ${limit} %.`,
  MESSAGES_LOST: () => "Suncrew could not store the robot's messages. What is shown may be out of date.",
  TOO_MANY_MESSAGES: () =>
    "The robot sends more messages than a working robot would. Its current state is shown, but some of its alerts, runs and history are not stored.",
  WEATHER_LIMIT: (passed: PassedLimit) =>
    `Wind and rain guard: ${passedPhrase(passed)}. Robots of the site are stopped, and none starts until it is within the limits again.`,
  SENSOR_SILENT: ({ serial, since }: SilentSensor) =>
    `The site's weather sensor ${serial} has sent no reading since ${since}. Until it does, the forecast alone decides whether robots run.`,
  TOO_MANY_CONNECTIONS: () =>
    "The robot keeps reconnecting. Its connection is bad, or two machines use its serial number and secret and disconnect each other.",
  /** Protocol rule 14. */
  MEMORY_LOST: () =>
    `The robot has lost its memory: its session number is lower than before, so its messages are not accepted. ${FORGET_IT}`,
  COUNTER_TOO_HIGH: ({ field }: { readonly field: string }) =>
    `The robot reports a ${field} that is days ahead, which would lock it out for good, so its messages are not accepted. Set its clock and restart it, or have its firmware checked.`,
  SERVER_CLOCK: ({ servers }: DisagreeingServers) => {
    const each = servers.map(({ name, words }) => `${name}: ${words}`);
    const [one] = servers;
    return one !== undefined && servers.length === 1
      ? `Server ${one.name} starts no robot, and is neither bridge nor scheduler, until its clocks agree. ${one.words}`
      : `${each.length} servers start no robot, and none of them is bridge or scheduler, until their clocks agree. ${each.join(" ")}`;
  },
  DISK_NEARLY_FULL: ({ disks }: FullDisks) => {
    const space = ({ free, percent }: FullDisk) => `${free} are free, ${percent} %`;
    const [one] = disks;
    if (one !== undefined && disks.length === 1) {
      return `The disk of ${diskName(one)} is nearly full: ${space(one)}. Once it is full, nothing can be stored.`;
    }
    const each = disks.map((disk) => `${diskName(disk)}: ${space(disk)}.`);
    return `${each.length} disks are nearly full. Once one is full, nothing can be stored. ${each.map(capitalized).join(" ")}`;
  },
  CHANNEL_FAILING: ({ contacts, webhooks = [] }: FailingChannels) => {
    const all = [...contacts.map(({ name }) => name), ...webhooks.map(({ name }) => `the webhook ${name}`)];
    const what = contacts.length === 0 ? "Events" : webhooks.length === 0 ? "Messages" : "Messages and events";
    return `${what} cannot be delivered to ${listed(all)}. What was to be told there may be unknown to whoever should know it.`;
  },
  ROLLOUT_PAUSED: ({ rollouts }: PausedRollouts) => {
    const each = rollouts.map(({ rollout, version, reason }) => `Rollout ${rollout} of firmware ${version}: ${reason}`);
    const [one] = rollouts;
    return one !== undefined && rollouts.length === 1
      ? `Rollout ${one.rollout} of firmware ${one.version} has paused itself. ${one.reason}`
      : `${each.length} firmware rollouts have paused themselves. ${each.join(" ")}`;
  },
  REPORT_FAILED: ({ what, month, reason }: FailedReport) =>
    `The monthly report for ${month} ${what === "REPORT" ? "could not be generated" : "was not mailed to everybody"}. ${reason}`,
  SIGN_IN_LOCKED: ({ accounts }: LockedAccounts) =>
    `Sign-in as Super Admin ${listed(accounts.map(({ username }) => username))} was locked after too many wrong passwords. Unless that was the person, somebody is guessing.`,
  AUDIT_CHAIN_BROKEN: ({ wrong }: BrokenChain) =>
    `The audit is not what was sealed: somebody has changed it in the database. ${wrong}`,
  BACKUP_OVERDUE: ({ days, taken }: { readonly days: number; readonly taken: string }) =>
    `The last backup is of ${taken}, more than ${days} ${days === 1 ? "day" : "days"} ago. What is newer would be lost with the database.`,
} as const satisfies Record<ServerAlertCode, (params: never) => string>;

/** "Asha", "Asha and Ravi", "Asha, Ravi and 3 others". */
function listed(names: readonly string[]): string {
  const [first = "", second = ""] = names;
  if (names.length <= 2) return names.join(" and ");
  return `${first}, ${second} and ${names.length - 2} ${names.length === 3 ? "other" : "others"}`;
}

const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

type AlertParams<Code extends ServerAlertCode> = ParamsOf<(typeof alertTexts)[Code]> & TextParams;

export function serverAlert<Code extends ServerAlertCode>(
  code: Code,
  severity: Severity,
  params: AlertParams<Code>,
): ServerAlert {
  return { code, severity, text: alertText(code, params), params };
}

/** The text of one of Suncrew's alerts, from what is stored. */
export function alertText(code: ServerAlertCode, params: TextParams): string {
  // A row has the parameters of its code: it was written from them.
  const text = alertTexts[code] as (params: TextParams) => string;
  return text(params);
}

/** Protocol rule 12. The text omits the seconds, which would differ with every state. */
export function clockSkewAlert(skewMs: number): ServerAlert {
  return serverAlert("CLOCK_SKEW", "WARNING", { ahead: skewMs > 0 });
}

export function unknownStatusAlert(status: string): ServerAlert {
  return serverAlert("UNKNOWN_STATUS", "WARNING", { status });
}

/** Protocol rule 13; `clockOf` formats an instant in the site's time. */
export function lostWhileMovingAlert(lost: LostWhileMoving, clockOf: (at: Date) => string): ServerAlert {
  return serverAlert("LOST_WHILE_MOVING", "CRITICAL", { ...lostTimes(lost, clockOf) });
}

/** A server whose clocks do not agree; `words` is a sentence that says how. */
type DisagreeingServer = { readonly name: string; readonly words: string };

/** Protocol rule 12, for one server or more; the same in whatever order they come. */
export function serverClockAlert(servers: readonly DisagreeingServer[]): ServerAlert {
  // A server that was restarted may have two rows for a while.
  const each = new Map(servers.map(({ name, words }) => [`${name}: ${words}`, { name, words }]));
  const params = {
    servers: [...each].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, server]) => server),
  };
  return serverAlert("SERVER_CLOCK", "CRITICAL", params);
}

/** A disk with little space left; `percent` and `free` say how much, in words and whole. */
type FullDisk = {
  readonly server: string;
  readonly folder: string;
  readonly percent: number;
  readonly free: string;
};

/** For one disk or more; the same in whatever order they come. */
export function diskAlert(disks: readonly (FullDisk & { readonly level: DiskLevel })[]): ServerAlert {
  const severity = disks.some(({ level }) => level === "NEARLY_NONE") ? "CRITICAL" : "WARNING";
  const each = disks.map(({ server, folder, percent, free }) => ({ server, folder, percent, free }));
  return serverAlert("DISK_NEARLY_FULL", severity, {
    disks: each.toSorted((one, other) => (`${one.server}:${one.folder}` < `${other.server}:${other.folder}` ? -1 : 1)),
  });
}

/** Names of contact points and webhooks that nothing reaches; the same in whatever order they come. */
export function channelFailingAlert(contacts: readonly string[], webhooks: readonly string[] = []): ServerAlert {
  const named = (names: readonly string[]) => names.toSorted().map((name) => ({ name }));
  return serverAlert("CHANNEL_FAILING", "WARNING", {
    contacts: named(contacts),
    ...(webhooks.length > 0 && { webhooks: named(webhooks) }),
  });
}

/** A firmware rollout that waits for a person; `reason` is a sentence. */
type PausedRollout = { readonly rollout: number; readonly version: string; readonly reason: string };

export function rolloutPausedAlert(rollouts: readonly PausedRollout[]): ServerAlert {
  return serverAlert("ROLLOUT_PAUSED", "WARNING", {
    rollouts: rollouts.toSorted((one, other) => one.rollout - other.rollout),
  });
}

/** `month` is its name, `reason` a sentence. */
type FailedReport = { readonly what: "REPORT" | "MAIL"; readonly month: string; readonly reason: string };

export function reportFailedAlert({ what, month, reason }: FailedReport): ServerAlert {
  return serverAlert("REPORT_FAILED", "WARNING", { what, month, reason });
}

/** A Super Admin's name as stored, never as typed; `until` is when the lock ends, as an ISO time. */
export type LockedAccount = { readonly username: string; readonly until: string };

/** For how long after the end of a lock its alert stays, in milliseconds. */
export const LOCK_TOLD_MS = 3_600_000;

export function signInLockedAlert(accounts: readonly LockedAccount[]): ServerAlert {
  return serverAlert("SIGN_IN_LOCKED", "WARNING", {
    accounts: accounts.toSorted((one, other) => (one.username < other.username ? -1 : 1)),
  });
}

export function auditChainBrokenAlert({ wrong, number, head }: BrokenChain): ServerAlert {
  return serverAlert("AUDIT_CHAIN_BROKEN", "CRITICAL", { wrong, number, head });
}

/** Null where no backup is overdue: none is watched, none was ever made, or the last one is recent enough. */
export function backupOverdueAlert(lastAt: Date | null, days: number, now: Date): ServerAlert | null {
  if (lastAt === null || days === 0 || now.getTime() - lastAt.getTime() <= days * 86_400_000) return null;
  return serverAlert("BACKUP_OVERDUE", "WARNING", { days, taken: lastAt.toISOString().slice(0, 10) });
}

export function messagesLostAlert(): ServerAlert {
  return serverAlert("MESSAGES_LOST", "WARNING", {});
}

/** Its message budgets are used up (`devices/robot-budget.ts`). */
export function tooManyMessagesAlert(): ServerAlert {
  return serverAlert("TOO_MANY_MESSAGES", "WARNING", {});
}

/** Its connection budget is used up. */
export function tooManyConnectionsAlert(): ServerAlert {
  return serverAlert("TOO_MANY_CONNECTIONS", "WARNING", {});
}

/** Protocol rule 14. */
export function memoryLostAlert(): ServerAlert {
  return serverAlert("MEMORY_LOST", "CRITICAL", {});
}

/** Protocol rule 14; `name` is the field's. */
export function counterTooHighAlert(name: string): ServerAlert {
  return serverAlert("COUNTER_TOO_HIGH", "CRITICAL", { field: name });
}

export function offlineTooLongAlert(): ServerAlert {
  return serverAlert("OFFLINE_TOO_LONG", "WARNING", { minutes: OFFLINE_TOO_LONG_MINUTES });
}

export function siteOutageAlert(robotCount: number): ServerAlert {
  return serverAlert("SITE_DARK", "CRITICAL", { robots: robotCount });
}

/** An open alert of a soiled site ends only below this share of its limit, so that it does not come and go. */
const SOILED_UNTIL = 0.8;

/** Null while the modelled loss is below the limit, in percent; `ratio` is of the energy that is left, 0 to 1. */
export function siteSoiledAlert({
  ratio,
  limit,
  isOpen,
  factor,
}: {
  readonly ratio: Banded;
  readonly limit: number;
  readonly isOpen: boolean;
  /** On what settles, with which it was modelled. */
  readonly factor: number;
}): ServerAlert | null {
  const loss = (1 - ratio.value) * 100;
  if (loss < limit * (isOpen ? SOILED_UNTIL : 1)) return null;
  const [low, high] = [(1 - ratio.high) * 100, (1 - ratio.low) * 100];
  const params = {
    loss: roughly(loss),
    low: roughly(low),
    high: roughly(high),
    limit,
    ...(factor !== 1 && { factor }),
  };
  return serverAlert("SITE_SOILED", "WARNING", params);
}

/** No more precise than the model is, and so that the text changes seldom. */
const roughly = (percent: number) => (percent < 2 ? Math.round(percent * 10) / 10 : Math.round(percent));

export function weatherLimitAlert(passed: PassedLimit): ServerAlert {
  return serverAlert("WEATHER_LIMIT", "WARNING", passed);
}

export function sensorSilentAlert(sensor: SilentSensor): ServerAlert {
  return serverAlert("SENSOR_SILENT", "WARNING", sensor);
}

/**
 * Unconfirmed commands that leave something open: a START is followed by a STOP and its run has failed, a STOP or lock
 * stays pending. Unconfirmed settings or an unconfirmed release change nothing, and the requesting person was told so.
 */
export const alertedVerbs = ["START", "STOP", "MAINTENANCE_ON"] as const;
type UnconfirmedVerb = (typeof alertedVerbs)[number];

interface UnconfirmedCommand {
  readonly verb: UnconfirmedVerb;
  /** Of a STOP: false once protocol rule 4 has stopped the robot. */
  readonly mayMove?: boolean;
}

/** A robot that may keep moving although it was told to stop is the worst of them. */
const unconfirmedSeverity: Readonly<Record<UnconfirmedVerb, Severity>> = {
  START: "WARNING",
  STOP: "CRITICAL",
  MAINTENANCE_ON: "WARNING",
};

export function unconfirmedAlert(verb: UnconfirmedVerb): ServerAlert {
  return verb === "STOP"
    ? unconfirmedStopAlert(true)
    : serverAlert("COMMAND_UNCONFIRMED", unconfirmedSeverity[verb], { verb });
}

/** Of a STOP; `mayMove` is false once protocol rule 4 has stopped the robot. */
export function unconfirmedStopAlert(mayMove: boolean): ServerAlert {
  return serverAlert("COMMAND_UNCONFIRMED", unconfirmedSeverity.STOP, { verb: "STOP", mayMove });
}

/** Its START failed. */
export function runNotStartedAlert(reason: OutcomeText): ServerAlert {
  return serverAlert("RUN_NOT_STARTED", "WARNING", { reason: nested(reason) });
}

/** The robot could not be started, for a reason that nobody chose. */
export function runSkippedAlert(reason: OutcomeText): ServerAlert {
  return serverAlert("RUN_SKIPPED", "WARNING", { reason: nested(reason) });
}

/** It began, and a fault, the battery or a lost connection ended it. */
export function runCutShortAlert(reason: OutcomeText): ServerAlert {
  return serverAlert("RUN_CUT_SHORT", "WARNING", { reason: nested(reason) });
}

export function runMissedAlert(reason: OutcomeText): ServerAlert {
  return serverAlert("RUN_MISSED", "WARNING", { reason: nested(reason) });
}
