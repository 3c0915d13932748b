import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { deliveryList } from "@suncrew/contract/notifications/deliveries.ts";
import { type Night, robotNights } from "@suncrew/contract/robot-history/nights.ts";
import {
  robotBySerial,
  robotChanges,
  type RobotHistory,
  robotHistory,
  robotOrders,
} from "@suncrew/contract/robot-history/robot-history.ts";
import { type Run, runsList } from "@suncrew/contract/runs/runs.ts";
import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectText,
  expectTexts,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { BHADLA, sampleRobots } from "../../../test/sample-fleet.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const SERIAL = "SCR-1011";
const HOUR_MS = 3_600_000;
const FROM = "2026-06-14T06:30:00.000Z";
const PARTS = 288;
const PART_MS = 300_000;
const timeOf = (part: number) => new Date(Date.parse(FROM) + part * PART_MS).toISOString();

const history = page.getByRole("region", { name: "History", exact: true });
const nightsCard = page.getByRole("region", { name: "Nights" });
const records = page.getByRole("region", { name: "Records" });

function run(change: Partial<Run> = {}): Run {
  return {
    id: "0190a000-0000-7000-8000-000000000001",
    site_id: 1,
    robot_id: 11,
    robot_name: "Row 1",
    serial_number: SERIAL,
    schedule_id: 3,
    group_id: 5,
    group_name: "East Row",
    action_type: "SCHEDULED",
    started_by: "Scheduler",
    due_at: timeOf(120),
    stop_due_at: timeOf(126),
    began_at: timeOf(120),
    ended_at: timeOf(123),
    battery_began: 90,
    battery_ended: 60,
    outcome: "CUT_SHORT",
    reason: "The robot's battery was too low.",
    sample: false,
    ...change,
  };
}

/** A day with one gap: no report from 10 to 20 and after 200. */
function day(change: Partial<RobotHistory> = {}): RobotHistory {
  const isGap = (part: number) => (part >= 10 && part < 20) || part >= 200;
  const column = (value: (part: number) => number) =>
    Array.from({ length: PARTS }, (_, part) => (isGap(part) ? null : value(part)));
  const isMoving = (part: number) => part >= 120 && part < 123;
  return {
    timezone: "Asia/Kolkata",
    from: FROM,
    to: timeOf(PARTS),
    part_ms: PART_MS,
    battery_least: column(() => 60),
    battery_most: column(() => 70),
    battery_mean: column(() => 64),
    moving: column((part) => (isMoving(part) ? 1 : 0)),
    main_speed: column((part) => (isMoving(part) ? 75 : 0)),
    brush_speed: column((part) => (isMoving(part) ? 80 : 0)),
    connected: Array.from({ length: PARTS }, (_, part) => (isGap(part) ? 0 : 1)),
    uptime_percent: 66.66,
    runs: [run()],
    alerts: [{ id: "1", severity: "CRITICAL", text: "Brush worn", raised_at: timeOf(122), cleared_at: timeOf(130) }],
    locks: [],
    sample: false,
    ...change,
  };
}

function nights(states: readonly Partial<Night>[]): Night[] {
  const none = Array.from({ length: 30 - states.length }, (): Partial<Night> => ({}));
  return [...none, ...states].map((night, nth) => ({
    date: new Date(Date.UTC(2026, 4, 17 + nth)).toISOString().slice(0, 10),
    state: "NONE",
    reason: null,
    run_at: null,
    ...night,
  }));
}

const [robot] = sampleRobots;

beforeEach(() => {
  if (robot === undefined) throw new Error("no sample robots");
  when(robotBySerial).answer({ robot, site_name: BHADLA, timezone: "Asia/Kolkata", group_name: null });
  when(robotHistory).answer(day());
  when(robotNights).answer({
    timezone: "Asia/Kolkata",
    nights: nights([
      { state: "COMPLETED", run_at: timeOf(-200) },
      { state: "SKIPPED", reason: "Rain was expected.", run_at: "2026-06-14T13:15:00.000Z" },
      { state: "NONE" },
    ]),
  });
  when(runsList).answer({ runs: [run()], next_cursor: null });
  when(robotOrders).answer({ orders: [], next_cursor: null });
  when(robotChanges).answer({ settings: [], firmware: [], locks: [] });
});

