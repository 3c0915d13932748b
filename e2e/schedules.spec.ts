import type { Locator, Page, Route } from "@playwright/test";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { deleteSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, expectToast, expectToastsGone, REWA, discardChanges } from "./support/dashboard.ts";
import {
  dayFieldText,
  enoughOfTheDay,
  expect,
  groupCard,
  siteAddress,
  siteDay,
  test,
} from "./support/group-fixtures.ts";
import { FIRST_FIGURES_MS } from "./support/soiling-fixtures.ts";

const ZONE = "Asia/Kolkata";

/** The parts of the Schedule dialog that a person uses. */
function dialogOf(page: Page, groupName: string) {
  const root = page.getByRole("dialog", { name: `Schedule: ${groupName}` });
  return {
    root,
    enabled: root.getByRole("switch", { name: "Enable schedule" }),
    time: root.getByLabel("Start time"),
    date: root.getByLabel("Date"),
    duration: root.getByLabel("Duration"),
    frequency: (word: string) => root.getByRole("radio", { name: word }),
    choose: (word: string) => root.getByText(word, { exact: true }).click(),
    rain: root.getByRole("checkbox", { name: "Skip on rain" }),
    next: root.getByRole("region", { name: "Next runs" }),
    save: root.getByRole("button", { name: "Save Schedule" }),
    cancel: root.getByRole("button", { name: "Cancel" }),
  };
}

type ScheduleDialog = ReturnType<typeof dialogOf>;

async function pressSchedule(page: Page, group: Group): Promise<ScheduleDialog> {
  await groupCard(page, group.group_name).getByRole("button", { name: "Schedule", exact: true }).click();
  const dialog = dialogOf(page, group.group_name);
  await expect(dialog.time).toBeVisible();
  return dialog;
}

function summaryOf(page: Page, group: Group): Locator {
  return page.getByRole("group", { name: `Schedule of ${group.group_name}` });
}

function shortDay(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(day);
  return `${part({ weekday: "short" })} ${part({ day: "numeric" })} ${part({ month: "short" })}`;
}

test.beforeEach(() => enoughOfTheDay(ZONE));

