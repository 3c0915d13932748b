import { allSections } from "@suncrew/domain/report-templates/template-sections.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyReportData, sampleReportData } from "../../../test/report-data-fixtures.ts";
import { noFigures, RUN_COLUMNS } from "../robot-days/public.ts";
import { dayPageOf, periodsOf } from "./day-layout.ts";
import {
  computeDays,
  computeRobotDays,
  computeRobots,
  performanceFigures,
  type ReportSources,
  robotsByDay,
} from "./report-calculation.ts";
import type { ReportData, ReportRobot } from "./report-data.ts";
import { PerformanceSums } from "./report-sums.ts";
import { verdictPageOf } from "./verdict-layout.ts";

const HOUR_MS = 3_600_000;
const DAYS = 9;
const ms = fc.nat(12 * HOUR_MS);
const robotDay = fc.record({
  robotId: fc.integer({ min: 1, max: 6 }),
  nth: fc.nat(DAYS - 1),
  runs: fc.tuple(...RUN_COLUMNS.map(() => fc.tuple(fc.nat(3), fc.nat(1)))),
  counted_ms: fc.option(ms),
  reachable: fc.double({ min: 0, max: 1, noNaN: true }),
  planned_ms: ms,
  asPlanned: fc.double({ min: 0, max: 1, noNaN: true }),
  outside_plan_ms: ms,
  by_hand_ms: ms,
  critical_ms: ms,
});

type RobotDay = typeof robotDay extends fc.Arbitrary<infer T> ? T : never;

test("decisions, report figures: whatever happened, the first pages say what the tables add up to, and their figures follow from the numbers beside them", () => {
  fc.assert(
    fc.property(fc.array(robotDay, { maxLength: 30 }), fc.array(robotDay, { maxLength: 10 }), (now, before) => {
      const data = reportOf(now, before);
      const { figures, sentences } = verdictPageOf(data, allSections);
      const of = (name: string) => {
        const row = figures.find((one) => one.name === name);
        if (row === undefined) throw new Error(`The first page has no ${name}.`);
        return row;
      };
      const total = (count: (robot: ReportRobot) => number) => data.robots.reduce((sum, one) => sum + count(one), 0);

      const cleaned = of("minutes_cleaned");
      const parts = [
        total(({ minutesAsPlanned }) => minutesAsPlanned),
        total(({ minutesOutsidePlan }) => minutesOutsidePlan),
        total(({ minutesByHand }) => minutesByHand),
      ];
      const isKnown = data.figures.data_days !== 0;
      expect(timesIn(cleaned.formula)).toEqual(isKnown ? parts : []);
      expect(timesIn(cleaned.value)).toEqual(isKnown ? [parts.reduce((sum, part) => sum + part, 0)] : []);

      const shares = [
        ["uptime", [total((one) => one.minutesReachable), total((one) => one.minutesKnown)]],
        ["efficiency", [total((one) => one.minutesAsPlanned), total((one) => one.minutesPlanned)]],
      ] as const;
      for (const [name, [part, whole]] of shares) {
        const row = of(name);
        expect(row.value).toBe(percentText(part, whole));
        expect(timesIn(row.formula)).toEqual(whole === 0 ? [] : [part, whole]);
      }

      const runs = total(({ planned }) => Object.values(planned).reduce((sum, one) => sum + one, 0));
      const done = total(({ planned }) => planned.COMPLETED);
      const running = total(({ planned }) => planned.RUNNING);
      const share = of("done_share");
      expect(share.value).toBe(percentText(done, runs - running));
      const isOver = runs > running;
      const said = [done, runs, ...(running === 0 ? [] : [running])];
      expect(numbersIn(share.formula)).toEqual(isOver ? said : []);
      expect(sentences[0].includes(`(${share.value})`)).toBe(isOver);
      expect(numbersIn(sentences[0].split(" planned run")[0] ?? "")).toEqual(isOver ? [done, runs - running] : []);

      const page = dayPageOf(data, periodsOf(data));
      const columns = page.runs?.series ?? [];
      expect(columns.flatMap(({ values }) => values).reduce((sum, one) => sum + one, 0)).toBe(runs);
      for (const { name, values } of columns) {
        expect(numbersIn(name)).toEqual([values.reduce((sum, one) => sum + one, 0)]);
      }
      const missing = runs - done - running;
      const cells = page.robots?.rows.flatMap((row) => row.cells) ?? [];
      expect(cells.reduce((sum, { text }) => sum + Number(text), 0)).toBe(missing);
      expect(page.reasons.reduce((sum, one) => sum + one.runs, 0)).toBe(missing);

      for (const row of figures) {
        expect(row.coverage).toMatch(new RegExp(`^known on \\d of ${DAYS} days$`));
        const isCompared = /^[+\u2212N]/.test(row.change);
        const by = isCompared ? amount(row.value) - amount(row.before) : 0;
        expect(isCompared ? signed(row.change) : 0).toBeCloseTo(by, 6);
      }
    }),
    { numRuns: 200 },
  );
});