test("robot page: shows what the robot does, its nights with reasons, its day and its records", async () => {
  await openConsole(`/robots/${SERIAL}`);
  await expect.element(page.getByRole("heading", { level: 1, name: `Robot ${SERIAL}` })).toBeVisible();
  await expect.poll(() => document.title).toBe(`${SERIAL} - Robot - Suncrew`);
  await expect.element(page.getByRole("link", { name: BHADLA })).toHaveAttribute("href", "/dashboard?site=1");
  await expect
    .element(page.getByRole("article", { name: SERIAL }).getByRole("button", { name: "Start" }))
    .toBeVisible();
  await expectText(nightsCard.getByRole("heading"), "1 of 2 nights done");
  await expectTexts(nightsCard.getByRole("list", { name: "Nights that were not done" }).getByRole("listitem"), [
    /^Skipped.*14 Jun.*18:45Rain was expected\.In the charts$/,
  ]);
  await expectContains(history, "66.7 % uptime");
  await expect.element(history.getByRole("figure", { name: /^Battery: from 60 % to 70 %/ })).toBeVisible();
  await expect.element(history.getByRole("figure", { name: /^Motor speeds: from 0 % to 80 %/ })).toBeVisible();
  await expectContains(records, "Cut short");
  await expectContains(records, "15 min. Scheduled, East Row. The robot's battery was too low.");
  for (const theme of ["light", "dark"] as const) {
    chooseTheme(theme);
    await expectAccessible();
  }
});

test("robot page: the table has every report, none for a gap, and what happened", async () => {
  await openConsole(`/robots/${SERIAL}`);
  await history.getByRole("button", { name: "Show as table" }).click();
  const table = history.getByRole("table", { name: "History" });
  // Its heading, and 190 of 288 parts; the others are gaps.
  await expect.element(table).toHaveAttribute("aria-rowcount", "191");
  await expectContains(table.getByRole("row").nth(1), "64 %60 % to 70 %0 %0 %0 %100 %");
  await expectAccessible();
  await history.getByRole("button", { name: "Show charts" }).click();
  await expectCount(history.getByRole("figure"), 2);
});

test("robot page: a link to a moment asks for the time around it, and so do spans and steps", async () => {
  const calls = when(robotHistory).answer(day());
  await openConsole(`/robots/${SERIAL}?span=7d&at=2026-06-10T02:00Z&tab=commands`);
  const asked = () => calls.map(({ query }) => query);
  await expect.poll(asked).toEqual([{ span: "7d", at: "2026-06-10T02:00:00.000Z" }]);
  await history.getByText("30 days").click();
  await expectAddress(/\?span=30d&at=2026-06-10T02%3A00Z&tab=commands$/);
  await history.getByRole("button", { name: "Earlier" }).click();
  await expect.poll(() => asked().at(-1)).toEqual({ span: "30d", at: "2026-05-11T02:00:00.000Z" });
  await history.getByRole("button", { name: "Now" }).click();
  await expect.poll(() => asked().at(-1)).toEqual({ span: "30d" });
  await nightsCard.getByRole("link", { name: /^Night of Sun 14 Jun 2026: Skipped\. Rain was expected\.$/ }).click();
  await expectAddress(/^\/robots\/SCR-1011\?tab=commands&at=2026-06-14T13%3A15Z$/);
  await expect.poll(() => asked().at(-1)).toEqual({ span: "24h", at: "2026-06-14T13:15:00.000Z" });
});

