import { expect, test } from "vitest";
import { readUrl, writeUrl } from "../../platform/url-state.ts";
import { type FleetUrl, fleetUrl, isFiltered, NO_FILTER } from "./fleet-url.ts";

const read = (text: string) => readUrl(fleetUrl, new URLSearchParams(text));
const write = (by: Partial<FleetUrl>) => writeUrl(fleetUrl, new URLSearchParams(), by).toString();

test("Robots page: without parameters nothing is filtered, and serial numbers give the order", () => {
  const url = read("");
  expect(url).toMatchObject({ ...NO_FILTER, sort: { column: "serial", isDescending: false } });
  expect(url.columns).toContain("serial");
  expect(isFiltered(url)).toBe(false);
  expect(write(url)).toBe("");
});

test("Robots page: an address restores every filter, order and columns", () => {
  const text =
    "q=row+4&figure=attention&site=3&state=Rajasthan&partner=2&group=5&battery=35&firmware=2.4.1&cleaned=7&today=skipped&sort=-battery&columns=serial%2Csite%2Cbattery";
  const url = read(text);
  expect(url).toEqual({
    search: "row 4",
    figure: "needsAttention",
    siteId: 3,
    state: "Rajasthan",
    partnerId: 2,
    groupId: 5,
    batteryBelow: 35,
    firmware: "2.4.1",
    cleaned: "7",
    today: "skipped",
    sort: { column: "battery", isDescending: true },
    columns: ["serial", "site", "battery"],
  });
  expect(isFiltered(url)).toBe(true);
  expect(write(url)).toBe(text);
});

test.each([
  ["battery=0", { batteryBelow: null }],
  ["battery=101", { batteryBelow: null }],
  ["battery=100", { batteryBelow: 100 }],
  ["figure=nonsense", { figure: null }],
  ["today=planned", { today: null }],
  ["cleaned=2", { cleaned: null }],
  ["sort=-nonsense", { sort: { column: "serial", isDescending: false } }],
  ["columns=nonsense", { columns: read("").columns }],
])("Robots page: '%s' is read as far as it makes sense", (text, expected) => {
  expect(read(text)).toMatchObject(expected);
});
