import { LOW_BATTERY_PERCENT } from "../alerts/low-battery.ts";
import type { ServerAlertCode } from "../alerts/server-alerts.ts";
import { robotCountText } from "../groups/groups.ts";
import { lostText, lostTimes, type LostWhileMoving } from "../robots/lost-while-moving.ts";
import type { OutcomeCode } from "../texts/outcome-texts.ts";
import type { LongLockFact, TroubledOutcome, TroubledRunFact, WeakBatteryFact } from "./attention.ts";

interface Texts {
  readonly cause: string;
  /** The cause without people and their words, where it has any. */
  readonly publicCause?: string;
  readonly suggestion: string;
}

const ON_SITE = "Check power and network on site.";
const LOOK = "Open the robot to see its state.";

const alertSuggestions: Partial<Readonly<Record<string, string>>> = {
  LOW_BATTERY: "Have it charged, or its charging contacts checked.",
  LOST_WHILE_MOVING: "Have somebody look whether it has stopped.",
  OFFLINE_TOO_LONG: ON_SITE,
  COMMAND_UNCONFIRMED: "Send Stop again, and keep people away until it is seen stopped.",
  SITE_DARK: ON_SITE,
  SITE_SOILED: "See on its page when a cleaning pays.",
  WEATHER_LIMIT: "Nothing to do: robots were stopped, and can be started again after the weather.",
  SENSOR_SILENT: ON_SITE,
  MEMORY_LOST: "Forget the robot's state in Site Management.",
  COUNTER_TOO_HIGH: "Set its clock and restart it.",
  SERVER_CLOCK: "Correct the time of the servers.",
  DISK_NEARLY_FULL: "Make space on the disk.",
  AUDIT_CHAIN_BROKEN:
    "Run `npm run audit:verify` with a head from the log, and find out who has access to the database.",
} satisfies Partial<Record<ServerAlertCode, string>>;
/** Of a robot's own alerts, whose codes its maker chooses. */
const OWN_ALERT = "Have the robot inspected.";

const outcomeWords: Readonly<Record<TroubledOutcome, string>> = {
  FAILED: "failed",
  SKIPPED: "was skipped",
  MISSED: "was missed",
  CUT_SHORT: "was cut short",
};

interface Reason {
  readonly suggestion: string;
  /** Somebody meant it: nothing is broken. */
  readonly isIntended?: true;
  /** It cannot be started again as it is. */
  readonly isFinal?: true;
}

const person = { suggestion: "Retry if it should clean after all.", isIntended: true } as const;
const late = { suggestion: "Retry if it may still clean now." };

const reasons: Partial<Readonly<Record<OutcomeCode, Reason>>> = {
  ROBOT_DEVICE_RETIRED: { suggestion: "Assign another device to the robot.", isFinal: true },
  ROBOT_IN_MAINTENANCE: { suggestion: "Exit maintenance once the work is done.", isIntended: true },
  ROBOT_AWAY: { suggestion: `${ON_SITE} Retry once it is online.` },
  ROBOT_SILENT: { suggestion: `${ON_SITE} Retry once it is online.` },
  ROBOT_MOVING: { suggestion: "It was cleaning already.", isIntended: true },
  RUN_START_OPEN: { suggestion: "Somebody was starting it.", isIntended: true },
  ROBOT_INSTALLING: { suggestion: "Retry once the firmware is installed.", isIntended: true },
  ROBOT_CLOCK_WRONG: { suggestion: "Have the robot's clock set, then retry." },
  SERVER_CLOCK_WRONG: { suggestion: "Correct the time of the servers, then retry." },
  WEATHER_LIMIT: { suggestion: "Retry once the weather is within the site's limits.", isIntended: true },
  WEATHER_UNKNOWN: { suggestion: "Retry once the weather at the site is known." },
  STOP_UNCONFIRMED: { suggestion: "Retry once its Stop is confirmed." },
  ROBOT_REFUSED: { suggestion: `${LOOK} Then retry.` },
  START_UNCONFIRMED: { suggestion: "Refresh its status, then retry." },
  RUN_FAULT: { suggestion: "Have the fault cleared, then retry." },
  RUN_BATTERY: { suggestion: "Let it charge, then retry." },
  RUN_LINK_LOST: { suggestion: `${ON_SITE} Retry once it is online.` },
  RUN_TOO_LATE: late,
  RUN_END_PAST: late,
  RUN_BEFORE_RESTORE: late,
  RUN_AFTER_STOP: person,
  RUN_AFTER_MAINTENANCE_ON: person,
  RUN_AFTER_MAINTENANCE_OFF: person,
  RUN_AFTER_GOODBYE: person,
  RUN_AFTER_GROUP_CHANGE: person,
  RUN_SWITCHED_OFF: person,
  RUN_SCHEDULE_CHANGED: person,
  RUN_TIMEZONE_CHANGED: person,
};