test("§5 Schedule, §9 Schedule, Time: the dialog opens with its defaults; invalid input is reported, and nothing is sent; the preview lists the next runs", async ({
  page,
  signIn,
  groups,
}) => {
  const group = await groups.make(REWA, "Defaults", ["SCR-1010", "SCR-1011"]);
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  const dialog = await pressSchedule(page, group);
  await test.step("it opens enabled, today at the site, 30 minutes, once, without a time", async () => {
    await expect(dialog.enabled).toBeChecked();
    await expect(dialog.time).toHaveValue("");
    await expect(dialog.date).toHaveValue(dayFieldText(siteDay(ZONE)));
    await expect(dialog.duration).toHaveValue("30");
    await expect(dialog.frequency("Once")).toBeChecked();
    await expect(dialog.rain).not.toBeChecked();
    await expect(dialog.next).toContainText(`in the site's time, ${ZONE}`);
    await expect(dialog.next).toContainText("Set a date and a start time to see the next runs.");
  });

  await test.step("invalid input is reported, and nothing is sent", async () => {
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await dialog.save.click();
    await expectToast(page, "Missing Start Time", "Please set a start time for the schedule.");
    await expect(dialog.time).toBeFocused();
    await dialog.time.fill("06:30");
    for (const minutes of ["0", "481", "12.5"]) {
      await dialog.duration.fill(minutes);
      await dialog.save.click();
      await expectToast(page, "Invalid Duration", "Duration must be between 1 and 480 minutes.");
      await expect(dialog.duration).toHaveValue(minutes);
      await expectToastsGone(page);
    }
    await dialog.duration.fill("half an hour");
    await dialog.duration.blur();
    await expect(dialog.duration).toHaveValue("1");
    await dialog.date.fill("");
    await dialog.save.click();
    await expectToast(page, "Missing Date", "Please set a date for the schedule.");
    await expect(dialog.date).toBeFocused();
    await dialog.date.fill(siteDay(ZONE, -1));
    await expect(dialog.next).toContainText("This day is past. Choose today or a later day.");
    await dialog.save.click();
    await expectToast(page, "Date Is Past", "Please choose today or a later day for the schedule.");
    await expect(dialog.root).toBeVisible();
    expect(sent.filter((line) => !line.startsWith("GET"))).toEqual([]);
  });

  await test.step("the preview lists the next five runs in the site's time, and explains a past time", async () => {
    const runs = dialog.next.getByRole("listitem");
    const [today, tomorrow] = [siteDay(ZONE), siteDay(ZONE, 1)];
    await dialog.date.fill(today);
    // Midnight has passed, whatever the hour.
    await dialog.time.fill("00:00");
    await expect(runs).toHaveText([new RegExp(`^${shortDay(tomorrow)}.*, 00:00in \\d+ (h|min|s)$`)]);
    const moved = (when: string) => `00:00 is already past today at the site, so the next run comes ${when}: `;
    await expect(dialog.next).toContainText(moved("tomorrow"));
    await dialog.choose("Daily");
    await expect(runs).toHaveCount(5);
    await expect(dialog.next).toContainText(moved("tomorrow"));
    await dialog.choose("Weekly");
    await expect(runs.first()).toContainText(shortDay(siteDay(ZONE, 7)));
    await expect(dialog.next).toContainText(moved("in a week"));
    await dialog.choose("Monthly");
    await expect(dialog.next).toContainText(moved("next month"));

    const year = Number(today.slice(0, 4)) + 1;
    await dialog.date.fill(`${year}-01-31`);
    const lastOfFebruary = new Date(Date.UTC(year, 2, 0)).getUTCDate();
    await expect(runs).toHaveText(
      [`31 Jan`, `${lastOfFebruary} Feb`, `31 Mar`, `30 Apr`, `31 May`].map((day) => new RegExp(`^\\w{3} ${day}`)),
    );
    await expect(dialog.next).toContainText("In months without a day 31 it runs on their last day.");
    await expect(dialog.next).not.toContainText("already past");
    // The earlier error toasts cover the switch.
    await expectToastsGone(page);
    await dialog.enabled.uncheck({ force: true });
    await expect(dialog.next).toContainText("The schedule is off: it is stored, but no runs will start.");
  });
});

