import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { findInvisibleCharacter } from "@suncrew/contract/http/text.ts";
import { severityRank } from "../alerts/severity-order.ts";
import {
  alertsMessage,
  clearedMessage,
  footerOf,
  messageAsText,
  type MessageFrame,
  testMessage,
  TITLE_MAX,
  type ToldAlert,
} from "./message.ts";

const frame: MessageFrame = {
  id: "6f1c1f8e-56f5-4a5c-9a0d-5e1c7a8c2b11",
  url: "https://suncrew.example/alerts",
  footer: "You get this because of the rule “Nights”.",
  acknowledgeUrl: "https://suncrew.example/acknowledge#token",
  unsubscribeUrl: "https://suncrew.example/unsubscribe#token",
  timezone: "Asia/Kolkata",
  now: new Date("2026-11-27T00:02:00Z"),
};
const lost: ToldAlert = {
  id: "1",
  kind: "LOST_WHILE_MOVING",
  severity: "CRITICAL",
  text: "Lost contact while cleaning at 05:31; may be moving; stops by itself by 05:41.",
  siteId: 1,
  site: "Sunfield",
  robotId: 12,
  siteTimezone: "Asia/Kolkata",
  robot: "R-12",
  raisedAt: new Date("2026-11-27T00:01:00Z"),
  clearedAt: null,
  url: "https://suncrew.example/robots/12",
};
const low: ToldAlert = {
  ...lost,
  id: "2",
  kind: "LOW_BATTERY",
  severity: "WARNING",
  text: "The battery is low, below 20 %.",
};
const dark: ToldAlert = {
  ...lost,
  id: "3",
  kind: "SITE_DARK",
  text: "All 12 robots of the site are offline. Its network or power may be down.",
  siteId: 2,
  site: "Thar West",
  robotId: null,
  robot: null,
};
const offline: ToldAlert = {
  ...low,
  kind: "OFFLINE_TOO_LONG",
  text: "The robot has been offline for more than 30 minutes.",
};
const disk: ToldAlert = {
  ...low,
  id: "9",
  kind: "STORAGE",
  text: "The disk of the database is nearly full: 2 GB are free, 4 %.",
  siteId: null,
  site: null,
  robotId: null,
  siteTimezone: null,
  robot: null,
};

test.each([
  [
    "Critical: Robot R-12 at Sunfield: Lost contact while cleaning at 05:31; may be moving; stops by itself by 05:41",
    [lost],
  ],
  [
    "Warning, still open: Robot 7 at Sunfield: The battery is low, below 20 %",
    [{ ...low, robot: "Robot 7", again: true }],
  ],
  ["Critical: Thar West: All 12 robots of the site are offline. Its network or power may be down", [dark]],
  ["Warning: Suncrew: The disk of the database is nearly full: 2 GB are free, 4 %", [disk]],
  ["2 alerts at Sunfield: 1 critical, 1 warning", [low, lost]],
  ["3 alerts at 2 sites: 1 critical, 2 warnings", [low, lost, { ...low, id: "4", siteId: 2 }]],
  [
    "2 alerts still open at Sunfield: 1 critical, 1 info",
    [lost, { ...low, severity: "INFO" as const }].map((one) => ({ ...one, again: true })),
  ],
  ["2 alerts at Sunfield and of Suncrew's servers: 2 warnings", [low, disk]],
  ["2 alerts of Suncrew's servers: 2 warnings", [disk, { ...disk, id: "10" }]],
] satisfies [string, ToldAlert[]][])("the title of a message: %s", (title, alerts) => {
  expect(alertsMessage(frame, alerts).title).toBe(title);
});

test("a long text is told in the title up to the end of a sentence or a word, and in full in its line", () => {
  const text =
    "The robot has not confirmed a Stop, which it was told twice by two different people. It may be moving and nobody is there.";
  const site = "Bhadla Solar Park, Phase Four, Block North-East";
  const message = alertsMessage(frame, [{ ...lost, text, site }]);
  expect(message.title).toBe(
    "Critical: Robot R-12 at Bhadla Solar Park, Phase…: The robot has not confirmed a Stop, which it was told twice by two…",
  );
  expect(message.lines[0]).toMatchObject({ text, site });
  const sentences = alertsMessage(frame, [
    { ...lost, text: `${"Its brush is worn and slow. ".repeat(3)}${"More of it ".repeat(5)}.` },
  ]);
  expect(sentences.title).toBe(
    "Critical: Robot R-12 at Sunfield: Its brush is worn and slow. Its brush is worn and slow. Its brush is worn and slow",
  );
});

test("a dark site stands for its offline robots, and for no others", () => {
  const robots = ["4", "5", "6"].map((id) => ({ ...offline, id, siteId: 2, site: "Thar West" }));
  const message = alertsMessage(frame, [...robots, { ...offline, id: "7" }, { ...low, id: "8", siteId: 2 }, dark]);
  expect(message.lines.map(({ text }) => text)).toEqual([
    `${dark.text} This covers 3 alerts of its offline robots.`,
    low.text,
    offline.text,
  ]);
  expect(alertsMessage(frame, [...robots, dark]).title).toContain("Critical: Thar West: All 12 robots");
});