/** Not listed at all: the schedule did what it is set to do, often at a hundred sites at once. */
export const HELD_FOR_RAIN = "RUN_HELD_FOR_RAIN" satisfies OutcomeCode;

function reasonOf(code: string | null): Reason {
  const known: Readonly<Record<string, Reason>> = reasons;
  return (code === null ? undefined : known[code]) ?? { suggestion: "Retry, or open the robot to see its state." };
}

/** Whether a run did not start because somebody meant it so. */
export const isIntended = (code: string | null) => reasonOf(code).isIntended === true;
export const canBeRetried = (code: string | null) => reasonOf(code).isFinal !== true;

/** A reason without the name of the robot, to compare the reasons of several. */
export function ofNoRobot(reason: string | null, serial: string): string | null {
  return reason?.replaceAll(serial, "") ?? null;
}

/** "Robot SCR-1004 is offline." as a sentence about each of many. */
function ofEach(reason: string, serial: string): string {
  return reason
    .replaceAll(`Robot ${serial}`, "each robot")
    .replace(/^The robot\b/, "each robot")
    .replace(/(^|[.!?] )each/g, "$1Each");
}

/** The words of an item: what is wrong, and what to do about it. */
export const attentionTexts = {
  lost(lost: readonly LostWhileMoving[], clockOf: (at: Date) => string): Texts {
    const [last] = lost.toSorted((one, other) => other.stopsBy.getTime() - one.stopsBy.getTime());
    const times = last && lostTimes(last, clockOf);
    const one = times === undefined ? "" : `${lostText(times)}.`;
    const many = `${robotCountText(lost.length)} lost contact while cleaning; may be moving; the last stops by itself by ${times?.stopsBy}.`;
    return {
      cause: lost.length === 1 ? one : many,
      suggestion: "Keep people away. Stop is repeated until it arrives.",
    };
  },

  alert(code: string, text: string, robots: number): Texts {
    return { cause: robots > 1 ? ofEach(text, "") : text, suggestion: alertSuggestions[code] ?? OWN_ALERT };
  },

  /** `clock` is when they were due, or began. */
  runs({ plan, outcome, code, reason, publicReason, robot }: TroubledRunFact, robots: number, clock: string): Texts {
    const run = plan === null ? `The run begun at ${clock}` : `The ${clock} run of ${plan.groupName}`;
    const whom = robots === 1 ? "" : ` for ${robotCountText(robots)}`;
    const causeWith = (why: string | null) => {
      const because = why === null ? "" : ` ${robots === 1 ? why : ofEach(why, robot.serial_number)}`;
      return `${run} ${outcomeWords[outcome]}${whom}.${because}`;
    };
    return {
      cause: causeWith(reason),
      publicCause: causeWith(publicReason),
      suggestion: plan === null ? LOOK : reasonOf(code).suggestion,
    };
  },

  battery(fact: WeakBatteryFact, robots: number, clock: string): Texts {
    const { groupName, minutes, drainPerMinute, batteryPercent } = fact;
    const needed = `about ${Math.ceil(minutes * drainPerMinute)} %`;
    const run = `the ${clock} run of ${groupName} (${minutes} min)`;
    return {
      cause:
        robots === 1
          ? `The battery has ${Math.floor(batteryPercent)} %, and ${run} takes ${needed}: less than ${LOW_BATTERY_PERCENT} % would be left.`
          : `The batteries of ${robotCountText(robots)} will not last ${run}.`,
      suggestion: `Charge before ${clock}, or shorten the run.`,
    };
  },

  maintenance({ reason, lockedBy }: LongLockFact, days: number): Texts {
    const ended = /[.!?]$/.test(reason) ? reason : `${reason}.`;
    return {
      cause: `In maintenance for ${days} days, locked by ${lockedBy}: ${ended}`,
      publicCause: `In maintenance for ${days} days.`,
      suggestion: "Exit maintenance once the work is done.",
    };
  },
};
