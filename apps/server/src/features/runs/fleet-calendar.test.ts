import { runsFleetCalendar } from "@suncrew/contract/runs/runs.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { expect, test } from "vitest";
import { writeFleetCalendar } from "./fleet-calendar.ts";

const SITES = 1_000;
const NIGHTS = 31;
const dates = Array.from({ length: NIGHTS }, (_, nth) => addDays("2026-06-01", nth));

test("fleet calendar: a month of a thousand sites is put together in slices, between which other work has its turn", async () => {
  const timezone = "Asia/Kolkata";
  const sites = Array.from({ length: SITES }, (_, nth) => ({ id: nth + 1, timezone }));
  const best = sites.flatMap(({ id }) =>
    Array.from({ length: NIGHTS }, (_, nth) => ({ site_id: id, nth, rank: 1, robots: 3 })),
  );
  const schedules = sites.map(({ id }) => ({
    id,
    site_id: id,
    group_id: id,
    group_name: "East",
    timezone,
    frequency: "DAILY" as const,
    start_time: "2026-05-01 18:30:00",
    duration_minutes: 30,
    next_run_at: new Date("2026-06-15T13:00:00Z"),
    robots: 3,
    is_worth_it: null,
    decision: null,
  }));
  let turns = 0;
  let isWritten = false;
  const others = () => {
    turns += 1;
    if (!isWritten) setImmediate(others);
  };
  setImmediate(others);
  const tonights = new Map([[timezone, "2026-06-15"]]);
  const json = await writeFleetCalendar({ dates, tonight: "2026-06-15", tonights, sites, best, schedules });
  isWritten = true;
  // Nothing here waits for a database: without slices there would be no turn at all.
  expect(turns).toBeGreaterThan(500);
  const calendar = runsFleetCalendar.response.parse(JSON.parse(json));
  expect(calendar.sites.map(({ nights }) => nights.length)).toEqual(sites.map(() => NIGHTS));
  expect(calendar.sites.at(-1)?.nights.at(-1)).toEqual({
    date: "2026-07-01",
    counts: { done: 3, planned: 3 },
    plan: { first: "18:30", minutes: 30, groups: 1 },
  });
});
