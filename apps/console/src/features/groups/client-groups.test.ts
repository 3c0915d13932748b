import type { Group } from "@suncrew/contract/groups/groups.ts";
import { expect, test } from "vitest";
import { clientGroupOf, storedGroupsWith } from "./client-groups.ts";

const group: Group = {
  id: 4,
  group_name: "East Row",
  site_id: 1,
  robots: [{ id: 7 }, { id: 9 }],
  created_at: "2026-03-01T12:00:00.000Z",
  schedule_type: null,
  schedule_details: null,
  version: 1,
};
const schedule = {
  enabled: true,
  startTime: "06:30",
  durationMinutes: 45,
  frequency: "DAILY",
  customDays: 1,
  days: [],
} as const;
const eastRow = clientGroupOf(group, schedule);

test("§3 Robot group, client shape: the copy has exactly these fields", () => {
  expect(JSON.parse(storedGroupsWith(null, 1, [eastRow]))).toEqual([
    { id: 4, name: "East Row", siteId: 1, robotIds: [7, 9], createdAt: "2026-03-01T12:00:00.000Z", schedule },
  ]);
});

test("§9 robotGroups: a site's answer replaces its own groups and leaves those of other sites", () => {
  const elsewhere = { ...eastRow, id: 5, siteId: 2 };
  const both = storedGroupsWith(storedGroupsWith(null, 1, [eastRow]), 2, [elsewhere]);
  expect(JSON.parse(both)).toEqual([eastRow, elsewhere]);
  expect(JSON.parse(storedGroupsWith(both, 1, []))).toEqual([elsewhere]);
});

test.each(["{", "7", '[{"name":"no site"}]'])("§9 robotGroups: what was stored as %s is dropped", (stored) => {
  expect(JSON.parse(storedGroupsWith(stored, 1, []))).toEqual([]);
});
