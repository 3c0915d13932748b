import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { DateTime } from "luxon";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";

/** A month in which the clocks change in America (8 March), Europe (29 March) and Australia (5 April). */
const FROM = new Date("2026-03-05T00:00:00Z");
const TO = new Date("2026-04-06T00:00:00Z");
/** The first ten include every zone, clock time and frequency. */
const GROUPS = inject("soak").factor === 1 ? 10 : 50;

const zones = [
  "Asia/Kolkata",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Apia",
  "Africa/Casablanca",
] as const;
/** Includes times that a clock change skips, and one that occurs twice. */
const clockTimes = ["02:30:00", "06:00:00", "01:45:00", "23:50:00", "12:15:00", "00:00:00"] as const;
const frequencies: readonly Frequency[] = ["DAILY", "WEEKLY", "MONTHLY", "WEEKLY", "ONCE"];
const startDays = [
  "2026-01-31",
  "2026-02-09",
  "2026-03-06",
  "2025-12-05",
  "2026-03-10",
  "2026-03-29",
  "2026-03-08",
] as const;
const durations = [1, 20, 45, 90] as const;

interface Plan {
  readonly startTime: string;
  readonly frequency: Frequency;
  readonly minutes: number;
  readonly timezone: string;
}

/** `at` wraps around, so that the mixture is the same every time. */
const nth = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length];
  if (item === undefined) throw new RangeError("The list is empty.");
  return item;
};

const plans = Array.from({ length: GROUPS }, (_, index): Plan => {
  const frequency = nth(frequencies, index);
  const day =
    frequency === "ONCE"
      ? nth(["2026-03-08", "2026-03-29", "2026-04-05", "2026-03-17"], Math.floor(index / 5))
      : nth(startDays, index);
  return {
    frequency,
    startTime: `${day} ${nth(clockTimes, index)}`,
    minutes: nth(durations, index),
    timezone: nth(zones, index),
  };
});

/** When a plan is due in the month, found without the domain's rules: day by day and minute by minute. */
function dueTimes({ startTime, frequency, timezone }: Plan): Date[] {
  const start = DateTime.fromSQL(startTime, { zone: "utc" });
  const found: Date[] = [];
  for (let day = start.startOf("day"); day.toJSDate() <= TO; day = day.plus({ days: 1 })) {
    if (!isRunDay(start, day, frequency)) continue;
    const due = firstInstant(`${day.toFormat("yyyy-MM-dd")} ${startTime.slice(11)}`, timezone);
    if (due > FROM && due < TO) found.push(due);
  }
  return found;
}

function isRunDay(start: DateTime, day: DateTime, frequency: Frequency): boolean {
  if (frequency === "ONCE") return day.hasSame(start, "day");
  if (frequency === "DAILY") return true;
  if (frequency === "WEEKLY") return day.weekday === start.weekday;
  return day.day === Math.min(start.day, day.daysInMonth ?? 31);
}

/** The first minute at which the zone's clocks show that time or, if they skip it, a later one. */
function firstInstant(wanted: string, timezone: string): Date {
  let at = DateTime.fromSQL(wanted, { zone: timezone }).minus({ hours: 2 });
  while (at.toFormat("yyyy-MM-dd HH:mm:ss") < wanted) at = at.plus({ minutes: 1 });
  return at.toJSDate();
}

let harness: ScheduleHarness;
beforeAll(async () => {
  harness = await ScheduleHarness.open(FROM, { servers: 2 });
});
afterAll(() => harness.close());

test(
  `§5 Schedule: a simulated month of ${GROUPS} groups has every planned run, and no other`,
  { timeout: 600_000 },
  async () => {
    const robotsDue = new Map<number, number[]>();
    const planned: string[] = [];
    for (const [index, plan] of plans.entries()) {
      const group = await harness.group(1 + (index % 3 === 0 ? 1 : 0), plan.timezone);
      const scheduleId = await harness.schedule(group, plan);
      for (const due of dueTimes(plan)) {
        robotsDue.set(due.getTime(), [...(robotsDue.get(due.getTime()) ?? []), ...group.robotIds]);
        const end = due.getTime() + plan.minutes * 60_000;
        robotsDue.set(end, robotsDue.get(end) ?? []);
        for (const robotId of group.robotIds) {
          planned.push(`${scheduleId} ${robotId} ${due.toISOString()} to ${new Date(end).toISOString()} COMPLETED`);
        }
      }
    }
    for (const [atMs, robotIds] of [...robotsDue].toSorted(([one], [other]) => one - other)) {
      harness.clock.advance(atMs - harness.clock.now().getTime());
      // Heard from just before, like a robot that reports every 25 s.
      await harness.robots.tick(robotIds);
      await harness.poll();
    }
    const found = (await harness.runs()).map(
      ({ schedule_id, robot_id, began_at, ended_at, outcome }) =>
        `${schedule_id} ${robot_id} ${began_at?.toISOString()} to ${ended_at?.toISOString()} ${outcome}`,
    );
    const motions = (await robotIds()).flatMap((id) => harness.robots.motions(id)).length;
    process.stdout.write(`simulated month: ${GROUPS} groups, ${planned.length} runs planned, ${found.length} found\n`);
    expect(found.toSorted()).toEqual(planned.toSorted());
    expect(motions).toBe(planned.length);
  },
);

async function robotIds(): Promise<number[]> {
  const rows = await harness.db.selectFrom("robots").select("id").execute();
  return rows.map((row) => row.id);
}