test("robot page: commands, maintenance, firmware and settings say who, when, what and with what result", async () => {
  when(robotOrders).answer({
    orders: [
      {
        key: "a1",
        at: timeOf(1),
        verb: "START",
        action_type: "MANUAL",
        by: "Asha Rathore",
        status: "REFUSED",
        details: "Robot SCR-1011 is offline.",
        sample: false,
      },
    ],
    next_cursor: null,
  });
  const settings = { cleaning_direction: "FORWARD" as const, main_motor_speed: 40, brush_motor_speed: 80 };
  when(robotChanges).answer({
    settings: [
      { id: "9", at: timeOf(2), by: "Anita Rao", before: settings, after: { ...settings, main_motor_speed: 65 } },
    ],
    firmware: [
      {
        rollout_id: 3,
        version: "2.5.0",
        from_version: "2.4.1",
        state: "DONE",
        offered_at: timeOf(3),
        ended_at: timeOf(4),
        reason: null,
      },
    ],
    locks: [
      {
        reason: "Brush worn",
        locked_by: "Asha Rathore",
        locked_at: timeOf(5),
        confirmed_at: timeOf(5),
        released_at: timeOf(17),
        released_by: "Anita Rao",
      },
    ],
  });
  await openConsole(`/robots/${SERIAL}?tab=commands`);
  const texts = {
    Commands: "Start by Asha Rathore. Robot SCR-1011 is offline.",
    Maintenance: "Brush worn Locked by Asha Rathore, released by Anita Rao after 1 h",
    Firmware: "2.4.1 to 2.5.0",
    Settings: "Main motor 40 % to 65 % by Anita Rao",
  };
  for (const [tab, text] of Object.entries(texts)) {
    await records.getByRole("tab", { name: tab }).click();
    await expectContains(records.getByRole("list"), text);
  }
});

test("robot page: an alert on record shows who was told of it, also on a phone", async () => {
  const text = "The brush is blocked.";
  const open = { CRITICAL: 0, WARNING: 0, INFO: 0 };
  when(alertList).answer({
    alerts: [
      {
        id: "7",
        severity: "WARNING",
        source: "ROBOT",
        code: "BRUSH_BLOCKED",
        text,
        raised_at: timeOf(1),
        cleared_at: timeOf(13),
        times: 1,
        site_id: 1,
        site_name: BHADLA,
        robot_id: 11,
        robot_name: "Row 1",
        serial_number: SERIAL,
        acknowledged_at: null,
        acknowledged_by: null,
        sample: false,
      },
    ],
    total: 1,
    total_exact: true,
    open,
    next_cursor: null,
  });
  const asked = when(deliveryList).answer({ deliveries: [], total: 0, total_exact: true, next_cursor: null });
  await page.viewport(390, 844);
  await openConsole(`/robots/${SERIAL}?tab=alerts`);
  await expectContains(records, `${text} Cleared after 1 h`);
  const button = records.getByRole("button", { name: `Who was told: ${SERIAL}, ${text}` });
  await button.click();
  await expectContains(records.getByRole("group", { name: "Who was told" }), "Nobody was told.");
  expect(asked[0]?.query).toEqual({ alert_id: "7" });
  await expectAccessible();
  await expectNoSidewaysScroll();
  await button.click();
  await expectCount(records.getByRole("group", { name: "Who was told" }), 0);
});

test("robot page: a new robot's page says that nothing is on record yet", async () => {
  const nothing = day().battery_mean.map(() => null);
  when(robotHistory).answer(
    day({
      battery_least: nothing,
      battery_most: nothing,
      battery_mean: nothing,
      moving: nothing,
      main_speed: nothing,
      brush_speed: nothing,
      connected: nothing,
      uptime_percent: null,
      runs: [],
      alerts: [],
    }),
  );
  when(robotNights).answer({ timezone: "Asia/Kolkata", nights: nights([]) });
  when(runsList).answer({ runs: [], next_cursor: null });
  await openConsole(`/robots/${SERIAL}`);
  await expectText(nightsCard.getByRole("heading"), "No run in 30 nights");
  await expectContains(history, "Nothing was reported in this time.");
  await expectContains(records, "No runs yet");
  for (const [tab, text] of Object.entries({
    Alerts: "No alerts, now or in the past",
    Commands: "No commands yet",
    Maintenance: "Never in maintenance",
    Firmware: "No update was offered",
    Settings: "Settings were never changed",
  })) {
    await records.getByRole("tab", { name: tab }).click();
    await expectContains(records, text);
  }
});

