import { type CalendarEntry, type RunCounts, runsCalendar, runsToday } from "@suncrew/contract/runs/runs.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  pressRetry,
} from "../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../test/open-console.tsx";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const TODAY = "2026-06-03";
const NONE: RunCounts = { planned: 0, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };

const calendar = page.getByRole("region", { name: "Week of cleaning" });
const today = calendar.getByRole("region", { name: /, today$/ });

/** The seven days from a Monday, each with these entries. */
function week(monday: string, entriesOf: (date: string) => CalendarEntry[]) {
  const days = Array.from({ length: 7 }, (_, index) => {
    const date = new Date(Date.parse(monday) + index * 86_400_000).toISOString().slice(0, 10);
    return { date, entries: entriesOf(date) };
  });
  return { timezone: "Asia/Kolkata", today: TODAY, days };
}

function reason(outcome: CalendarEntry["reasons"][number]["outcome"], text: string): CalendarEntry["reasons"][number] {
  return { serial_number: "SCR-1001", outcome, reason: text };
}

/** A day at a site with far more groups than the sample has: an entry every ten minutes. */
function fullDay(date: string): CalendarEntry[] {
  const states: readonly Partial<CalendarEntry>[] = [
    { state: "OVER", counts: { ...NONE, done: 12 } },
    {
      state: "OVER",
      counts: { ...NONE, done: 11, cut_short: 1 },
      reasons: [reason("CUT_SHORT", "The brush jammed.")],
    },
    { state: "OVER", counts: { ...NONE, skipped: 12 }, reasons: [reason("SKIPPED", "Heavy rain expected.")] },
    { state: "OVER", counts: { ...NONE, missed: 12 }, reasons: [reason("MISSED", "No server was running.")] },
    { state: "RUNNING", counts: { ...NONE, running: 12 } },
    { state: "PLANNED", counts: { ...NONE, planned: 12 } },
  ];
  return Array.from({ length: 60 }, (_, index) => ({
    key: `${date}-${index}`,
    state: "OVER",
    action_type: "SCHEDULED",
    group_id: index + 1,
    title: `Block ${index + 1} of the southern field`,
    begins_at: `${date}T${String(Math.floor(index / 6)).padStart(2, "0")}:${index % 6}0:00.000Z`,
    ends_at: `${date}T${String(Math.floor(index / 6)).padStart(2, "0")}:${index % 6}9:00.000Z`,
    local_time: `${String(Math.floor(index / 6) + 5).padStart(2, "0")}:${index % 6}0`,
    robots: 12,
    counts: NONE,
    reasons: [],
    by_need: null,
    sample: true,
    ...(index < 12 ? states[index % 6] : states[0]),
  }));
}

test("Cleaning runs: a week without runs says so, one that cannot be loaded can be retried", async () => {
  when(runsCalendar).answer(week("2020-01-06", () => []));
  await openConsole("/dashboard?site=1&tab=calendar&day=2020-01-06");
  await expectContains(calendar, "6 to 12 Jan 2020");
  await expectContains(calendar, "No cleaning this week");
  await closeConsole();

  when(runsCalendar).offline();
  when(runsToday).offline();
  await openConsole("/dashboard?site=1&tab=calendar");
  await expectContains(page.getByRole("alert"), "The week could not be loaded.");
  await expectContains(page.getByRole("group", { name: "Today's cleaning" }), "Today: could not be loaded");
  await expectAccessible();
  await pressRetry(() => {
    when(runsToday).answerAsUsual();
    when(runsCalendar).answer(week("2026-06-01", () => []));
  }, today);
  await expectCount(today, 1);
});

test("Cleaning runs: a large fleet's week folds what is done, and shows every reason", async () => {
  when(runsCalendar).answer(week("2026-06-01", fullDay));
  await openConsole("/dashboard?site=1&tab=calendar");
  await expectCount(today.getByRole("listitem"), 8);
  for (const word of ["Running", "Partly done", "Skipped", "Missed"]) await expectContains(today, word);
  await expectContains(calendar, "Includes sample data");
  await today.getByRole("button", { name: "Show 52 more" }).click();
  await expectCount(today.getByRole("listitem"), 60);
  await expectContains(today, "Planned");
  await today.getByRole("button", { name: "Show fewer" }).click();
  await expectCount(today.getByRole("listitem"), 8);
  await today.getByRole("button", { name: "Skipped" }).first().click();
  const details = page.getByRole("dialog", { name: /^Block \d+ of the southern field at / });
  await expectContains(details, "SCR-1001 skipped: Heavy rain expected.");
  const robot = details.getByRole("link", { name: "SCR-1001" });
  await expect
    .element(robot)
    .toHaveAttribute("href", expect.stringMatching(/^\/robots\/SCR-1001\?at=2026-06-03T\d\d%3A\d\dZ$/));
  const group = details.getByRole("link", { name: "12 robots" });
  await expect.element(group).toHaveAttribute("href", expect.stringMatching(/^\/robots\?group=\d+$/));
  await expectContains(details, "Sample data of the demo");
  await expectAccessible();
});

test("Cleaning runs: Escape closes the details of a run, even pressed before they have the focus", async () => {
  when(runsCalendar).answer(week("2026-06-01", fullDay));
  await openConsole("/dashboard?site=1&tab=calendar");
  const entry = today.getByRole("button", { name: "Skipped" }).first();
  const details = page.getByRole("dialog", { name: /^Block \d+ of the southern field at / });
  await entry.click();
  await expectContains(details, "Heavy rain expected.");
  entry.element().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await expectCount(details, 0);
  await entry.click();
  await expectContains(details, "Heavy rain expected.");
  await expect.poll(() => details.element().contains(document.activeElement)).toBe(true);
  await userEvent.keyboard("{Escape}");
  await expectCount(details, 0);
  await expect.element(entry).toHaveFocus();
});

test("Cleaning runs: Escape pressed as the details of a run appear leaves the focus on the run", async () => {
  when(runsCalendar).answer(week("2026-06-01", fullDay));
  await openConsole("/dashboard?site=1&tab=calendar");
  const entry = today.getByRole("button", { name: "Skipped" }).first();
  const details = page.getByRole("dialog", { name: /^Block \d+ of the southern field at / });
  const opener = await entry.findElement();
  const closed = Promise.withResolvers<void>();
  // At once, before anything that waits to move the focus.
  const observer = new MutationObserver(() => {
    if (details.query() === null) return;
    observer.disconnect();
    opener.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    closed.resolve();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  (opener as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  await closed.promise;
  await expectCount(details, 0);
  await expect.element(entry).toHaveFocus();
});

test("§9 Themes: every state of a run is accessible, also on a phone, where it fits", async () => {
  when(runsCalendar).answer(week("2026-06-01", (date) => fullDay(date).slice(0, date === TODAY ? 6 : 1)));
  await openConsole("/dashboard?site=1&tab=calendar");
  await expectCount(today.getByRole("listitem"), 6);
  for (const width of [1280, 360]) {
    await page.viewport(width, 780);
    await expect.element(today).toBeVisible();
    if (width === 360) await expectNoSidewaysScroll();
    for (const theme of ["dark", "light"] as const) {
      chooseTheme(theme);
      expect(document.documentElement.dataset["theme"]).toBe(theme);
      await expectAccessible();
    }
  }
});