test("§4 Schedule, §8 Schedule Created, Updated, Deleted: a partner schedules its own groups; each change shows at once, in another browser too, without losing site, tab or scroll position", async ({
  page,
  openBrowser,
  signIn,
  groups,
}) => {
  const group = await groups.make(BHADLA, "Partner's rows", ["SCR-1003"]);
  const other = await openBrowser();
  await signIn(other, "admin", { at: siteAddress(group, "groups") });
  await expect(groupCard(other, "Partner's rows").getByText("No schedule")).toBeVisible();
  await signIn(page, "partner", { at: siteAddress(group, "groups") });
  const dialog = await pressSchedule(page, group);
  const opened = await page.evaluate(() => performance.timeOrigin);
  const sent: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/group/schedule") || request.url().includes("/updateSchedule/")) {
      sent.push(request.postDataJSON());
    }
  });
  const tomorrow = siteDay(ZONE, 1);
  await dialog.time.fill("06:30");
  await dialog.date.fill(tomorrow);
  await dialog.choose("Daily");
  await dialog.duration.fill("45");
  await dialog.rain.check();
  await dialog.save.click();
  await expectToast(page, "Schedule Created", `Schedule for group "Partner's rows" has been created.`);
  await expect(dialog.root).toBeHidden();
  await expect(summaryOf(other, group)).toContainText("at 06:30");
  const summary = summaryOf(page, group);
  await expect(summary).toContainText("Daily at 06:30");
  await expect(summary).toContainText("45 min");
  await expect(summary).toContainText("Skips rain");
  await expect(summary).toContainText(new RegExp(`Next run in \\d+ (d|h|min): ${shortDay(tomorrow)}(.*), 06:30`));

  const again = await pressSchedule(page, group);
  await expect(again.time).toHaveValue("06:30");
  await expect(again.date).toHaveValue(dayFieldText(tomorrow));
  await expect(again.duration).toHaveValue("45");
  await expect(again.frequency("Daily")).toBeChecked();
  await expect(again.rain).toBeChecked();
  await again.enabled.uncheck({ force: true });
  await again.save.click();
  await expectToast(page, "Schedule Updated", `Schedule for group "Partner's rows" has been updated.`);
  await expect(summary).toContainText("Inactive");
  await expect(summary).toContainText("Off: no runs will start");
  const whole = {
    site_id: group.site_id,
    group_id: group.id,
    action: "START",
    start_time: `${tomorrow} 06:30:00`,
    duration_minutes: 45,
    frequency: "DAILY",
    skip_on_rain: true,
  };
  expect(sent).toEqual([
    { ...whole, status: "ACTIVE" },
    { ...whole, status: "INACTIVE", version: 1 },
  ]);

  const remove = summary.getByRole("button", { name: "Delete schedule" });
  const question = page.getByRole("dialog", { name: `Delete the schedule of "Partner's rows"?` });
  await remove.click();
  await expect(question).toContainText("This action cannot be undone. The group and its robots will remain intact.");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(summary).toBeVisible();
  await remove.click();
  await question.getByRole("button", { name: "Delete Schedule" }).click();
  await expectToast(page, "Schedule Deleted", `Schedule for "Partner's rows" has been removed successfully.`);
  await expect(groupCard(page, "Partner's rows").getByText("No schedule")).toBeVisible();
  expect(new URL(page.url()).search).toBe(`?site=${group.site_id}&tab=groups`);
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(opened);
});

test("§11 Cleaning by need: a schedule when worth it keeps its days, its decisions are listed, and the site compares it with daily and weekly", async ({
  page,
  signIn,
  groups,
}) => {
  const group = await groups.make(BHADLA, "When dirty", ["SCR-1001"]);
  const tomorrow = siteDay(ZONE, 1);
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  const dialog = await pressSchedule(page, group);
  await dialog.choose("When worth it");
  await dialog.date.fill(tomorrow);
  await dialog.time.fill("20:00");
  await expect(dialog.next.getByRole("listitem").first()).toContainText("will be decided at 18:00");
  const daysIn = ({ root }: ScheduleDialog) => [root.getByLabel("At least (days)"), root.getByLabel("At most (days)")];
  const [least, most] = daysIn(dialog);
  await least?.fill("3");
  await most?.fill("10");
  await dialog.save.click();
  await expectToast(page, "Schedule Created", 'Schedule for group "When dirty" has been created.');

  const summary = summaryOf(page, group);
  await expect(summary).toContainText("When worth it at 20:00");
  await expect(summary).toContainText(/20:00: will be decided at .*18:00/);
  await summary.getByRole("button", { name: "Decisions" }).click();
  const decisions = page.getByRole("dialog", { name: "Decisions: When dirty" });
  await expect(decisions).toContainText("Nothing has been decided yet");
  await page.keyboard.press("Escape");
  await expect(decisions).toBeHidden();
  const again = await pressSchedule(page, group);
  await expect(again.frequency("When worth it")).toBeChecked();
  const [leastAgain, mostAgain] = daysIn(again);
  await expect(leastAgain ?? again.root).toHaveValue("3");
  await expect(mostAgain ?? again.root).toHaveValue("10");
  await again.cancel.click();

  await page.getByRole("tab", { name: "Soiling" }).click();
  const compared = page.getByRole("region", { name: "Cleaning by need" });
  // The server first has to have asked for a year of air and weather.
  await expect(compared.getByRole("table")).toBeVisible({ timeout: FIRST_FIGURES_MS });
  await expect(compared.getByRole("rowheader")).toContainText(["When worth it", "Daily", "Weekly"]);
  await expect(compared).toContainText("at 20:00, by need 3 to 10 days apart");
});

