import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { addSite } from "../../../test/fixtures.ts";
import { referenceReport } from "../../../test/reference-report.ts";
import { rawHistory, storeHistory, TICK_MS } from "../../../test/report-histories.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { ReportData } from "./report-data.ts";
import { readReport } from "./reports.service.ts";

let server: TestApp;
let elsewhereId: number;
beforeAll(async () => {
  server = await createTestApp();
  elsewhereId = await addSite(server.db, "Elsewhere", null);
});
afterAll(() => server.close());

const INTERVAL_DAYS = 830;
const RUNS = 60 * inject("soak").factor;
/** At most this many may be of a range without activity. */
const REFUSED_RUNS = RUNS / 3;

test(
  "decisions, report figures: they equal those that a plain loop over the raw rows computes, whichever days are closed or corrected",
  { timeout: 240_000 * inject("soak").factor },
  async () => {
    const { db, fixtures } = server;
    const viewer: Viewer = {
      userId: fixtures.userIds.admin,
      name: "Anita Rao",
      email: "",
      role: "SUPER_ADMIN",
      partnerId: null,
      sessionId: "",
    };
    let reports = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(rawHistory, async (history) => {
        const siteId = await storeHistory(db, history, elsewhereId, fixtures.userIds.admin);
        const expected = referenceReport(history, INTERVAL_DAYS);
        const now = new Date(history.baseMs + history.now * TICK_MS);
        const options = { now, maintenanceIntervalDays: INTERVAL_DAYS };
        const request = { siteId, from: history.from, to: history.to };
        const report = await readReport(viewer, db, request, options).catch((error: unknown) => {
          if (error instanceof HttpError && error.status === 404) return null;
          throw error;
        });
        const actual = report === null ? { activity: 0 } : figuresOf(report);
        expect(rounded(actual)).toEqual(rounded(expected.activity === 0 ? { activity: 0 } : expected));
        if (report !== null) reports += 1;
        // Tries another history, so that most runs have a report to check.
        else fc.pre(++refused <= REFUSED_RUNS);
      }),
      { numRuns: RUNS },
    );
    expect(reports).toBeGreaterThan(RUNS / 3);
  },
);

/** What the loop computes too. */
function figuresOf(report: ReportData) {
  const { figures, days, outcomes, robots, notDone, maintenance, alerts, activity, range } = report;
  return {
    range: [range.from.utc, range.to.utc],
    figures,
    outcomes,
    days,
    robots: robots
      // In stored order; the loop knows no names.
      .toSorted((one, other) => one.robotId - other.robotId)
      .map(({ robotId: _id, name: _name, serialNumber: _serial, health, ...row }) => ({
        ...row,
        due: health?.maintenanceDueDate ?? null,
        errors: health?.errorCount ?? null,
      })),
    notDone: notDone.rows.length + notDone.rest,
    locks: maintenance.locks.rows.length + maintenance.locks.rest,
    alerts: alerts.rows.length + alerts.rest,
    activity: activity.rows.length + activity.rest,
  };
}

/** Sums of many parts differ in their last digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each: unknown) => (typeof each === "number" ? Math.round(each * 1e6) / 1e6 : each)),
  );
}
