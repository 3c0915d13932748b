import { groupList } from "@suncrew/contract/groups/groups.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { type CalendarEntry, type FleetNight, runsFleetCalendar, runsNight } from "@suncrew/contract/runs/runs.ts";
import { createSchedule, type Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { sendOnStream, when } from "../../../../test/answers.ts";
import {
  expectAccessible,
  expectAddress,
  expectContains,
  expectCount,
  expectNoSidewaysScroll,
  pressRetry,
} from "../../../../test/expectations.ts";
import { closeConsole, openConsole } from "../../../../test/open-console.tsx";
import { liveUpdate } from "../../../platform/live/test/live-update.ts";
import { sampleGroup, sampleSite } from "../../../../test/sample-fleet.ts";
import { todayIn } from "../../../ui/days.ts";
import { siteClockText } from "../../../ui/site-time-text.ts";
import { chooseTheme } from "../../../ui/theme/theme-choice.ts";

const ZONE = "Asia/Kolkata";
const today = todayIn(ZONE, new Date());
const TONIGHT = siteClockText(new Date(), ZONE) < "12:00" ? addDays(today, -1) : today;
const YESTERDAY = addDays(TONIGHT, -1);
const TOMORROW = addDays(TONIGHT, 1);

const grid = page.getByRole("grid", { name: "Nights of all sites" });
const dayOf = (date: string) =>
  new Date(`${date}T00:00:00Z`)
    .toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" })
    .replace(",", "");
const nightCell = (site: string, date: string) =>
  grid.getByRole("button", { name: new RegExp(`^${site}, ${dayOf(date)}:`) });

/** As the server answers: of `sites`, with these nights. */
function answerNights(nightsOf: (siteId: number) => readonly FleetNight[], siteIds: readonly number[] = [1, 2, 3]) {
  return when(runsFleetCalendar).answer(({ query }) => {
    const days = query.days ?? 7;
    const first = query.from ?? addDays(TONIGHT, -Math.floor(days / 2));
    const dates = Array.from({ length: days }, (_, nth) => addDays(first, nth));
    const shown = (siteId: number) => nightsOf(siteId).filter(({ date }) => dates.includes(date));
    return {
      dates,
      tonight: TONIGHT,
      sites: siteIds.map((id) => ({ site_id: id, tonight: TONIGHT, nights: shown(id) })),
    };
  });
}

const failedNight: FleetNight = { date: YESTERDAY, counts: { done: 12, failed: 2 }, plan: null };
const plannedNight: FleetNight = {
  date: TOMORROW,
  counts: { planned: 4 },
  plan: { first: "18:30", minutes: 45, groups: 1 },
};

const entry: CalendarEntry = {
  key: "one",
  state: "OVER",
  action_type: "SCHEDULED",
  group_id: 5,
  title: "East Row",
  begins_at: `${YESTERDAY}T13:00:00.000Z`,
  ends_at: `${YESTERDAY}T13:45:00.000Z`,
  local_time: "18:30",
  robots: 14,
  counts: { planned: 0, running: 0, done: 12, stopped: 0, cut_short: 0, failed: 2, skipped: 0, missed: 0 },
  reasons: [{ serial_number: "SCR-1011", outcome: "FAILED", reason: "Its brush is jammed." }],
  by_need: null,
  sample: false,
};

test("fleet calendar: sites by night, with what failed; a night opens with its reasons and leads to the robot then", async () => {
  answerNights((siteId) => (siteId === 2 ? [failedNight, plannedNight] : []));
  when(runsNight).answer({ timezone: ZONE, entries: [entry] });
  await openConsole("/calendar");
  await expectCount(grid.getByRole("rowheader"), 3);
  await expectCount(grid.getByRole("columnheader"), 8);
  await expectContains(nightCell("Charanka Solar Park", YESTERDAY), "12 of 14");
  await expectContains(nightCell("Charanka Solar Park", TOMORROW), "18:30");
  await expectAccessible();
  await nightCell("Charanka Solar Park", YESTERDAY).click();
  await expectAddress(`/calendar?site=2&night=${YESTERDAY}`);
  const dialog = page.getByRole("dialog", { name: /^Charanka Solar Park, night of / });
  await expectContains(dialog, "SCR-1011 failed: Its brush is jammed.");
  await expect
    .element(dialog.getByRole("link", { name: "SCR-1011" }))
    .toHaveAttribute("href", `/robots/SCR-1011?at=${encodeURIComponent(`${YESTERDAY}T13:00Z`)}`);
  // What is over is not planned any more.
  await expectCount(dialog.getByRole("region", { name: "Plan a run" }), 0);
  await expectAccessible();
  await userEvent.keyboard("{Escape}");
  await expectAddress("/calendar");
  // The focus is back, and the arrow keys go on from there.
  await expect.element(nightCell("Charanka Solar Park", YESTERDAY)).toHaveFocus();
  await userEvent.keyboard("{ArrowRight}{ArrowUp}");
  await expect.element(nightCell("Bhadla Solar Park", TONIGHT)).toHaveFocus();
});

test("fleet calendar: an empty night to come plans a run on its day, and a schedule that exists is only changed", async () => {
  answerNights(() => []);
  when(runsNight).answer({ timezone: ZONE, entries: [] });
  const schedule: Schedule = {
    id: 7,
    group_id: 6,
    site_id: 1,
    action: "START",
    start_time: "2026-01-05 05:15:00",
    duration_minutes: 60,
    frequency: "DAILY",
    status: "ACTIVE",
    next_run_at: `${TOMORROW}T23:45:00.000Z`,
    waiting: null,
    skip_on_rain: false,
    least_days: null,
    most_days: null,
    decides_at: null,
    decision: null,
    version: 1,
  };
  when(groupList).answer([
    sampleGroup(),
    sampleGroup({
      id: 6,
      group_name: "West Row",
      robots: [{ id: 12 }],
      schedule_type: "DAILY",
      schedule_details: schedule,
    }),
  ]);
  const created = when(createSchedule).answer(({ body }) => ({
    message: "Schedule created",
    scheduleId: 8,
    schedule: { ...schedule, id: 8, group_id: 5, start_time: body.start_time, frequency: "ONCE" },
  }));
  await openConsole("/calendar");
  await expectContains(page.getByRole("main"), "nothing is planned. Press a night to plan a run.");
  await nightCell("Bhadla Solar Park", TOMORROW).click();
  const plan = page.getByRole("region", { name: "Plan a run" });
  await expectContains(plan, "1 robot, daily at 05:15, 60 min");
  await plan.getByRole("button", { name: "Change the schedule of West Row" }).click();
  const change = page.getByRole("dialog", { name: "Schedule: West Row" });
  await expect.element(change.getByLabelText("Start time")).toHaveValue("05:15");
  await expect.element(change.getByRole("radio", { name: "Daily" })).toBeChecked();
  await userEvent.keyboard("{Escape}");
  await plan.getByRole("button", { name: "Plan a run of East Row" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule: East Row" });
  // The morning of that night, when the site's other group cleans.
  await expect.element(dialog.getByLabelText("Start time")).toHaveValue("05:15");
  await expect.element(dialog.getByRole("radio", { name: "Once" })).toBeChecked();
  await dialog.getByRole("button", { name: "Save Schedule" }).click();
  await expect.poll(() => created.length).toBe(1);
  expect(created[0]?.body).toMatchObject({
    group_id: 5,
    start_time: `${addDays(TOMORROW, 1)} 05:15:00`,
    frequency: "ONCE",
    status: "ACTIVE",
  });
});

test("fleet calendar: weeks, order and filters are in the address; what matches nothing says so", async () => {
  answerNights((siteId) => (siteId === 3 ? [failedNight] : []));
  await openConsole("/calendar?order=worst");
  await expectContains(grid.getByRole("rowheader").first(), "Rewa Ultra Mega Solar");
  await page.getByRole("button", { name: "Next 7 nights" }).click();
  await expectAddress(`/calendar?order=worst&from=${addDays(TONIGHT, 4)}`);
  await page.getByRole("button", { name: "Previous 7 nights" }).click();
  await expectAddress("/calendar?order=worst");
  await page.getByRole("checkbox", { name: "Only with trouble" }).click();
  await expectCount(grid.getByRole("rowheader"), 1);
  await page.getByRole("combobox", { name: "State" }).selectOptions("Gujarat");
  await expectContains(page.getByRole("main"), "Nothing went wrong in these nights.");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expectCount(grid.getByRole("rowheader"), 3);
  await page.getByRole("combobox", { name: "Nights shown" }).selectOptions("14 nights");
  await expectCount(grid.getByRole("columnheader"), 15);
});

test("fleet calendar: one that cannot be loaded can be retried; without sites it says where they come from", async () => {
  when(runsFleetCalendar).offline();
  await openConsole("/calendar");
  await expectContains(page.getByRole("alert"), "The calendar could not be loaded.");
  await pressRetry(() => void answerNights(() => [failedNight]), nightCell("Bhadla Solar Park", YESTERDAY));
  await closeConsole();

  when(siteDetails).answer([]);
  when(runsFleetCalendar).answer({ dates: [TONIGHT], tonight: TONIGHT, sites: [] });
  await openConsole("/calendar");
  await expectContains(page.getByRole("main"), "No sites yet");
});

test("fleet calendar: on a phone one night, trouble first and without a sideways scroll", async () => {
  answerNights((siteId) =>
    siteId === 1
      ? [{ ...failedNight, date: TONIGHT, counts: { done: 4 } }]
      : siteId === 2
        ? [{ ...failedNight, date: TONIGHT }, plannedNight]
        : [],
  );
  await page.viewport(360, 780);
  await openConsole("/calendar");
  const list = page.getByRole("region", { name: "Sites of this night" });
  await expectCount(list.getByRole("button"), 2);
  await expectContains(list.getByRole("button").first(), "Charanka Solar Park");
  await expectContains(list.getByRole("button").first(), "12 done, 2 failed");
  await expectNoSidewaysScroll();
  for (const theme of ["dark", "light"] as const) {
    chooseTheme(theme);
    await expectAccessible();
  }
  await page.getByRole("button", { name: "Show 1 site without a run" }).click();
  await expectCount(list.getByRole("button"), 3);
  await expectContains(list.getByRole("button").last(), "Plan a run");
  await page.getByRole("button", { name: "Next night" }).click();
  await expectAddress(`/calendar?from=${TOMORROW}`);
  await expectContains(list.getByRole("button").first(), "4 planned at 18:30, 45 min");
});

test("fleet calendar: runs that change are shown without a click, and of a thousand sites only the visible ones are rendered", async () => {
  const many = Array.from({ length: 1_000 }, (_, nth) => sampleSite({ id: nth + 1, name: `Park ${nth + 1}` }));
  when(siteDetails).answer([...many]);
  let done = 3;
  const asked = answerNights(
    () => [{ date: YESTERDAY, counts: { done }, plan: null }],
    many.map(({ id }) => id),
  );
  await openConsole("/calendar");
  await expectContains(nightCell("Park 1", YESTERDAY), "3 of 3");
  expect(grid.getByRole("rowheader").elements().length).toBeLessThan(60);
  await expectContains(page.getByRole("banner"), "Live");
  const before = asked.length;
  done = 4;
  sendOnStream(live, liveUpdate({ at: new Date().toISOString(), runs_changed: [1] }));
  await expectContains(nightCell("Park 1", YESTERDAY), "4 of 4");
  expect(asked.length).toBeGreaterThan(before);
});
