import { expect, test } from "vitest";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { ReachableRobot } from "./presence.repository.ts";
import { StatusRequests } from "./status-requests.ts";

function requests() {
  const broker = new MemoryBroker();
  const clock = new ManualClock(new Date("2026-11-26T06:00:00Z"));
  const asked = () => broker.published.map(({ topic }) => topic.split("/").at(-2));
  return { statusRequests: new StatusRequests({ broker, clock }, () => true), clock, asked };
}

const robots = (prefix: string, count: number, awaited = false): ReachableRobot[] =>
  Array.from({ length: count }, (_, index) => ({ robotId: index, serial: `${prefix}-${index}`, session: 1, awaited }));

test("protocol rule 11: up to 10,000 robots are queried within 10 s, more at 1,000 a second, and those that are waited for first", () => {
  const { statusRequests, clock, asked } = requests();
  statusRequests.plan([...robots("WAITED", 100, true), ...robots("OTHER", 11_000)]);
  clock.advance(0);
  expect(asked().slice(0, 100)).toEqual(robots("WAITED", 100).map(({ serial }) => serial));
  clock.advance(999);
  expect(asked()).toHaveLength(100 + 1_000);
  clock.advance(9_000);
  expect(asked()).toHaveLength(100 + 10_000);
  clock.advance(1_000);
  expect(asked()).toHaveLength(100 + 11_000);
  expect(statusRequests.isAsking).toBe(false);
});

test("protocol rule 11: if commands and runs wait for many robots, these too are queried at 1,000 a second", () => {
  const { statusRequests, clock, asked } = requests();
  statusRequests.plan(robots("WAITED", 3_000, true));
  clock.advance(999);
  expect(asked()).toEqual(robots("WAITED", 1_000).map(({ serial }) => serial));
  clock.advance(2_000);
  expect(asked()).toHaveLength(3_000);
});

test("protocol rule 11: a robot that has reported by itself is queried only if somebody waits for it", () => {
  const { statusRequests, clock, asked } = requests();
  statusRequests.plan([...robots("WAITED", 200, true), ...robots("OTHER", 4)]);
  for (const serial of ["WAITED-199", "OTHER-1", "OTHER-3"]) statusRequests.heard(serial);
  clock.advance(10_000);
  expect(asked()).toContain("WAITED-199");
  expect(asked().filter((serial) => serial?.startsWith("OTHER"))).toEqual(["OTHER-0", "OTHER-2"]);
  expect(statusRequests.isAsking).toBe(false);
});
