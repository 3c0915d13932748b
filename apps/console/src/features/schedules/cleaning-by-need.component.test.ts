import { groupList } from "@suncrew/contract/groups/groups.ts";
import { runsCalendar, type CalendarEntry } from "@suncrew/contract/runs/runs.ts";
import { type ScheduleDecision, scheduleDecisions } from "@suncrew/contract/schedules/schedule-decisions.ts";
import { createSchedule, type Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import {
  expectAccessible,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  expectToast,
  pressRetry,
} from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { sampleGroup, sampleSoiling } from "../../../test/sample-fleet.ts";

const group = sampleGroup();
const DECIDED = "2099-01-31T12:30:00.000Z";
const decision = {
  decided_at: DECIDED,
  runs: false,
  text: "Not tonight: loss 0.4 %, worth from 1.1 %.",
  code: "NOT_YET",
};
const schedule: Schedule = {
  id: 9,
  group_id: group.id,
  site_id: 1,
  action: "START",
  start_time: "2099-01-31 20:00:00",
  duration_minutes: 30,
  frequency: "WHEN_WORTH_IT",
  status: "ACTIVE",
  next_run_at: "2099-01-31T14:30:00.000Z",
  waiting: null,
  skip_on_rain: false,
  least_days: 2,
  most_days: 10,
  decides_at: DECIDED,
  decision: null,
  version: 4,
};
const planned = (change: Partial<Schedule> = {}) =>
  sampleGroup({ schedule_type: "WHEN_WORTH_IT", schedule_details: { ...schedule, ...change } });
const summary = page.getByRole("group", { name: "Schedule of East Row" });
const dialog = page.getByRole("dialog", { name: "Schedule: East Row" });
const list = page.getByRole("dialog", { name: "Decisions: East Row" });

async function openDialog(): Promise<void> {
  await openConsole("/dashboard?site=1&tab=groups");
  await page.getByRole("button", { name: "Schedule", exact: true }).click();
  await dialog.getByText("When worth it", { exact: true }).click();
}

test("§11 Cleaning by need: the dialog offers it with its days, says when each is decided, and sends them", async () => {
  when(groupList).answer([group]);
  when(siteSoiling).answer(sampleSoiling());
  const sent = when(createSchedule).fail(500, { message: "" });
  await openDialog();
  const [least, most] = [dialog.getByLabelText("At least (days)"), dialog.getByLabelText("At most (days)")];
  await expect.element(least).toHaveValue("1");
  await expect.element(most).toHaveValue("14");
  await expectCount(dialog.getByText("only the most days start a run"), 0);
  await expectContains(dialog, "If no run of its robots is known yet, it runs the first time, whatever that is worth.");
  await dialog.getByLabelText("Start time").fill("20:00");
  await expectContains(dialog.getByRole("region", { name: "Next runs" }), "will be decided at 18:00");
  await least.fill("20");
  await dialog.getByRole("button", { name: "Save Schedule" }).click();
  await expectToast("Invalid Days", "Most days must not be fewer than least days.");
  await expectContains(dialog, "Most days must not be fewer than least days.");
  expect(sent).toEqual([]);
  await least.fill("3");
  await dialog.getByRole("button", { name: "Save Schedule" }).click();
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]?.body).toMatchObject({ frequency: "WHEN_WORTH_IT", least_days: 3, most_days: 14 });
  await expectAccessible();
  await page.viewport(360, 780);
  await expectNoSidewaysScroll();
});

test("§11 Cleaning by need: the dialog says what is missing to know, and allows it all the same", async () => {
  when(groupList).answer([group]);
  when(siteSoiling).answer(
    sampleSoiling({ missing: ["tariff_per_kwh", "cleaning_price", "particles"], is_stale: true }),
  );
  await openDialog();
  const notice = dialog.getByRole("status").filter({ hasText: "Until more is known, only the most days start a run" });
  await expectContains(notice, "Enter in the form of the site: tariff and price of a cleaning.");
  await expectContains(notice, "Not received yet for its place: particles in the air.");
  await expectContains(notice, "The forecast is out of date");
  await expect.element(dialog.getByRole("button", { name: "Save Schedule" })).toBeEnabled();
});

test("§11 Cleaning by need: the dialog says if what is known of the site could not be loaded", async () => {
  when(groupList).answer([group]);
  when(siteSoiling).fail(500, { message: "" });
  await openDialog();
  await expectContains(dialog, "What is known of this site could not be loaded");
});

