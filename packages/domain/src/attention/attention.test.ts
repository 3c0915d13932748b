import { describe, expect, test } from "vitest";
import {
  attentionOf,
  type AttentionFacts,
  countAttention,
  lastEvening,
  lastsTheRun,
  type TroubledRunFact,
} from "./attention.ts";

const now = new Date("2026-06-15T06:30:00Z");
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const DAY = 1_440;

const site = { id: 1, name: "Bhadla Solar Park", timezone: "Asia/Kolkata" };
const other = { id: 2, name: "Rewa Ultra Mega Solar", timezone: "Asia/Kolkata" };
const robot = (nth: number) => ({ robot_id: nth, serial_number: `SCR-${1000 + nth}` });
const nothing: AttentionFacts = { lost: [], alerts: [], runs: [], batteries: [], locks: [], acknowledgements: [] };
const itemsOf = (facts: Partial<AttentionFacts>) =>
  attentionOf({ ...nothing, ...facts }, now).map((ranked) => ranked.item);

const lost = (nth: number, minutes: number) => ({
  site,
  robot: robot(nth),
  lost: { state: "MAY_BE_MOVING", lostAt: ago(minutes), stopsBy: ago(minutes - 30) } as const,
});
const alert = (id: string, minutes: number) => ({
  id,
  site,
  robot: robot(Number(id)),
  severity: "CRITICAL" as const,
  code: "JAM",
  text: `The brush of ${id} is jammed.`,
  raisedAt: ago(minutes),
  acknowledged: null,
});
const run = (nth: number, more: Partial<TroubledRunFact> = {}): TroubledRunFact => ({
  id: `run${nth}`,
  site,
  robot: robot(nth),
  plan: { scheduleId: 7, groupName: "North Rows", minutes: 30 },
  at: ago(12 * 60),
  outcome: "SKIPPED",
  code: "ROBOT_AWAY",
  reason: `Robot SCR-${1000 + nth} is offline: it has no connection at the moment.`,
  publicReason: null,
  ...more,
});
const battery = (nth: number, percent: number) => ({
  site,
  robot: robot(nth),
  scheduleId: 7,
  groupName: "North Rows",
  dueAt: ago(-6 * 60),
  minutes: 30,
  batteryPercent: percent,
  drainPerMinute: 1,
});
const lock = (id: string, minutes: number) => ({
  id,
  site,
  robot: robot(Number(id)),
  lockedAt: ago(minutes),
  lockedBy: "Asha Rathore",
  reason: "New brush",
});

test.each([
  // 12:00 at the site: the evening of the day before.
  ["Asia/Kolkata", "2026-06-15T06:30:00Z", "2026-06-14T12:30:00.000Z"],
  ["Asia/Kolkata", "2026-06-15T18:29:00Z", "2026-06-14T12:30:00.000Z"],
  // 00:00 there: the evening that is just over is that of the day before.
  ["Asia/Kolkata", "2026-06-15T18:30:00Z", "2026-06-15T12:30:00.000Z"],
  ["America/Los_Angeles", "2026-06-15T06:30:00Z", "2026-06-14T01:00:00.000Z"],
])("attention: last evening in %s at %s began at %s", (timezone, at, began) => {
  expect(lastEvening(timezone, new Date(at)).toISOString()).toBe(began);
});

test.each([
  [50, 30, 1, true],
  [49.9, 30, 1, false],
  [20, 1, 0.1, false],
  [100, 480, 0.16, true],
  [100, 480, 0.17, false],
])("attention: a battery of %d %% lasts %d min at %d %% a minute: %s", (percent, minutes, drain, lasts) => {
  expect(lastsTheRun(percent, minutes, drain)).toBe(lasts);
});

