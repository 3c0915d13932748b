import type { FleetNight, RunCounts } from "@suncrew/contract/runs/runs.ts";
import { expect, test } from "vitest";
import { NO_FILTER } from "./fleet-calendar-url.ts";
import {
  calendarRows,
  type CalendarSite,
  findRows,
  type FleetCalendar,
  nightText,
  orderRows,
  phoneRank,
} from "./fleet-nights.ts";

const site = (id: number, name: string, more: Partial<CalendarSite> = {}): CalendarSite => ({
  id,
  name,
  address: `${name} Road`,
  state: "Rajasthan",
  timezone: "Asia/Kolkata",
  maintenance_partner_id: 2,
  partner_name: "SunCare Services",
  ...more,
});

const sites = [
  site(1, "Bhadla"),
  site(2, "Charanka", { state: "Gujarat" }),
  site(3, "Alwar", { maintenance_partner_id: 1, partner_name: "In-house" }),
];

const night = (date: string, counts: Partial<RunCounts>, plan: FleetNight["plan"] = null): FleetNight => ({
  date,
  counts,
  plan,
});

const calendar: FleetCalendar = {
  dates: ["2026-06-14", "2026-06-15", "2026-06-16"],
  tonight: "2026-06-15",
  sites: [
    {
      site_id: 1,
      tonight: "2026-06-15",
      nights: [
        night("2026-06-14", { done: 12, failed: 1, skipped: 1 }),
        night("2026-06-15", { running: 2, planned: 3 }, { first: "23:30", minutes: 45, groups: 1 }),
        night("2026-06-16", { planned: 5 }, { first: "18:30", minutes: 30, groups: 2 }),
      ],
    },
    { site_id: 2, tonight: "2026-06-15", nights: [night("2026-06-14", { failed: 1, missed: 8 })] },
    { site_id: 3, tonight: "2026-06-15", nights: [night("2026-06-14", { done: 4, stopped: 1 })] },
  ],
};

const rows = calendarRows(sites, calendar);
const names = (of: readonly { readonly site: CalendarSite }[]) => of.map((row) => row.site.name);

test("fleet calendar: a night has one state, bad if none of its robots was done", () => {
  expect(rows.map(({ nights }) => nights.map(({ state }) => state))).toEqual([
    ["mixed", "running", "planned"],
    ["failed", null, null],
    ["mixed", null, null],
  ]);
  expect(rows[0]?.nights.map(({ when }) => when)).toEqual(["past", "tonight", "coming"]);
  expect(rows[0]?.nights[0]?.robots).toBe(14);
});

test("fleet calendar: a night in words says what was done, what was not, and when the rest begins", () => {
  expect(rows.flatMap(({ nights }) => nights.map(nightText)).slice(0, 4)).toEqual([
    "12 done, 1 skipped, 1 failed",
    "2 running, 3 planned at 23:30, 45 min",
    "5 planned from 18:30, 30 min",
    "8 missed, 1 failed",
  ]);
});

test("fleet calendar: sites are listed by name or the worst first, and found by what they are looked for by", () => {
  expect(names(orderRows(rows, "name"))).toEqual(["Alwar", "Bhadla", "Charanka"]);
  expect(names(orderRows(rows, "worst"))).toEqual(["Charanka", "Bhadla", "Alwar"]);
  expect(names(findRows(rows, { ...NO_FILTER, search: "house" }))).toEqual(["Alwar"]);
  expect(names(findRows(rows, { ...NO_FILTER, state: "Gujarat" }))).toEqual(["Charanka"]);
  expect(names(findRows(rows, { ...NO_FILTER, partnerId: 1 }))).toEqual(["Alwar"]);
  // A person's Stop is no trouble.
  expect(names(findRows(rows, { ...NO_FILTER, isTroubledOnly: true }))).toEqual(["Bhadla", "Charanka"]);
});

test("fleet calendar: on a phone trouble comes first, then what runs, is planned, is done; last who does nothing", () => {
  const ranks = rows.map(({ nights }) => nights.map(phoneRank));
  expect(ranks).toEqual([
    [0, 1, 2],
    [0, 4, 4],
    [3, 4, 4],
  ]);
});
