import { expectDisabled, expectEnabled, expectToast } from "./support/dashboard.ts";
import { SAMBHAR, siteRow } from "./support/site-fixtures.ts";
import { expect, test } from "./support/administration-fixtures.ts";

const NAME = SAMBHAR.name;

test("§2 Delete Site: refused with the reason while a robot there is cleaning; names the robots, groups and schedules that are deleted with it, and clears the selection", async ({
  page,
  openBrowser,
  signIn,
  sites,
  robots,
  groups,
  simulator,
  problems,
}) => {
  // The demo's free devices are offline. Once the deletion is known, neither browser requests anything that is gone.
  problems.allow(/status of 504/);
  const made = await sites.make();
  const robot = await robots.add(NAME, "SCR-1015", "Row 1");
  await robots.add(NAME, "SCR-1017", "Row 2");
  await robots.add(NAME, "SCR-1018", "Row 3");
  await simulator.clear("SCR-1015");
  const group = await groups.make(NAME, "East", ["SCR-1015", "SCR-1017"]);
  await groups.make(NAME, "West", ["SCR-1018"]);
  await groups.schedule(group, { startTime: "2099-01-01 06:00:00", frequency: "ONCE" });
  const isOnline = async () => (await robots.listed()).some((one) => one.robot_id === robot.robot_id && one.online);
  await expect.poll(isOnline).toBe(true);
  await robots.command(robot, "START");
  const other = await openBrowser();
  await signIn(other, "admin", { at: `/sites?site=${made.id}` });
  await expect(other.getByRole("heading", { level: 2, name: NAME })).toBeVisible();

  await signIn(page, "admin", { at: `/sites?site=${made.id}` });
  await expect(page.getByRole("article")).toHaveCount(3);
  await siteRow(page, NAME).getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Site" });
  const button = dialog.getByRole("button", { name: "Delete Site" });
  const reason = "SCR-1015 is cleaning. Stop it first: a site can only be deleted while its robots are stopped.";
  await expect(dialog.getByRole("alert")).toContainText(reason);
  await expectDisabled(button, reason);
  await robots.command(robot, "STOP");
  await expect(dialog.getByRole("alert")).toHaveCount(0);
  await expectEnabled(button);
  await expect(dialog).toContainText(`${NAME} will be deleted with its 3 robots, 2 groups and 1 schedule.`);
  await expect(dialog).toContainText("The history of the site and its robots stays readable");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await expect(siteRow(page, NAME)).toBeVisible();

  await siteRow(page, NAME).getByRole("button", { name: "Delete" }).click();
  // A status call overtaken by the deletion is answered with 404, which the browser itself logs.
  problems.allowFromNow(/status of 404 .*getRobotStatus\?robotId=SCR-101[578]\)/);
  await button.click();
  await expectToast(page, "Site Deleted", `${NAME} has been successfully deleted.`);
  await expect(dialog).toBeHidden();
  await expect(page.getByText("Select a site to manage its robots")).toBeVisible();
  await expect(page).toHaveURL(/\/sites$/);
  await expect(siteRow(page, NAME)).toHaveCount(0);
  await expect(siteRow(other, NAME)).toHaveCount(0);
  await expect(other.getByText("Site not found, or no access")).toBeVisible();
});