function reportOf(now: readonly RobotDay[], before: readonly RobotDay[]): ReportData {
  const made = sampleReportData({ days: DAYS });
  const sources = sourcesOf(now);
  const robots = computeRobots(sources);
  const earlier = sourcesOf(before);
  const base = emptyReportData();
  return {
    ...base,
    range: made.range,
    figures: { ...base.figures, ...performanceFigures(sources.performance, robots) },
    before: made.before && {
      ...made.before,
      figures: performanceFigures(earlier.performance, computeRobots(earlier)),
    },
    days: computeDays(sources),
    robots,
    robotDays: computeRobotDays(sources, robotsByDay(robots), []),
  };
}

/** As if the robots had left: the rows of robots that are there add nothing to the figures. */
function sourcesOf(days: readonly RobotDay[]): ReportSources {
  const performance = new PerformanceSums(DAYS);
  const seen = new Set<string>();
  for (const { robotId, nth, runs, reachable, asPlanned, ...figures } of days) {
    const key = `${robotId} ${nth}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const day = {
      ...noFigures(),
      ...figures,
      reachable_ms: Math.floor((figures.counted_ms ?? 0) * reachable),
      as_planned_ms: Math.floor(figures.planned_ms * asPlanned),
    };
    for (const [index, [, planned, manual]] of RUN_COLUMNS.entries()) {
      [day[planned], day[manual]] = runs[index] ?? [0, 0];
    }
    performance.addDay(nth, robotId, day);
  }
  const from = new Date("2025-12-31T18:30:00Z");
  const to = new Date(from.getTime() + DAYS * 24 * HOUR_MS);
  const scope = {
    siteId: 7,
    from,
    to,
    until: to,
    now: to,
    timezone: "Asia/Kolkata",
    days: Array.from({ length: DAYS }, (_, nth) => ({
      date: `2026-01-0${nth + 1}`,
      fromMs: from.getTime() + nth * 24 * HOUR_MS,
      toMs: from.getTime() + (nth + 1) * 24 * HOUR_MS,
    })),
  };
  const locks = { locks: { rows: [], rest: 0 }, set: 0, released: 0, sample: false };
  return { scope, intervalDays: 180, robots: [], performance, locks, changes: { bySystem: 0, byPeople: 0 } };
}

function percentText(part: number, whole: number): string {
  return whole === 0 ? "No data" : `${(Math.round((1_000 * part) / whole) / 10).toFixed(1)} %`;
}

/** Each "12 h 5 min", "12 h" or "5 min", in minutes. */
function timesIn(text: string): number[] {
  return Array.from(
    text.matchAll(/([\d,]+) h(?: (\d+) min)?|(\d+) min/g),
    ([, hours = "0", rest = "0", only = "0"]) => {
      return Number(hours.replaceAll(",", "")) * 60 + Number(rest) + Number(only);
    },
  );
}

function numbersIn(text: string): number[] {
  return Array.from(text.matchAll(/\d[\d,]*/g), ([number]) => Number(number.replaceAll(",", "")));
}

/** Minutes where it is a time, otherwise the number. */
function amount(text: string): number {
  return timesIn(text)[0] ?? Number(/[\d,]+(?:\.\d+)?/.exec(text)?.[0].replaceAll(",", ""));
}

function signed(change: string): number {
  if (change === "No change") return 0;
  return (change.startsWith("+") ? 1 : -1) * amount(change);
}
