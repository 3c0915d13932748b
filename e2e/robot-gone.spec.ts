import { BHADLA, toasts } from "./support/dashboard.ts";
import { expect, robotRow, test } from "./support/made-robots.ts";

test("§7 getRobotStatus: a robot deleted while it is asked leaves the page, and is not told as one that did not answer", async ({
  page,
  signIn,
  robots,
  simulator,
}) => {
  const robot = await robots.add(BHADLA, "SCR-1015", "Row 05");
  const isOnline = async () => (await robots.listed()).some((one) => one.robot_id === robot.robot_id && one.online);
  await expect.poll(isOnline).toBe(true);
  await simulator.fault("SCR-1015", { kind: "silent" });
  const asked = page.waitForRequest(/getRobotStatus\?robotId=SCR-1015/);
  await signIn(page, "admin", { at: `/sites?site=${robot.site_id}` });
  await expect(robotRow(page, "SCR-1015")).toBeVisible();
  const question = await asked;
  await robots.delete(robot);
  expect((await question.response())?.status()).toBe(404);
  await expect(robotRow(page, "SCR-1015")).toBeHidden();
  await expect(page.getByRole("article")).toHaveCount(4);
  await expect(toasts(page)).toHaveCount(0);
});
