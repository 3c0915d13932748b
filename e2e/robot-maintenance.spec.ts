import {
  chooseSite,
  expectDisabled,
  expectStatus,
  expectToast,
  expectTruth,
  REWA,
  robotCard,
  startsOf,
} from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

test("§4 Button enabling, maintenance: every button that moves the robot is disabled and says why", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/Failed to load resource/);
  await page.route("**/api/live", (route) => route.abort());
  await page.route("**/getRobotDetailsWithSettings/**", async (route) => {
    const answer = await route.fetch();
    const text = (await answer.text()).replaceAll(/"operating_mode":"\w+"/g, '"operating_mode":"maintenance"');
    await route.fulfill({ response: answer, body: text });
  });
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");
  await expectStatus(card, "Maintenance");
  const reason = "Robot SCR-1001 is in maintenance.";
  await expectDisabled(card.start, reason);
  await expectDisabled(card.stop, reason);
  await expectDisabled(card.direction, reason);
  await expect(card.settings).toHaveCount(0);
});

test("protocol rule 8: a robot locked on its own side refuses Start with its reason and does not move", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/status of 409/);
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  const card = robotCard(page, "SCR-1011");
  await expectStatus(card, "Idle");
  const startsBefore = await startsOf(simulator, "SCR-1011");
  await simulator.condition("SCR-1011", { maintenance: true });
  await card.refresh.click();
  await expectToast(page, "Robot Refreshed", /Robot SCR-1011: Idle, battery \d+ %, direction Forward/);
  await card.start.click();
  await expectToast(
    page,
    "Control Failed",
    "Failed to send START command to Robot SCR-1011",
    "Robot SCR-1011 is in maintenance. Exit maintenance first.",
  );
  await expectStatus(card, "Idle");
  expect(await startsOf(simulator, "SCR-1011")).toBe(startsBefore);
  await simulator.condition("SCR-1011", { maintenance: false });
  await expectTruth(simulator, "SCR-1011", { mode: "MANUAL", motion: "STOPPED" });
});