test("§11 Cleaning by need: a group says when its next run is decided, then what was decided", async () => {
  when(groupList).answer([planned()]);
  await openConsole("/dashboard?site=1&tab=groups");
  await expectContains(summary, "When worth it at 20:0030 min2 to 10 days apart");
  await expectContains(summary, "31 Jan 2099, 20:00: will be decided at 18:00");
  await expectCount(summary.getByText("Next run"), 0);
});

test("§11 Cleaning by need: a group says if its next run should have been decided and was not", async () => {
  when(groupList).answer([planned({ decides_at: "2020-01-31T12:30:00.000Z" })]);
  await openConsole("/dashboard?site=1&tab=groups");
  await expectContains(summary, "31 Jan 2099, 20:00: not decided yet");
});

test("§11 Cleaning by need: every decision is listed with its reason", async () => {
  when(groupList).answer([planned({ decision })]);
  const listed = (change: Partial<ScheduleDecision>): ScheduleDecision => {
    const due_at = "2099-01-31T14:30:00.000Z";
    return {
      ...decision,
      id: 1,
      schedule_id: 9,
      group_id: group.id,
      group_name: "East Row",
      due_at,
      is_void: false,
      ...change,
    };
  };
  when(scheduleDecisions).fail(500, { message: "" });
  await openConsole("/dashboard?site=1&tab=groups");
  await expectContains(summary, decision.text);
  await summary.getByRole("button", { name: "Decisions" }).click();
  await expectContains(list, "The decisions could not be loaded.");
  const items = list.getByRole("list", { name: "Decisions" }).getByRole("listitem");
  await pressRetry(
    () =>
      when(scheduleDecisions).answer({
        decisions: [
          listed({}),
          listed({ id: 2, is_void: true }),
          listed({
            id: 3,
            runs: true,
            text: "Runs: loss 1.4 %, worth from 1.1 %.",
            due_at: "2099-01-30T14:30:00.000Z",
          }),
        ],
      }),
    items.first(),
  );
  await expectCount(items, 3);
  await expectContains(items.nth(0), "No run");
  await expectContains(items.nth(0), decision.text);
  await expectContains(items.nth(0), "Decided Sat 31 Jan 2099, 18:00");
  await expectContains(items.nth(1), "Does not count: the schedule was changed before its time.");
  await expectContains(items.nth(2), "Runs: loss 1.4 %, worth from 1.1 %.");
  await expectAccessible();
});

test("§11 Cleaning by need: before the first decision the list says when there is one", async () => {
  when(groupList).answer([planned()]);
  when(scheduleDecisions).answer({ decisions: [] });
  await openConsole("/dashboard?site=1&tab=groups");
  await summary.getByRole("button", { name: "Decisions" }).click();
  await expectContains(list, "Nothing has been decided yet");
});

test("§11 Cleaning by need: the calendar shows days that are not decided, and why there was no run", async () => {
  const none = { planned: 0, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };
  const entry = (date: string, change: Partial<CalendarEntry>): CalendarEntry => ({
    key: date,
    state: "PLANNED",
    action_type: "SCHEDULED",
    group_id: group.id,
    title: "East Row",
    begins_at: `${date}T14:30:00.000Z`,
    ends_at: `${date}T15:00:00.000Z`,
    local_time: "20:00",
    robots: 2,
    counts: none,
    reasons: [],
    by_need: { runs: null, decides_at: `${date}T12:30:00.000Z`, text: null },
    sample: false,
    ...change,
  });
  const held = { runs: false, decides_at: "2026-06-01T12:30:00.000Z", text: decision.text };
  const days = Array.from({ length: 7 }, (_, nth) => `2026-06-0${nth + 1}`).map((date, nth) => ({
    date,
    entries: nth > 1 ? [] : [entry(date, nth === 0 ? { state: "OVER", robots: 0, ends_at: null, by_need: held } : {})],
  }));
  when(runsCalendar).answer({ timezone: "Asia/Kolkata", today: "2026-06-02", days });
  await openConsole("/dashboard?site=1&tab=calendar");
  const calendar = page.getByRole("region", { name: "Week of cleaning" });
  await calendar.getByRole("button", { name: "No run" }).click();
  const details = page.getByRole("dialog", { name: "East Row at 20:00" });
  await expectContains(details, decision.text);
  await calendar.getByRole("button", { name: "When worth it" }).click();
  await expectContains(details, "Whether it runs will be decided at Tue 2 Jun");
});