test("a robot's fault and the run that it cost are one line, as bad as the worse of them", () => {
  const jam = { ...low, kind: "STUCK", severity: "INFO", text: "The brush is jammed" } as const;
  const run: ToldAlert = {
    ...low,
    id: "3",
    kind: "RUN_FAILED",
    text: "A planned run was cut short. The robot had a fault.",
  };
  const other = { ...run, id: "4", robotId: 13, robot: "R-13" };
  const message = alertsMessage(frame, [jam, run, other]);
  expect(message.title).toBe("2 alerts at Sunfield: 2 warnings");
  expect(message.lines.map(({ robot, text }) => [robot, text])).toEqual([
    ["R-13", run.text],
    ["R-12", `The brush is jammed. ${run.text}`],
  ]);
  expect(alertsMessage(frame, [{ ...jam, again: true }, run]).title).toBe(
    "Warning: Robot R-12 at Sunfield: The brush is jammed. A planned run was cut short. The robot had a fault",
  );
  expect(
    clearedMessage(frame, [
      { ...jam, clearedAt: frame.now },
      { ...run, clearedAt: frame.now },
    ]).lines,
  ).toHaveLength(1);
});

test("a storm is one message of the worst lines, with the number of the others", () => {
  const storm = Array.from({ length: 1_000 }, (_, nth) => ({ ...dark, id: `${nth + 1}`, siteId: nth + 1 }));
  const message = alertsMessage(frame, [...storm.slice(0, 500), low, ...storm.slice(500)]);
  expect(message).toMatchObject({
    severity: "CRITICAL",
    title: "1,001 alerts at 1,000 sites: 1,000 critical, 1 warning",
    more: 989,
  });
  expect(message.lines).toHaveLength(12);
  expect(message.lines.every(({ severity }) => severity === "CRITICAL")).toBe(true);
});

test.each([
  ["Asia/Kolkata", "2026-11-27T00:01:00Z", "05:31 IST"],
  ["Asia/Kolkata", "2026-11-26T18:29:00Z", "Thu 26 Nov, 23:59 IST"],
  ["Asia/Kathmandu", "2026-11-27T00:01:00Z", "05:46 GMT+5:45"],
  ["Europe/Berlin", "2026-11-27T00:01:00Z", "01:01 CET"],
  ["Europe/Berlin", "2026-10-25T00:30:00Z", "Sun 25 Oct, 02:30 CEST"],
  ["Europe/Berlin", "2026-10-25T01:30:00Z", "Sun 25 Oct, 02:30 CET"],
  ["America/New_York", "2026-11-27T00:01:00Z", "19:01 EST"],
  ["UTC", "2025-11-27T00:01:00Z", "Thu 27 Nov 2025, 00:01 UTC"],
])("times are those of the recipient: in %s, %s is %s", (timezone, raisedAt, at) => {
  const alert = { ...lost, raisedAt: new Date(raisedAt), siteTimezone: timezone };
  expect(alertsMessage({ ...frame, timezone }, [alert]).lines[0]?.at).toBe(at);
});

test("a recipient in another time zone reads the time of the site, too, which texts have", () => {
  const berlin = { ...frame, timezone: "Europe/Berlin" };
  expect(alertsMessage(berlin, [lost]).lines[0]?.at).toBe("01:01 CET (05:31 IST at the site)");
  const cleared = clearedMessage(berlin, [{ ...lost, clearedAt: frame.now }]);
  expect(cleared.lines[0]?.at).toBe("01:01–01:02 CET (05:31–05:32 IST at the site)");
  expect(alertsMessage(berlin, [disk]).lines[0]?.at).toBe("01:01 CET");
});

test.each([
  ["2026-11-26T23:40:00Z", "05:10–05:31 IST"],
  ["2026-11-27T00:01:00Z", "05:31 IST"],
  ["2026-11-26T17:00:00Z", "Thu 26 Nov, 22:30 – 05:31 IST"],
])("what is over is told with both its times: from %s, %s", (raisedAt, at) => {
  const over = { ...lost, raisedAt: new Date(raisedAt), clearedAt: new Date("2026-11-27T00:01:00Z") };
  const message = clearedMessage(frame, [over]);
  expect(message).toMatchObject({ kind: "CLEARED", severity: null, lines: [{ severity: null, at }] });
  expect(message.title).toMatch(/^Cleared: Robot R-12 at Sunfield: Lost contact/);
  expect(clearedMessage(frame, [over, { ...over, siteId: 2 }]).title).toBe("Cleared: 2 alerts at 2 sites");
});

test("a test says which contact point it tests", () => {
  const message = testMessage(frame, "Asha's phone");
  expect(message).toMatchObject({ kind: "TEST", title: "Test message from Suncrew", severity: null });
  expect(messageAsText(message)).toContain("This is a test of the contact point Asha's phone.");
});

