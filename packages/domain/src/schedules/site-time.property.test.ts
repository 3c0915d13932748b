import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { instantOf, localTimeOf, siteToday, startOfDay } from "./site-time.ts";

/** With and without clock changes: of 30 minutes, at and over midnight, of a whole day, abolished, backwards in winter. */
const zones = [
  "UTC",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Europe/Berlin",
  "Europe/Dublin",
  "Africa/Casablanca",
  "Africa/Cairo",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Havana",
  "America/Caracas",
  "America/Nuuk",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "Pacific/Chatham",
  "Pacific/Apia",
];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FIRST = Date.UTC(2010, 0, 1);
const LAST = Date.UTC(2041, 0, 1);

const formats = new Map(
  zones.map((zone) => {
    const fields = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    const times = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
    return [zone, new Intl.DateTimeFormat("sv-SE", { timeZone: zone, ...fields, ...times })] as const;
  }),
);

/** The zone's local time, 'YYYY-MM-DD HH:MM:SS', as the runtime itself writes it. */
function wallOf(time: number, zone: string): string {
  return formats.get(zone)?.format(time) ?? "";
}

function asUtc(wall: string): number {
  return Date.parse(`${wall.replace(" ", "T")}Z`);
}

/** The first instant at which the clocks show the time or have passed it, found minute by minute. */
function scanned(wall: string, zone: string): number {
  const minute = `${wall.slice(0, 16)}:00`;
  for (let time = asUtc(minute) - 15 * HOUR_MS; ; time += MINUTE_MS) {
    const shown = wallOf(time, zone);
    if (shown === minute) return time + Number(wall.slice(17)) * 1_000;
    if (shown > minute) return time;
  }
}

function offsetOf(time: number, zone: string): number {
  return asUtc(wallOf(time, zone)) - time;
}

/** The first minute of each new offset of a zone. */
function clockChangesOf(zone: string): number[] {
  const changes: number[] = [];
  for (let day = FIRST; day < LAST; day += DAY_MS) {
    let [before, after] = [day, day + DAY_MS];
    if (offsetOf(before, zone) === offsetOf(after, zone)) continue;
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / MINUTE_MS / 2) * MINUTE_MS;
      if (offsetOf(middle, zone) === offsetOf(before, zone)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

const changesByZone = new Map(zones.map((zone) => [zone, clockChangesOf(zone)]));

/** Instants from 2010 to 2040, half of them within two hours of a clock change if the zone has any. */
const anyMoment = fc.constantFrom(...zones).chain((zone) => {
  const anywhere = fc.integer({ min: FIRST / 1_000, max: LAST / 1_000 }).map((seconds) => seconds * 1_000);
  const changes = changesByZone.get(zone) ?? [];
  if (changes.length === 0) return fc.record({ zone: fc.constant(zone), time: anywhere });
  const nearby = fc.record({ change: fc.constantFrom(...changes), seconds: fc.integer({ min: -7_200, max: 7_200 }) });
  const near = nearby.map(({ change, seconds }) => change + seconds * 1_000);
  return fc.record({ zone: fc.constant(zone), time: fc.oneof(anywhere, near) });
});

it("the clock changes tried are those of the world: none in India, two a year in Berlin, a day lost in Apia", () => {
  expect(changesByZone.get("Asia/Kolkata")).toEqual([]);
  expect(changesByZone.get("Europe/Berlin")).toHaveLength(62);
  expect(changesByZone.get("Pacific/Apia")).toContain(Date.UTC(2011, 11, 30, 10));
});

it("Time: local times match the runtime's", () => {
  fc.assert(
    fc.property(anyMoment, ({ zone, time }) => {
      const [date, clock] = wallOf(time, zone).split(" ");
      expect(localTimeOf(new Date(time), zone)).toEqual({ date, time: clock });
      expect(siteToday(zone, new Date(time))).toBe(date);
    }),
    { numRuns: 1_000 * inject("soak").factor },
  );
});

/** Local times that exist or not: three quarters in or around a gap or a repeated hour. */
const anyWall = anyMoment.chain(({ zone, time }) => {
  const shown = fc.constant({ zone, wall: wallOf(time, zone) });
  const changes = changesByZone.get(zone) ?? [];
  if (changes.length === 0) return shown;
  const around = fc.constantFrom(...changes).chain((change) => {
    const offsets = [offsetOf(change - MINUTE_MS, zone), offsetOf(change, zone)];
    const [from, to] = [Math.min(...offsets) / 1_000 - 900, Math.max(...offsets) / 1_000 + 900];
    return fc.integer({ min: from, max: to }).map((seconds) => {
      const wall = new Date(change + seconds * 1_000).toISOString();
      return { zone, wall: wall.slice(0, 19).replace("T", " ") };
    });
  });
  return fc.oneof({ weight: 1, arbitrary: shown }, { weight: 3, arbitrary: around });
});

it("Time: a skipped time is the first minute after the gap, a repeated one the first, verified by trying every minute", () => {
  const seen = { gap: 0, twice: 0, plain: 0 };
  fc.assert(
    fc.property(anyWall, ({ zone, wall }) => {
      const [date = "", clock = ""] = wall.split(" ");
      const instant = instantOf(date, clock, zone).getTime();
      expect(instant).toBe(scanned(wall, zone));
      if (wallOf(instant, zone) !== wall) seen.gap += 1;
      else if ([0.5, 1, 2].some((hours) => wallOf(instant + hours * HOUR_MS, zone) === wall)) seen.twice += 1;
      else seen.plain += 1;
    }),
    { numRuns: 500 * inject("soak").factor },
  );
  // All three kinds occurred, each far more often than this.
  expect(seen.gap).toBeGreaterThan(50);
  expect(seen.twice).toBeGreaterThan(50);
  expect(seen.plain).toBeGreaterThan(50);
});

it("the first instant of a day is the first that shows it", () => {
  fc.assert(
    fc.property(anyMoment, ({ zone, time }) => {
      const date = wallOf(time, zone).slice(0, 10);
      const first = startOfDay(date, zone).getTime();
      expect(wallOf(first, zone).slice(0, 10)).toBe(date);
      expect(wallOf(first - 1_000, zone) < date).toBe(true);
    }),
    { numRuns: 500 * inject("soak").factor },
  );
});
