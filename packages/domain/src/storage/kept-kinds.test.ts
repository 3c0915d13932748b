import fc from "fast-check";
import { expect, test } from "vitest";
import {
  COMPUTED_FROM_DAYS,
  defaultKeepDays,
  deletedBefore,
  deletionTime,
  keptKindNames,
  keptKinds,
  keptTooShort,
} from "./kept-kinds.ts";

const now = new Date("2026-06-15T06:30:00Z");
const at = (text: string) => new Date(text);

test("retention: what is computed from is deleted neither before its age nor before its day is closed", () => {
  const before = (kind: "readings" | "activity", closed: string | null) =>
    deletedBefore(kind, { ...defaultKeepDays, readings: 40, activity: 40 }, now, closed === null ? null : at(closed));
  expect(before("readings", "2026-06-15T00:00:00Z")).toEqual(at("2026-05-06T06:30:00Z"));
  expect(before("readings", "2026-05-01T00:00:00Z")).toEqual(at("2026-05-01T00:00:00Z"));
  expect(before("readings", null)).toBeNull();
  expect(before("activity", null)).toEqual(at("2026-05-06T06:30:00Z"));
  expect(deletedBefore("audit", defaultKeepDays, now, now)).toBeNull();
});

test("retention: readings are deleted once their whole month is old enough, all else at its age", () => {
  expect(deletionTime("readings", defaultKeepDays, at("2026-01-05T10:00:00Z"))).toEqual(at("2026-05-04T00:00:00Z"));
  expect(deletionTime("mails", defaultKeepDays, at("2026-01-05T10:00:00Z"))).toEqual(at("2026-04-05T10:00:00Z"));
  expect(deletionTime("robot_days", defaultKeepDays, now)).toBeNull();
});

test("retention: property: no setting deletes within 35 days what days are computed from", () => {
  const kinds = fc.constantFrom("readings" as const, "presence" as const, "runs" as const, "alerts" as const);
  fc.assert(
    fc.property(kinds, fc.integer({ min: 0, max: 4_000 }), fc.date({ noInvalidDate: true }), (kind, more, closed) => {
      const days = keptKinds[kind].minimumDays + more;
      const before = deletedBefore(kind, { ...defaultKeepDays, [kind]: days }, now, closed);
      const least = now.getTime() - COMPUTED_FROM_DAYS * 86_400_000;
      return before !== null && before.getTime() <= Math.min(least, closed.getTime());
    }),
  );
});

test("retention: what reports of months with activity show is kept as long as activity, by default too", () => {
  expect(keptTooShort(defaultKeepDays)).toEqual([]);
  expect(keptTooShort({ ...defaultKeepDays, activity: 0 })).toEqual(["runs", "commands", "alerts"]);
  expect(keptTooShort({ ...defaultKeepDays, alerts: 400, robot_days: 400 })).toEqual(["alerts", "robot_days"]);
  expect(keptTooShort({ ...defaultKeepDays, runs: 0 })).toEqual([]);
});

test("retention: every default is allowed", () => {
  const wrong = keptKindNames.filter((kind) => {
    const { defaultDays, minimumDays } = keptKinds[kind];
    return defaultDays !== 0 && defaultDays < minimumDays;
  });
  expect(wrong).toEqual([]);
});