test.each([
  ["You get this because of the rule “Nights”.", [{ name: "Nights", own: false }]],
  [
    "You get this because of your subscription “Mine” and the rules “Nights” and “Days”.",
    [
      { name: "Nights", own: false },
      { name: "Mine", own: true },
      { name: "Days", own: false },
      { name: "Nights", own: false },
    ],
  ],
  [
    "You get this because of the rules “A”, “B”, “C” and 2 more.",
    ["A", "B", "C", "D", "E"].map((name) => ({ name, own: false })),
  ],
  ["", []],
])("a message says why it is sent: %s", (footer, rules) => {
  expect(footerOf(rules)).toBe(footer);
});

test("as text, a message has its lines, its links and why it is sent", () => {
  expect(messageAsText(alertsMessage(frame, [low, lost]))).toBe(`2 alerts at Sunfield: 1 critical, 1 warning

- 05:31 IST, Critical, Robot R-12 at Sunfield
  Lost contact while cleaning at 05:31; may be moving; stops by itself by 05:41.
  https://suncrew.example/robots/12
- 05:31 IST, Warning, Robot R-12 at Sunfield
  The battery is low, below 20 %.
  https://suncrew.example/robots/12

Open: https://suncrew.example/alerts
Acknowledge: https://suncrew.example/acknowledge#token

You get this because of the rule “Nights”.
Unsubscribe: https://suncrew.example/unsubscribe#token`);
  expect(messageAsText(alertsMessage(frame, [low, lost]), "without links")).not.toContain("https://");
});

test("one alert is told once: how bad and where in the heading, what happened and when below it", () => {
  const text = `Warning, still open: Robot R-12 at Sunfield

The battery is low, below 20 %.
05:31 IST

Open: https://suncrew.example/alerts
Acknowledge: https://suncrew.example/acknowledge#token

You get this because of the rule “Nights”.
Unsubscribe: https://suncrew.example/unsubscribe#token`;
  expect(messageAsText(alertsMessage(frame, [{ ...low, again: true }]))).toBe(text);
  const over = { ...low, clearedAt: frame.now };
  expect(messageAsText(clearedMessage(frame, [over]), "without links")).toMatch(
    /^Cleared: Robot R-12 at Sunfield\n\nThe battery is low, below 20 %\.\n05:31–05:32 IST\n/,
  );
  expect(messageAsText(alertsMessage(frame, [disk]), "without links")).toMatch(
    /^Warning: Suncrew\n\nThe disk of the database is nearly full: 2 GB are free, 4 %\.\n05:31 IST\n/,
  );
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.lorem({ maxCount: 60 }),
);
const anyAlert: fc.Arbitrary<ToldAlert> = fc.record({
  id: fc.integer({ min: 1, max: 10_000 }).map(String),
  kind: fc.constantFrom("SITE_DARK", "OFFLINE_TOO_LONG", "ROBOT_FAULT"),
  severity: fc.constantFrom("CRITICAL", "WARNING", "INFO"),
  text: anyText,
  siteId: fc.option(fc.integer({ min: 1, max: 3 })),
  site: fc.option(anyText),
  robotId: fc.option(fc.integer({ min: 1, max: 3 })),
  siteTimezone: fc.constantFrom("Asia/Kathmandu", null),
  robot: fc.option(anyText),
  raisedAt: fc.date({
    min: new Date("2020-01-01T00:00:00Z"),
    max: new Date("2030-01-01T00:00:00Z"),
    noInvalidDate: true,
  }),
  clearedAt: fc.constant(null),
  url: fc.constant(null),
});

test("whatever robots and people write, titles are short, each text is one line that can be read, and none is lost", () => {
  fc.assert(
    fc.property(fc.array(anyAlert, { minLength: 1, maxLength: 30 }), (alerts) => {
      for (const message of [alertsMessage(frame, alerts), clearedMessage(frame, alerts)]) {
        expect(message.title.length).toBeLessThanOrEqual(TITLE_MAX);
        const texts = [
          message.title,
          ...message.lines.flatMap(({ text, site, robot }) => [text, site ?? "", robot ?? ""]),
        ];
        expect(texts.map((text) => findInvisibleCharacter(text, "one line"))).toEqual(texts.map(() => null));
        expect(texts.every((text) => text.isWellFormed())).toBe(true);
      }
      const { lines, more } = alertsMessage(frame, alerts);
      const isDark = (site: number | null) => alerts.some((one) => one.kind === "SITE_DARK" && one.siteId === site);
      const told = alerts.filter(({ kind, siteId }) => kind !== "OFFLINE_TOO_LONG" || !isDark(siteId));
      expect(lines.length + more).toBe(told.length);
      const ranks = lines.map(({ severity }) => severityRank[severity ?? "INFO"]);
      expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
    }),
    { numRuns: 200 * inject("soak").factor },
  );
});
