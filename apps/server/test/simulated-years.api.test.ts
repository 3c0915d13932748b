import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenDatabase } from "../src/platform/database/database.ts";
import { SimulatedYears } from "./simulated-years.ts";
import { createTestDatabase } from "./test-database.ts";

let database: OpenDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

const count = async (table: string) =>
  (await sql<{ rows: number }>`select count(*)::int as rows from ${sql.table(table)}`.execute(database.db)).rows[0]
    ?.rows;

// Ten years of a hundred robots: bench/years.ts.
test("retention: fifteen months keep their daily figures and reports, while readings, events and presence stay as many", async () => {
  const from = new Date("2024-01-01T00:00:00Z");
  const years = new SimulatedYears(database.db, {
    sites: 1,
    robotsPerSite: 2,
    from,
    readingEveryMinutes: 240,
    reportBytes: 1_000,
  });
  await years.addFleet();
  const reports = new Map<string, object>();
  const kept: (number | undefined)[][] = [];
  for (let nth = 1; nth <= 15; nth += 1) {
    await years.live();
    const last = new Date(years.now.getTime() - 5 * 86_400_000).toISOString().slice(0, 7);
    // The first day of the first month began before the first row.
    if (nth > 1) reports.set(last, await years.report(last));
    kept.push([await count("readings"), await count("robot_events"), await count("robot_presence")]);
  }
  const atEnd = kept.at(-1) ?? [];
  // Readings of 92 days in whole months, by six a day and robot; events of 92 days; presence of 400 days.
  expect(atEnd[0]).toBeLessThanOrEqual(2 * 6 * (92 + 31));
  expect(atEnd[1]).toBeLessThanOrEqual(2 * 4 * 95);
  expect(atEnd[2]).toBeLessThanOrEqual(2 * 402);
  expect(await count("runs")).toBe(2 * 2 * 456);
  expect(await count("robot_days")).toBeGreaterThanOrEqual(2 * 454);
  // What is kept for three years is all there, and the months whose readings are gone are told as they were.
  for (const [month, report] of reports) expect([month, await years.report(month)]).toEqual([month, report]);
});