test("robot page: a robot that does not exist, or is another partner's, has a page that says so and leads on", async () => {
  when(robotBySerial).fail(404, { code: "ROBOT_NOT_FOUND", message: "Robot not found" });
  await openConsole("/robots/NONE-1", "partner");
  await expectContains(page.getByRole("main"), "There is no robot NONE-1.");
  await expectAccessible();
  await page.getByRole("link", { name: "Go to the dashboard" }).click();
  await expectAddress(/^\/dashboard/);
});

test("robot page: what could not be loaded says so in its place, and Retry brings it", async () => {
  for (const route of [robotHistory, robotNights, runsList, alertList]) when(route).fail(500, { message: "Broken." });
  await openConsole(`/robots/${SERIAL}`);
  await expect.element(page.getByRole("article", { name: SERIAL })).toBeVisible();
  await pressRetry(
    () => when(robotNights).answer({ timezone: "Asia/Kolkata", nights: nights([]) }),
    nightsCard.getByRole("heading"),
    nightsCard,
  );
  await pressRetry(() => when(robotHistory).answer(day()), history.getByRole("figure").first(), history);
  await pressRetry(
    () => when(runsList).answer({ runs: [run()], next_cursor: null }),
    records.getByRole("list"),
    records,
  );
});

test("robot page: nothing is wider than the window, from a phone to a desktop", async () => {
  when(robotHistory).answer(
    day({
      runs: Array.from({ length: 200 }, (_, nth) =>
        run({
          id: `0190a000-0000-7000-8000-${String(nth).padStart(12, "0")}`,
          began_at: timeOf(nth),
          ended_at: new Date(Date.parse(timeOf(nth)) + HOUR_MS / 12).toISOString(),
        }),
      ),
    }),
  );
  when(robotNights).answer({
    timezone: "Asia/Kolkata",
    nights: nights(
      Array.from({ length: 30 }, () => ({
        state: "FAILED" as const,
        reason: "Robot SCR-1011 did not confirm the start within 8 seconds. A Stop was sent to it.",
        run_at: timeOf(0),
      })),
    ),
  });
  await openConsole(`/robots/${SERIAL}`);
  await nightsCard.getByRole("button", { name: "Show all 30" }).click();
  await expectCount(history.getByRole("figure"), 2);
  for (const width of [360, 390, 768, 1024, 1440]) {
    await page.viewport(width, 844);
    await expectNoSidewaysScroll();
  }
});

test("robot page, on a phone: its Stop stays under the thumb, however far down the page is scrolled", async () => {
  await page.viewport(390, 844);
  await openConsole(`/robots/${SERIAL}`);
  const stop = page.getByRole("button", { name: `Stop ${SERIAL}` });
  await expectCount(history.getByRole("figure"), 2);
  for (const top of [0, 700, 100_000]) {
    scrollTo(0, top);
    const box = (await stop.findElement()).getBoundingClientRect();
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(box.top).toBeGreaterThan(844 * 0.8);
    expect(box.bottom).toBeLessThanOrEqual(844);
  }
  await page.viewport(1440, 900);
  await expectCount(stop, 0);
});

test("robot page: S stops its robot, once for each press, wherever the focus is", async () => {
  const sent = when(sendCommand).answer({
    success: true,
    message: "",
    command_id: "0190a000-0000-7000-8000-000000000001",
  });
  await openConsole(`/robots/${SERIAL}`);
  const card = page.getByRole("article", { name: SERIAL });
  const stopped = { robotObjectId: 11, command: "STOP" };
  await expect.element(card).toBeVisible();
  for (const focused of [page.getByRole("main"), card.getByRole("link", { name: SERIAL })]) {
    (await focused.findElement()).focus();
    await userEvent.keyboard("s");
  }
  await expect.poll(() => sent.map(({ body }) => body)).toMatchObject([stopped, stopped]);
});
