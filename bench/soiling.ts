import { simulateStrategy, type Strategy, type StrategySite } from "@suncrew/domain/soiling/cleaning-by-need.ts";
import { cleanRows, type RowRun, type SoilingHour, soilRows } from "@suncrew/domain/soiling/soiling-model.ts";
import { report } from "./result.ts";

// How long the soiling of 100 sites with 20 rows takes for a year of hours with a run of every row every night, as a ratio
// to writing the same hours as JSON and reading them, which is what a database that sends them costs at least; and so the
// comparison of strategies that a site's page shows, of ten of them. Then what cleaning by need would have cost at one site
// in this year against daily and weekly: no time, the same in every run.

const SITES = 100;
const ROWS = 20;
/** Every evening of a year is decided four times over with the days ahead, so fewer sites are compared. */
const COMPARED_SITES = 10;
const COMPARISON_AT_MOST = 4;
const DAYS = 365;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const HOUR_MS = 3_600_000;
const START = Date.parse("2025-06-01T18:30:00Z");

const settings = { model: "hsu", tiltDegrees: 20, soilingRateFactor: 1, effectivenessPercent: 95 } as const;
const rows = Array.from({ length: ROWS }, (_, row) => row + 1);

/** A dusty year in India: rain every second day from July to September and on some days of other months. */
function yearOf(site: number): SoilingHour[] {
  return Array.from({ length: DAYS * 24 }, (_, index): SoilingHour => {
    const day = Math.floor(index / 24);
    const isMonsoon = day >= 30 && day < 122;
    const isRainDay = isMonsoon ? (day + site) % 2 === 0 : (day * 7 + site) % 61 === 0;
    const dust = (isMonsoon ? 0.6 : 1) + 0.2 * Math.sin(index / 37 + site);
    return {
      at: new Date(START + (index + 1) * HOUR_MS),
      pm2_5: 60 * dust,
      pm10: 150 * dust,
      rain_mm: isRainDay && index % 24 === (day * 5 + site) % 24 ? 6 : 0,
      irradiance_w_m2: Math.max(0, 850 * Math.sin(((index % 24) - 6) * (Math.PI / 12))),
    };
  });
}

/** Every row every night, in four turns. */
const nightly: RowRun[] = Array.from({ length: DAYS }, (_, day) =>
  rows.map((row) => ({ row, endedAt: new Date(START + day * 24 * HOUR_MS + (row % 4) * HOUR_MS), share: 1 })),
).flat();

const years = Array.from({ length: SITES }, (_, site) => yearOf(site));
const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Infinity;

function timed(some: readonly SoilingHour[][], work: (hours: readonly SoilingHour[]) => number): number {
  const begin = performance.now();
  let checked = 0;
  for (const hours of some) checked += work(hours);
  if (checked !== some.length * DAYS * 24) throw new Error(`${checked} hours`);
  return performance.now() - begin;
}

function throughJson(hours: readonly SoilingHour[]): number {
  const parsed: unknown = JSON.parse(JSON.stringify(hours));
  return Array.isArray(parsed) ? parsed.length : 0;
}

const [model, json]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round += 1) {
  model.push(timed(years, (hours) => soilRows(settings, hours, nightly, cleanRows(rows)).hours.length));
  json.push(timed(years, throughJson));
}
report({
  what: `soiling of ${SITES} sites with ${ROWS} rows for a year, against writing and reading its hours as JSON`,
  figure: median(model) / median(json),
  unit: "times",
  atMost: 2,
  detail: `${Math.round(median(model))} and ${Math.round(median(json))} ms; ${SITES * ROWS * DAYS} runs`,
});

const site: StrategySite = {
  settings,
  plant: { dcCapacityKwp: 10_000, performanceRatioPercent: 80 },
  rows: ROWS,
  cleaningPrice: 8000,
  tariffPerKwh: 2.5,
  // The evening's cleaning is done before the sun rises at half past midnight.
  eveningUtcHour: 19,
};
const strategies: readonly (readonly [string, Strategy])[] = [
  ["by need", { kind: "by-need", limits: { least: 1, most: 30 } }],
  ["daily", { kind: "every", days: 1 }],
  ["weekly", { kind: "every", days: 7 }],
  ["never", { kind: "never" }],
];
const compare = (hours: readonly SoilingHour[]) =>
  strategies.map(([name, strategy]) => ({ name, ...simulateStrategy(site, hours, strategy) }));
const compared: number[] = [];
const plain: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const some = years.slice(0, COMPARED_SITES);
  compared.push(timed(some, (hours) => (compare(hours).length === strategies.length ? hours.length : 0)));
  plain.push(timed(some, throughJson));
}
report({
  what: `comparison of four strategies for a year at ${COMPARED_SITES} sites, against writing and reading its hours as JSON`,
  figure: median(compared) / median(plain),
  unit: "times",
  atMost: COMPARISON_AT_MOST,
  detail: `${Math.round(median(compared))} and ${Math.round(median(plain))} ms`,
});

const outcomes = compare(yearOf(0));
const [byNeed, daily, weekly] = outcomes;
if (!byNeed || !daily || !weekly) throw new Error("no outcomes");
const thousands = (amount: number) => Math.round(amount / 1000).toLocaleString("en");
const told = outcomes.map(({ name, runs, lostKwh, energyKwh, cost }) => {
  const percent = ((lostKwh.value / energyKwh) * 100).toFixed(2);
  return `${name} ${thousands(cost.value)} (${thousands(cost.low)} to ${thousands(cost.high)}), loss ${percent} %, ${runs / ROWS} runs a row`;
});
report({
  what: "cost of a year at 10 MWp, cleaning by need against the better of daily and weekly",
  figure: byNeed.cost.value / Math.min(daily.cost.value, weekly.cost.value),
  unit: "times",
  atMost: 1,
  detail: `in 1,000 INR of cleaning and lost energy, with the band of the particles: ${told.join("; ")}`,
});
