import type { Group } from "@suncrew/contract/groups/groups.ts";
import { expect, test } from "vitest";
import { storedGroupsWith } from "./client-groups.ts";

const group: Group = {
  id: 4,
  group_name: "East Row",
  site_id: 1,
  robots: [{ id: 7 }, { id: 9 }],
  created_at: "2026-03-01T12:00:00.000Z",
  schedule_type: null,
  schedule_details: null,
};
const daily: Group = {
  ...group,
  schedule_type: "DAILY",
  schedule_details: {
    id: 11,
    group_id: 4,
    site_id: 1,
    action: "START",
    start_time: "2026-03-02 06:30:00",
    duration_minutes: 45,
    frequency: "DAILY",
    status: "ACTIVE",
    next_run_at: "2026-03-02T01:00:00.000Z",
    skip_on_rain: false,
  },
};

test("§3 Robot group, client shape: the copy has its fields, and the schedule's defaults where there is none", () => {
  expect(JSON.parse(storedGroupsWith(null, 1, [group]))).toEqual([
    {
      id: 4,
      name: "East Row",
      siteId: 1,
      robotIds: [7, 9],
      createdAt: "2026-03-01T12:00:00.000Z",
      schedule: { enabled: false, startTime: "", durationMinutes: 30, frequency: "ONCE", customDays: 1, days: [] },
    },
  ]);
  expect(JSON.parse(storedGroupsWith(null, 1, [daily]))).toMatchObject([
    { schedule: { enabled: true, startTime: "06:30", durationMinutes: 45, frequency: "DAILY" } },
  ]);
});

test("§9 robotGroups: a site's answer replaces its own groups and leaves those of other sites", () => {
  const elsewhere = { ...group, id: 5, site_id: 2 };
  const first = storedGroupsWith(storedGroupsWith(null, 1, [group]), 2, [elsewhere]);
  const ids = (text: string) => (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
  expect(ids(first)).toEqual([4, 5]);
  expect(ids(storedGroupsWith(first, 1, []))).toEqual([5]);
});

test.each(["{", "7", '[{"name":"no site"}]'])("§9 robotGroups: what was stored as %s is dropped", (stored) => {
  expect(JSON.parse(storedGroupsWith(stored, 1, []))).toEqual([]);
});
