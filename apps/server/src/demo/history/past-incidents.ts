import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { seededRandom } from "../../platform/seeded-random.ts";

/** How a started run goes; `share` is the part of its planned time after which something happens. */
export type RunScenario =
  | { readonly kind: "normal" }
  /** The robot rejects the start, or does not answer. */
  | { readonly kind: "rejected" | "silent" }
  | { readonly kind: "battery" | "jam" | "link-lost" | "stopped"; readonly share: number };

/** Deterministic, so that every new demo has the same history. */
export function scenarioOf(serial: string, localDate: string, localTime: string): RunScenario {
  const random = seededRandom(`${serial} ${localDate} ${localTime}`);
  const chance = random();
  const share = 0.25 + random() * 0.5;
  if (chance < 0.05) return { kind: "stopped", share };
  if (chance < 0.09) return { kind: "battery", share };
  if (chance < 0.12) return { kind: "jam", share };
  if (chance < 0.15) return { kind: "link-lost", share };
  if (chance < 0.17) return { kind: "rejected" };
  return chance < 0.185 ? { kind: "silent" } : { kind: "normal" };
}

/** A time in the past, in the site's time zone. */
export interface PastTime {
  readonly daysAgo: number;
  readonly time: string;
}

/** A maintenance lock that is released hours later. */
export interface PastLock extends PastTime {
  readonly serial: string;
  readonly reason: string;
  readonly hours: number;
}

export const pastLocks: readonly PastLock[] = [
  { serial: "SCR-1003", daysAgo: 24, time: "16:40", reason: "Replacing the worn brush", hours: 16 },
  { serial: "SCR-1009", daysAgo: 19, time: "15:05", reason: "Gearbox inspection", hours: 26 },
  { serial: "SCR-1012", daysAgo: 11, time: "14:20", reason: "Wheel alignment after the storm", hours: 19.5 },
  { serial: "SCR-1005", daysAgo: 6, time: "10:15", reason: "Quarterly service", hours: 3.2 },
];

/** A robot is offline; without hours it has not come back yet. */
interface PastAbsence extends PastTime {
  readonly serial: string;
  readonly hours: number | null;
}

export const pastAbsences: readonly PastAbsence[] = [
  { serial: "SCR-1006", daysAgo: 27, time: "04:10", hours: 6 },
  { serial: "SCR-1014", daysAgo: 21, time: "03:30", hours: 4.5 },
  { serial: "SCR-1002", daysAgo: 14, time: "05:05", hours: 2.5 },
  { serial: "SCR-1008", daysAgo: 9, time: "16:50", hours: 3 },
  { serial: "SCR-1007", daysAgo: 2, time: "02:35", hours: null },
];

/** Suncrew itself was not running: early runs of that day were missed. */
export const pastOutage: PastTime & { readonly hours: number } = { daysAgo: 17, time: "04:45", hours: 2.5 };

/** Days on which the weather recommendation was Not Recommended. */
export const rainyDaysAgo: readonly number[] = [23, 8];

/** A manual run; `minutes` until a person stops it, null if the robot finishes by itself. */
export interface PastPress extends PastTime {
  readonly serial: string;
  readonly minutes: number | null;
}

/** Every robot was started manually now and then, some more often than others. */
export function pastPresses(serial: string, days: number): PastPress[] {
  const random = seededRandom(`presses ${serial}`);
  const presses: PastPress[] = [];
  for (let daysAgo = days - 1; daysAgo > 0; daysAgo -= 4 + Math.floor(random() * 7)) {
    const time = `${9 + Math.floor(random() * 5)}:${String(Math.floor(random() * 60)).padStart(2, "0")}`;
    const minutes = random() < 0.4 ? 20 + Math.floor(random() * 50) : null;
    presses.push({ serial, daysAgo, time: time.padStart(5, "0"), minutes });
  }
  return presses;
}

/** Start All of a group and, `minutes` later, Stop All. */
export interface PastGroupPress extends PastTime {
  readonly serials: readonly string[];
  readonly minutes: number;
}

export const pastGroupPresses: readonly PastGroupPress[] = [
  { serials: ["SCR-1010", "SCR-1011"], daysAgo: 16, time: "15:10", minutes: 35 },
  { serials: ["SCR-1001", "SCR-1002"], daysAgo: 10, time: "15:40", minutes: 25 },
  { serials: ["SCR-1008", "SCR-1009"], daysAgo: 4, time: "14:50", minutes: 30 },
];

/** A group of the demo with its schedule, in its site's time zone. */
export interface DemoGroup {
  readonly name: string;
  readonly serials: readonly string[];
  readonly frequency: Frequency;
  readonly time: string;
  readonly minutes: number;
  readonly skipOnRain: boolean;
  /** For WEEKLY, the weekday of this day in the first month; for MONTHLY, the day itself. */
  readonly dayOfMonth?: number;
}

// One line each is a table to read.
// oxfmt-ignore
export const demoGroups: readonly DemoGroup[] = [
  { name: "Morning rows", serials: ["SCR-1001", "SCR-1002"], frequency: "DAILY", time: "05:30", minutes: 75, skipOnRain: false },
  { name: "Evening rows", serials: ["SCR-1003", "SCR-1004"], frequency: "DAILY", time: "18:15", minutes: 60, skipOnRain: false },
  { name: "Blocks A to C", serials: ["SCR-1005", "SCR-1006", "SCR-1007"], frequency: "DAILY", time: "05:30", minutes: 75, skipOnRain: true },
  { name: "East field", serials: ["SCR-1008", "SCR-1009"], frequency: "WEEKLY", time: "18:15", minutes: 90, skipOnRain: false, dayOfMonth: 6 },
  { name: "North units", serials: ["SCR-1010", "SCR-1011"], frequency: "WEEKLY", time: "07:00", minutes: 110, skipOnRain: false, dayOfMonth: 3 },
  { name: "Both zones", serials: ["SCR-1012", "SCR-1014"], frequency: "WEEKLY", time: "05:30", minutes: 120, skipOnRain: true, dayOfMonth: 1 },
  { name: "Plot 7", serials: ["SCR-1016"], frequency: "MONTHLY", time: "06:30", minutes: 120, skipOnRain: false, dayOfMonth: 12 },
];
