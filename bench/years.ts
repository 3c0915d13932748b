import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { openDatabase } from "@suncrew/server/platform/database/database.ts";
import { migrate } from "@suncrew/server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "@suncrew/server/platform/embedded/postgres.ts";
import { SimulatedYears } from "../apps/server/test/simulated-years.ts";
import { report } from "./result.ts";

// Ten simulated years of 100 robots at their real rates, except that readings are thinned: a robot sends one every 30 s,
// here one an hour, and their size is reckoned from it. After each month its days are closed and what is old is deleted,
// by the servers' own code. Prints the size of each kind after every year, and whether the reports of months that are
// kept are the same as when the months had ended.

const { values } = parseArgs({
  options: {
    years: { type: "string", default: "10" },
    robots: { type: "string", default: "100" },
    every: { type: "string", default: "60" },
  },
});
const YEARS = Number(values.years);
const SITES = 4;
const ROBOTS = Number(values.robots);
const READING_EVERY_MINUTES = Number(values.every);
const THINNED = READING_EVERY_MINUTES * 2;
const MB = 1024 ** 2;
/** Activity, and so reports, are kept for three years. */
const REPORTED_MONTHS = 35;
const from = new Date(Date.UTC(2016, 8, 1));

const dataDir = await mkdtemp(join(tmpdir(), "suncrew-bench-"));
const programsDir = join(tmpdir(), `suncrew-postgres-${userInfo().uid}`);
const postgres = await startEmbeddedPostgres({ dataDir, programsDir });
const database = openDatabase(postgres.connection, { queryLimitMs: 0, idleLimitMs: 0 });
try {
  await migrate(database.db);
  const years = new SimulatedYears(database.db, {
    sites: SITES,
    robotsPerSite: ROBOTS / SITES,
    from,
    readingEveryMinutes: READING_EVERY_MINUTES,
    reportBytes: 100_000,
  });
  await years.addFleet();
  const beganMs = performance.now();
  const reports = new Map<string, object>();
  const totals: { readonly readings: number; readonly rest: number; readonly forGood: number }[] = [];
  let compared = 0;
  const different = new Set<string>();
  for (let nth = 1; nth <= YEARS * 12; nth += 1) {
    await years.live();
    const month = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + nth - 1, 1)).toISOString().slice(0, 7);
    reports.set(month, await years.report(month));
    if (nth % 12 !== 0) continue;
    for (const [told, report] of [...reports].slice(-REPORTED_MONTHS)) {
      compared += 1;
      if (!isDeepStrictEqual(await years.report(told), report)) different.add(told);
    }
    const sizes = await years.sizes();
    const size = (kind: string) => sizes.get(kind) ?? 0;
    const all = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const readings = size("readings");
    const forGood = size("robot_days") + size("audit");
    totals.push({ readings, rest: all - readings, forGood });
    const shown = [...sizes].filter(([, bytes]) => bytes > MB).toSorted(([, one], [, other]) => other - one);
    const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
    console.log(
      `year ${nth / 12} (${minutes} min): ${(all / MB).toFixed(0)} MB as stored here, without readings ${((all - readings) / MB).toFixed(1)} MB`,
    );
    console.log(`  ${shown.map(([kind, bytes]) => `${kind} ${(bytes / MB).toFixed(1)}`).join(", ")}`);
  }
  const of = (year: number) => totals[year - 1] ?? { readings: 0, rest: 0, forGood: 0 };
  const grown = (one: number, other: number) => (of(other).rest - of(one).rest) / (other - one) / ROBOTS / MB;
  console.log(
    `\n${ROBOTS} robots, readings thinned ${THINNED} times, ${compared} reports compared, ${different.size} differ${different.size === 0 ? "" : `: ${[...different].join(", ")}`}`,
  );
  console.log(
    `readings of one robot at their real rate: ${((of(YEARS).readings * THINNED) / ROBOTS / MB).toFixed(1)} MB at any time`,
  );
  report({
    what: "growth per robot and year besides readings, in the first years",
    figure: grown(1, Math.min(3, YEARS)),
    unit: "MB",
    atMost: 5,
  });
  report({
    what: "reports of kept months that changed",
    figure: different.size,
    unit: "",
    atMost: 0,
    detail: `of ${compared}`,
  });
  if (YEARS > 6) {
    const level = (year: number) => (of(year).rest - of(year).forGood) / MB;
    console.log(
      `what is not kept for good, in MB: by year ${totals.map((_, nth) => level(nth + 1).toFixed(0)).join(", ")}`,
    );
    console.log(
      `growth per robot and year after year 6: ${grown(6, YEARS).toFixed(3)} MB, of it daily figures and audit ${((of(YEARS).forGood - of(6).forGood) / (YEARS - 6) / ROBOTS / MB).toFixed(3)} MB`,
    );
  }
} finally {
  await database.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