test("§11 Cleaning by need: what was decided is told with its reason, runs as well as not tonight, in the group and in the list; an edit voids it", async ({
  page,
  signIn,
  groups,
  suncrew,
}) => {
  const group = await groups.make(REWA, "By need", ["SCR-1010"]);
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  const dialog = await pressSchedule(page, group);
  await dialog.choose("When worth it");
  await dialog.date.fill(siteDay(ZONE, 1));
  await dialog.time.fill("20:00");
  await dialog.root.getByLabel("At least (days)").fill("3");
  await dialog.root.getByLabel("At most (days)").fill("10");
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  const summary = summaryOf(page, group);
  /** It is due in so many minutes, so that it is decided now. */
  const dueIn = (minutes: number) =>
    suncrew.sql(
      `update schedules set next_run_at = date_trunc('minute', now()) + interval '${minutes} minutes' where group_id = ${group.id}`,
    );
  // Other tests may have had it clean.
  const forget = () => suncrew.sql(`delete from runs where serial_number = 'SCR-1010' and ended_at is not null`);
  await forget();
  await dueIn(60);
  await expect(summary).toContainText("Runs: no run known, at most 10.");
  await suncrew.sql(
    `insert into runs (id, robot_id, site_id, robot_name, serial_number, started_by, planned, action_type, schedule_id,
      group_id, group_name, began_at, due_at, stop_due_at, ended_at, outcome, reason)
    select gen_random_uuid(), r.id, r.site_id, robot_name, serial_number, 'Scheduler', true, 'SCHEDULED', s.id,
      s.group_id, 'By need', at, at, at + interval '30 minutes', at + interval '30 minutes', 'COMPLETED', 'FINISHED'
    from schedules s, robots r, (select now() - interval '1 day' as at) yesterday
    where s.group_id = ${group.id} and serial_number = 'SCR-1010' and r.deleted_at is null`,
  );
  try {
    await dueIn(70);
    const reason = /Not tonight: \d days? since the last run, at least 3\./;
    await expect(summary).toContainText(reason);
    await summary.getByRole("button", { name: "Decisions" }).click();
    const decisions = page.getByRole("dialog", { name: "Decisions: By need" });
    await expect(decisions.getByRole("listitem")).toContainText([reason, "Runs: no run known, at most 10."]);
    await expectAccessible(page, decisions);
    await page.keyboard.press("Escape");

    await test.step("an edit voids what was decided of times to come, and it is decided anew", async () => {
      const again = await pressSchedule(page, group);
      await again.root.getByLabel("At least (days)").fill("1");
      await again.save.click();
      await expectToast(page, "Schedule Updated", 'Schedule for group "By need" has been updated.');
      await expect(summary).toContainText(/20:00: will be decided at .*18:00/);
      await summary.getByRole("button", { name: "Decisions" }).click();
      await expect(decisions.getByRole("listitem").first()).toContainText(
        "Does not count: the schedule was changed before its time.",
      );
    });
  } finally {
    await forget();
  }
});