describe("attention: the order", () => {
  test("is perhaps moving, critical alerts, runs by robots and age, batteries by their run, long maintenance", () => {
    const facts: AttentionFacts = {
      lost: [lost(1, 5)],
      alerts: [alert("2", 10), alert("3", 90)],
      runs: [
        run(4, { at: ago(60), plan: null }),
        run(5, { at: ago(600), plan: null }),
        run(6),
        run(7),
        run(8, { code: "ROBOT_IN_MAINTENANCE", at: ago(900), plan: null }),
      ],
      batteries: [battery(9, 40)],
      locks: [lock("10", 8 * DAY), lock("11", 30 * DAY)],
      acknowledgements: [],
    };
    expect(itemsOf(facts).map(({ kind, robots }) => [kind, robots.map(({ robot_id: id }) => id).join()])).toEqual([
      ["MAY_BE_MOVING", "1"],
      ["ALERT", "3"],
      ["ALERT", "2"],
      ["RUNS", "6,7"],
      ["RUNS", "5"],
      ["RUNS", "4"],
      ["RUNS", "8"],
      ["BATTERY", "9"],
      ["MAINTENANCE", "11"],
      ["MAINTENANCE", "10"],
    ]);
    expect(countAttention(attentionOf(facts, now))).toEqual({
      open: { CRITICAL: 3, WARNING: 4, INFO: 3 },
      acknowledged: 0,
    });
  });

  test("has what was acknowledged last, whatever it is", () => {
    const acknowledged = { at: ago(1), by: "Anita Rao", comment: "Team is on its way." };
    const items = attentionOf(
      { ...nothing, alerts: [{ ...alert("2", 10), acknowledged }], locks: [lock("10", 8 * DAY)] },
      now,
    );
    expect(items.map(({ item }) => item.kind)).toEqual(["MAINTENANCE", "ALERT"]);
    expect(items[1]?.item).toMatchObject({ acknowledged_by: "Anita Rao", comment: "Team is on its way." });
    expect(countAttention(items)).toEqual({ open: { CRITICAL: 0, WARNING: 0, INFO: 1 }, acknowledged: 1 });
  });
});

describe("attention: one item for the robots of a site with the same cause", () => {
  test("robots that were skipped in one run for the same reason", () => {
    const runs = [run(2), run(1), run(3, { code: "ROBOT_SILENT", reason: "Robot SCR-1003 has not reported." })];
    const [both, one] = itemsOf({ runs });
    expect(both).toMatchObject({
      robot_count: 2,
      robots: [robot(1), robot(2)],
      cause:
        "The 00:00 run of North Rows was skipped for 2 robots. Each robot is offline: it has no connection at the moment.",
      retry_minutes: 30,
      day: "2026-06-15",
    });
    expect(one?.cause).toBe("The 00:00 run of North Rows was skipped. Robot SCR-1003 has not reported.");
    expect(one?.key).not.toBe(both?.key);
  });

  test("keeps its key while robots leave it, and another night has another", () => {
    const key = (...runs: TroubledRunFact[]) => itemsOf({ runs })[0]?.key;
    expect(key(run(2), run(1))).toBe(key(run(1)));
    expect(key(run(1, { at: ago(12 * 60 - DAY) }))).not.toBe(key(run(1)));
  });

  test("robots lost while moving at one site; their alerts are not listed beside them", () => {
    const alerts = [{ ...alert("1", 5), code: "LOST_WHILE_MOVING" }];
    expect(itemsOf({ lost: [lost(1, 5), lost(2, 4)], alerts })).toMatchObject([
      {
        kind: "MAY_BE_MOVING",
        severity: "CRITICAL",
        can_stop: true,
        since: ago(5).toISOString(),
        cause: "2 robots lost contact while cleaning; may be moving; the last stops by itself by 12:26.",
      },
    ]);
    expect(itemsOf({ alerts })).toMatchObject([{ kind: "ALERT", key: "1" }]);
  });

  test("an alert that is no more than a warning keeps its severity, after the critical ones", () => {
    const weather = { ...alert("9", 5), robot: null, severity: "WARNING" as const, code: "WEATHER_LIMIT" };
    expect(itemsOf({ alerts: [weather, alert("1", 1)] })).toMatchObject([
      { key: "1", severity: "CRITICAL" },
      {
        key: "9",
        severity: "WARNING",
        robots: [],
        suggestion: "Nothing to do: robots were stopped, and can be started again after the weather.",
      },
    ]);
  });

  test("critical alerts with the same words; those of other sites, and acknowledged ones, are others", () => {
    const text = "The battery is nearly empty, below 10 %.";
    const low = (id: string) => ({ ...alert(id, 5), text, code: "LOW_BATTERY" });
    const acknowledged = { at: ago(1), by: "Anita Rao", comment: null };
    const alerts = [low("4"), low("3"), { ...low("5"), site: other }, { ...low("6"), acknowledged }];
    const items = attentionOf({ ...nothing, alerts }, now);
    expect(items.map(({ item: { key, robot_count }, alertIds }) => [key, robot_count, alertIds.join()])).toEqual([
      ["5", 1, "5"],
      ["alerts-3", 2, "3,4"],
      ["6", 1, "6"],
    ]);
  });

  test("batteries for one run; one that lasts is not listed", () => {
    expect(itemsOf({ batteries: [battery(1, 40), battery(2, 50), battery(3, 30)] })).toMatchObject([
      {
        robot_count: 2,
        since: null,
        due_at: ago(-6 * 60).toISOString(),
        cause: "The batteries of 2 robots will not last the 18:00 run of North Rows (30 min).",
      },
    ]);
    expect(itemsOf({ batteries: [battery(1, 40)] })[0]?.cause).toBe(
      "The battery has 40 %, and the 18:00 run of North Rows (30 min) takes about 30 %: less than 20 % would be left.",
    );
  });
});

