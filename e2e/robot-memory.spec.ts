import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { health } from "@suncrew/contract/config/config.ts";
import { BHADLA, expectToast, toasts } from "./support/dashboard.ts";
import { expect, robotDialog, robotRow, test } from "./support/robot-fixtures.ts";

test("§7 getRobotStatus, protocol rule 14: a robot deleted during its status call leaves the page without a message; one that lost its memory is reported, and recovers once a Super Admin resets its state", async ({
  page,
  apiAs,
  signIn,
  robots,
  simulator,
  problems,
}) => {
  await test.step("a robot deleted during its status call leaves the page, and is not reported as unresponsive", async () => {
    const robot = await robots.add(BHADLA, "SCR-1015", "Row 05");
    const isOnline = async () => (await robots.listed()).some((one) => one.robot_id === robot.robot_id && one.online);
    await expect.poll(isOnline).toBe(true);
    await simulator.fault("SCR-1015", { kind: "silent" });
    const asked = page.waitForRequest(/getRobotStatus\?robotId=SCR-1015/);
    const { promise: seen, resolve: letGo } = Promise.withResolvers<void>();
    await page.route("**/getRobotStatus?robotId=SCR-1015", async (route) => {
      await seen;
      await route.continue();
    });
    await signIn(page, "admin", { at: `/sites?site=${robot.site_id}` });
    await expect(robotRow(page, "SCR-1015")).toBeVisible();
    const question = await asked;
    letGo();
    // Sent after the question, so that the server has that when it answers this.
    await page.evaluate((path) => fetch(path), health.path);
    await robots.delete(robot);
    expect((await question.response())?.status()).toBe(404);
    await expect(robotRow(page, "SCR-1015")).toBeHidden();
    await expect(page.getByRole("article")).toHaveCount(4);
    await expect(toasts(page)).toHaveCount(0);
  });

  await test.step("a robot that lost its memory is reported, and recovers once a Super Admin resets its state", async () => {
    // It is polled while it is offline.
    problems.allowFromNow(/status of 504/);
    const { robot_id } = await robots.add(BHADLA, "SCR-1013", "Row 05");
    const row = robotRow(page, "SCR-1013");
    await expect(row.getByText("Idle", { exact: true })).toBeVisible();
    await simulator.loseMemory("SCR-1013");
    const admin = await apiAs("admin");
    let battery = 40;
    await expect
      .poll(async () => {
        // Each change is shown at once.
        await simulator.condition("SCR-1013", { battery: (battery += 1) });
        return (await admin.call(alertList, { query: { robot_id } })).alerts.map(({ code }) => code);
      })
      .toContain("MEMORY_LOST");
    await row.getByRole("button", { name: "Edit" }).click();
    const dialog = robotDialog(page, "Edit Robot");
    await dialog.root.getByRole("button", { name: "Forget state" }).click();
    await page.keyboard.press("Escape");
    await expect(dialog.root).toBeVisible();
    await dialog.root.getByRole("button", { name: "Forget state" }).click();
    await page.getByRole("button", { name: "Forget", exact: true }).click();
    await expectToast(
      page,
      "Robot State Forgotten",
      "The state of robot SCR-1013 was forgotten; its next report will be accepted.",
    );
    await page.keyboard.press("Escape");
    await expect(dialog.root).toBeHidden();
    await expect(row.getByText("Idle", { exact: true })).toBeVisible();
    const { alerts } = await admin.call(alertList, { query: { robot_id } });
    expect(alerts.map(({ code }) => code)).not.toContain("MEMORY_LOST");
  });
});
