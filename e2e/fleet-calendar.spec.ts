import { REWA } from "./support/dashboard.ts";
import { dayFieldText, enoughOfTheDay, expect, siteDay, test } from "./support/group-fixtures.ts";

const ZONE = "Asia/Kolkata";

/** A date, `YYYY-MM-DD`, as the calendar names it: "Sun 22 Nov". */
function nightName(day: string): string {
  const format = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" } as const;
  return new Date(day).toLocaleDateString("en-GB", format).replace(",", "");
}

test.beforeEach(() => enoughOfTheDay(ZONE));

test("fleet calendar: a failure of last night is seen with its reason, and a click on tomorrow plans a run that then shows", async ({
  page,
  signIn,
  groups,
  suncrew,
}) => {
  const [yesterday, tomorrow] = [siteDay(ZONE, -1), siteDay(ZONE, 1)];
  const crew = await groups.make(REWA, "Night crew", ["SCR-1010"]);
  const { id: scheduleId } = await groups.schedule(crew, { startTime: `${siteDay(ZONE, 300)} 18:30:00` });
  await groups.make(REWA, "Sunrise", ["SCR-1011"]);
  const due = `timestamptz '${yesterday} 20:00:00+05:30'`;
  // A night is as good as its best run, and other tests may have moved the robot in this one.
  await suncrew.sql(
    `delete from runs where serial_number = 'SCR-1010' and outcome is not null
      and at >= timestamptz '${yesterday} 12:00:00+05:30'`,
  );
  await suncrew.sql(
    `insert into runs (id, robot_id, site_id, robot_name, serial_number, started_by, planned, action_type, schedule_id,
      group_id, group_name, due_at, stop_due_at, ended_at, outcome, reason)
    select gen_random_uuid(), id, site_id, robot_name, serial_number, 'Scheduler', true, 'SCHEDULED', ${scheduleId},
      ${crew.id}, 'Night crew', ${due}, ${due} + interval '30 minutes', ${due}, 'FAILED', 'Its brush is jammed.'
    from robots where serial_number = 'SCR-1010' and deleted_at is null`,
  );
  try {
    await signIn(page, "admin");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Calendar" }).click();
    const grid = page.getByRole("grid", { name: "Nights of all sites" });
    const nightCell = (day: string) => grid.getByRole("button", { name: `${REWA}, ${nightName(day)}:` });
    await expect(nightCell(yesterday)).toHaveAccessibleName(/1 failed/);
    await nightCell(yesterday).click();
    const details = page.getByRole("dialog", { name: new RegExp(`^${REWA}, night of `) });
    await expect(details).toContainText("SCR-1010 failed: Its brush is jammed.");
    await page.keyboard.press("Escape");
    await expect(details).toBeHidden();

    await nightCell(tomorrow).click();
    await details.getByRole("button", { name: "Plan a run of Sunrise" }).click();
    const dialog = page.getByRole("dialog", { name: "Schedule: Sunrise" });
    // The site's usual time.
    await expect(dialog.getByLabel("Start time")).toHaveValue("18:30");
    await expect(dialog.getByLabel("Date")).toHaveValue(dayFieldText(tomorrow));
    await dialog.getByRole("button", { name: "Save Schedule" }).click();
    await expect(dialog).toBeHidden();
    await expect(details.getByRole("list", { name: "Runs" })).toContainText("Sunrise");
    await page.keyboard.press("Escape");
    await expect(nightCell(tomorrow)).toHaveAccessibleName(/1 planned at 18:30, 30 min$/);
    await expect(nightCell(tomorrow)).toBeFocused();
  } finally {
    await suncrew.sql(`delete from runs where schedule_id = ${scheduleId}`);
  }
});