test("§8 Schedule Creation Failed, Update Failed, Delete Failed, No Schedule Found: with the server's reason, and the dialog stays open", async ({
  page,
  signIn,
  groups,
  apiAs,
  problems,
}) => {
  problems.allow(/Failed to load resource/);
  const group = await groups.make(REWA, "Refused", ["SCR-1010"]);
  const planned = await groups.make(REWA, "Gone", ["SCR-1011"]);
  const schedule = await groups.schedule(planned, { startTime: `${siteDay(ZONE, 1)} 07:00:00` });
  // Without the live stream this browser does not learn what the other one did.
  await page.route("**/api/live", (route) => route.abort());
  // The real server refuses a date before today, but the dialog would not send one.
  await page.route(/group\/(schedule|updateSchedule)/, async (route) => {
    const body: unknown = route.request().postDataJSON();
    await route.continue({ postData: { ...Object(body), start_time: "2020-01-01 06:00:00" } });
  });
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  const dialog = await pressSchedule(page, group);
  await dialog.time.fill("06:30");
  await dialog.save.click();
  await expectToast(page, "Schedule Creation Failed", "Could not create schedule.", /.+/);
  await expect(dialog.root).toBeVisible();
  await expect(dialog.time).toHaveValue("06:30");
  await dialog.cancel.click();
  await discardChanges(page);

  await test.step("a schedule that cannot be updated", async () => {
    await expect(summaryOf(page, planned)).toContainText("at 07:00");
    const again = await pressSchedule(page, planned);
    await again.save.click();
    await expectToast(page, "Schedule Update Failed", "Could not update schedule.", /.+/);
    await page.unroute(/group\/(schedule|updateSchedule)/);
    await page.route("**/updateSchedule/*", (route) => route.abort());
    await again.save.click();
    await expectToast(page, "Schedule Update Failed", "Could not update schedule.", "The server could not be reached.");
    await again.cancel.click();
    await expect(again.root).toBeHidden();
  });

  await test.step("a server that cannot be reached, and a schedule that was deleted", async () => {
    const summary = summaryOf(page, planned);
    await page.route("**/deleteSchedule/*", (route) => route.abort());
    const remove = async () => {
      await summary.getByRole("button", { name: "Delete schedule" }).click();
      await page.getByRole("button", { name: "Delete Schedule", exact: true }).click();
    };
    await remove();
    await expectToast(page, "Delete Failed", "Could not delete the schedule.", "The server could not be reached.");
    await expect(summary).toBeVisible();
    await page.unroute("**/deleteSchedule/*");
    // This browser does not learn of it before it has been pressed.
    const held: Route[] = [];
    await page.route("**/robotSiteGroupList/*", (route) => void held.push(route));
    const admin = await apiAs("admin");
    await admin.call(deleteSchedule, { params: { scheduleId: schedule.id } });
    await remove();
    await page.unroute("**/robotSiteGroupList/*");
    for (const route of held) await route.continue();
    await expectToast(page, "No Schedule Found", "This group doesn't have a schedule.");
    await expect(groupCard(page, "Gone").getByText("No schedule")).toBeVisible();
  });
});

test("§9 Themes: the Schedule dialog and the summary are accessible; on a phone the dialog fits, and works using only the keyboard", async ({
  page,
  signIn,
  groups,
}) => {
  const group = await groups.make(REWA, "Themes", ["SCR-1010"]);
  await groups.make(REWA, "Phone", ["SCR-1011"]);
  await groups.schedule(group, { startTime: `${siteDay(ZONE)} 00:00:00`, frequency: "DAILY", skipOnRain: true });
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  await expect(summaryOf(page, group)).toContainText("Daily at 00:00");
  await expectAccessible(page);
  const planned = await pressSchedule(page, group);
  await expect(planned.next.getByRole("listitem")).toHaveCount(5);
  await expectAccessible(page, planned.root);
  await planned.cancel.click();
  await expect(planned.root).toBeHidden();

  await page.setViewportSize({ width: 360, height: 780 });
  const button = groupCard(page, "Phone").getByRole("button", { name: "Schedule", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = dialogOf(page, "Phone");
  await expect(dialog.time).toBeFocused();
  await dialog.time.fill("06:30");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await dialog.save.focus();
  await page.keyboard.press("Enter");
  await expectToast(page, "Schedule Created", 'Schedule for group "Phone" has been created.');
  await expect(button).toBeFocused();
});
