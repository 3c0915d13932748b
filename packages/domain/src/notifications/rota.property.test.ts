import fc from "fast-check";
import { expect, inject, it, test } from "vitest";
import { addDays } from "../schedules/calendar-date.ts";
import { localTimeOf } from "../schedules/site-time.ts";
import { onDuty } from "./rota.ts";

const rota = {
  timezone: "Asia/Kolkata",
  starts_on: "2026-11-02",
  handover_at: "09:00",
  weeks: 1,
  members: ["Asha", "Ravi", "Meera"],
};

test.each([
  ["before the first handover, the first", "2026-10-30T00:00:00Z", "Asha", "2026-11-09T03:30:00.000Z"],
  ["from the first handover", "2026-11-02T03:30:00Z", "Asha", "2026-11-09T03:30:00.000Z"],
  ["until the second", "2026-11-09T03:29:59.999Z", "Asha", "2026-11-09T03:30:00.000Z"],
  ["then the next", "2026-11-09T03:30:00Z", "Ravi", "2026-11-16T03:30:00.000Z"],
  ["and the one after that", "2026-11-22T23:00:00Z", "Meera", "2026-11-23T03:30:00.000Z"],
  ["and the first again", "2026-11-23T03:30:00Z", "Asha", "2026-11-30T03:30:00.000Z"],
])("rota: %s", (_, at, member, until) => {
  const duty = onDuty(rota, new Date(at));
  expect([duty?.member, duty?.until.toISOString()]).toEqual([member, until]);
});

test.each([
  ["skip", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"],
  ["show twice", "2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z"],
])("rota: a time of handover that the clocks %s hands over once", (_, before, after) => {
  const sundays = { ...rota, timezone: "Europe/Berlin", starts_on: "2026-03-01", handover_at: "02:30" };
  const places = [before, after, after.replace("T00", "T01")].map((at) => onDuty(sundays, new Date(at))?.index ?? -1);
  expect(places[1]).toBe(((places[0] ?? -1) + 1) % 3);
  expect(places[2]).toBe(places[1]);
});

it("in a rota the next one stands in for somebody who is gone, and the turns of the others stay theirs", () => {
  const weeks = [5, 12, 19, 26].map((day) => new Date(Date.UTC(2026, 10, day)));
  const onWeeks = (...members: (string | null)[]) => weeks.map((at) => onDuty({ ...rota, members }, at)?.member);
  expect(onWeeks("Asha", null, "Meera")).toEqual(["Asha", "Meera", "Meera", "Asha"]);
  expect(onWeeks("Asha", "Ravi", null)).toEqual(["Asha", "Ravi", "Asha", "Asha"]);
  expect(onWeeks(null, null)).toEqual([undefined, undefined, undefined, undefined]);
});

it("a rota without members has nobody on duty", () => {
  expect(onDuty({ ...rota, members: [] }, new Date("2026-11-10T00:00:00Z"))).toBeNull();
});

const zones = [
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Europe/Berlin",
  "America/Havana",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
];
const anyRota = fc.record({
  timezone: fc.constantFrom(...zones),
  starts_on: fc.integer({ min: 0, max: 3_000 }).map((days) => addDays("2020-01-01", days)),
  handover_at: fc
    .record({
      hour: fc.oneof(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 3 })),
      quarter: fc.integer({ min: 0, max: 3 }),
    })
    .map(({ hour, quarter }) => `${String(hour).padStart(2, "0")}:${String(quarter * 15).padStart(2, "0")}`),
  weeks: fc.integer({ min: 1, max: 8 }),
  members: fc
    .integer({ min: 1, max: 6 })
    .map((count) => Array.from({ length: count }, (_unused, nth) => `member ${nth}`)),
});

test("rota: everybody has their turn in order, each handover at its local time on the same weekday, with no gap", () => {
  fc.assert(
    fc.property(anyRota, fc.integer({ min: -100, max: 1_000 }), (times, days) => {
      const at = new Date(Date.parse(`${addDays(times.starts_on, days)}T05:43:21Z`));
      let duty = onDuty(times, at);
      expect(duty?.until.getTime()).toBeGreaterThan(at.getTime());
      for (let turn = 0; turn < 8; turn += 1) {
        if (duty === null) throw new Error("nobody is on duty");
        const { index, until } = duty;
        expect(onDuty(times, new Date(until.getTime() - 1))).toEqual(duty);
        const next = onDuty(times, until);
        expect(next?.index).toBe((index + 1) % times.members.length);
        const shown = localTimeOf(until, times.timezone);
        expect(daysFrom(times.starts_on, shown.date) % (7 * times.weeks)).toBe(0);
        // Later only where the clocks skip it.
        const late = asMinutes(shown.time) - asMinutes(times.handover_at);
        expect([0, 15, 30, 45, 60]).toContain(late);
        const before = localTimeOf(new Date(until.getTime() - 60_000), times.timezone);
        const isSkipped = `${before.date} ${before.time}` < `${shown.date} ${times.handover_at}`;
        expect(late === 0 || isSkipped).toBe(true);
        duty = next;
      }
    }),
    { numRuns: 100 * inject("soak").factor },
  );
});

const daysFrom = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
const asMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