describe("attention: runs", () => {
  test.each([
    ["FAILED", "ROBOT_AWAY", "WARNING", 30],
    ["MISSED", "RUN_TOO_LATE", "WARNING", 30],
    ["SKIPPED", "ROBOT_IN_MAINTENANCE", "INFO", 30],
    ["SKIPPED", "RUN_AFTER_STOP", "INFO", 30],
    ["SKIPPED", "ROBOT_DEVICE_RETIRED", "WARNING", null],
    ["SKIPPED", null, "WARNING", 30],
    ["SKIPPED", "OF_TOMORROW", "WARNING", 30],
  ] as const)(
    "%s with the code %s is of severity %s, and can be retried for %s minutes",
    (outcome, code, severity, minutes) => {
      expect(itemsOf({ runs: [run(1, { outcome, code })] })).toMatchObject([{ severity, retry_minutes: minutes }]);
    },
  );

  test("one by hand that was cut short has no planned minutes to retry", () => {
    const cut = {
      plan: null,
      outcome: "CUT_SHORT",
      code: "RUN_BATTERY",
      reason: "The robot's battery was too low.",
    } as const;
    expect(itemsOf({ runs: [run(1, cut)] })).toMatchObject([
      {
        key: "run-run1",
        retry_minutes: null,
        cause: "The run begun at 00:00 was cut short. The robot's battery was too low.",
      },
    ]);
  });
});

describe("attention: an acknowledgement", () => {
  const seen = (key: string, minutes: number, ...robotIds: number[]) => ({
    key,
    at: ago(minutes),
    by: "Anita Rao",
    comment: null,
    robotIds,
  });
  const isAcknowledged = (facts: Partial<AttentionFacts>) => itemsOf(facts)[0]?.acknowledged_by === "Anita Rao";

  test("holds while robots leave, and ends when one is added", () => {
    const [key = ""] = itemsOf({ runs: [run(1), run(2)] }).map((item) => item.key);
    const acknowledgements = [seen(key, 5, 1, 2)];
    expect(isAcknowledged({ runs: [run(1), run(2)], acknowledgements })).toBe(true);
    expect(isAcknowledged({ runs: [run(2)], acknowledgements })).toBe(true);
    expect(isAcknowledged({ runs: [run(2), run(3)], acknowledgements })).toBe(false);
  });

  test("of a robot that may be moving is about this time only", () => {
    expect(isAcknowledged({ lost: [lost(1, 10)], acknowledgements: [seen("lost-1", 5, 1)] })).toBe(true);
    expect(isAcknowledged({ lost: [lost(1, 10)], acknowledgements: [seen("lost-1", 60, 1)] })).toBe(false);
  });
});

test("attention: maintenance counts after more than seven days, with who and why", () => {
  expect(itemsOf({ locks: [lock("1", 7 * DAY)] })).toEqual([]);
  expect(itemsOf({ locks: [lock("1", 9 * DAY + 60)] })).toMatchObject([
    { key: "maintenance-1", cause: "In maintenance for 9 days, locked by Asha Rathore: New brush." },
  ]);
});

test("a site that is soiled is listed as a warning, after what is critical, with the code by which it is opened", () => {
  const text = "By model, soiling takes about 6 % of this site's energy.";
  const soiled = { ...alert("7", 30), robot: null, severity: "WARNING" as const, code: "SITE_SOILED", text };
  expect(itemsOf({ alerts: [soiled, alert("1", 10)] })).toMatchObject([
    { kind: "ALERT", severity: "CRITICAL", code: "JAM" },
    { kind: "ALERT", severity: "WARNING", code: "SITE_SOILED", key: "7", robots: [], site_id: site.id },
  ]);
  expect(itemsOf({ runs: [run(1)] })).toMatchObject([{ code: null }]);
});
