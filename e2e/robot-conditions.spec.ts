import {
  chooseSite,
  expectEnabled,
  expectStatus,
  expectToast,
  expectTruth,
  PAVAGADA,
  robotCard,
  startRobot,
  siteFacts,
  stopRobot,
  toasts,
} from "./support/dashboard.ts";
import { loseAgain } from "./support/leftovers.ts";
import { expect, test } from "./support/suncrew.ts";

test.beforeEach(({ problems }) => {
  // The browser logs every refused request itself.
  problems.allow(/status of (409|502|504)/);
});

test("§4 Robot live status, a jam and an offline robot, protocol rule 12: Critical with its alert; 'Using Mock Data' at first and at each Refresh; a robot with a wrong clock is refused a Start", async ({
  page,
  signIn,
  simulator,
  apiAs,
}) => {
  await loseAgain(simulator, await apiAs("admin"), "SCR-1007");
  await signIn(page, "admin");

  await test.step("a jam: the robot stops, is Critical with its alert, and Start is refused with the reason", async () => {
    const card = robotCard(page, "SCR-1002");
    await startRobot(card, simulator);
    await simulator.fault("SCR-1002", { kind: "jam" });
    await expectStatus(card, "Critical");
    await expectTruth(simulator, "SCR-1002", { motion: "STOPPED" });
    await card.root.getByRole("button", { name: "1 alert" }).click();
    const alerts = page.getByRole("dialog", { name: "Alerts of robot SCR-1002" });
    await expect(alerts.getByRole("listitem")).toContainText(["The brush is jammed and the robot has stopped."]);
    await page.keyboard.press("Escape");
    await expect(siteFacts(page).getByText("Fault", { exact: true })).toBeVisible();
    await card.start.click();
    await expectToast(
      page,
      "Control Failed",
      "Failed to send START command to Robot SCR-1002",
      "Robot SCR-1002 refused: it has a fault.",
    );
    await expectStatus(card, "Critical");
    await simulator.clear("SCR-1002");
    await expectStatus(card, "Idle");
    await expect(card.root.getByText("0 alerts")).toBeVisible();
  });

  await test.step("an offline robot: 'Using Mock Data' at first and at each Refresh; it recovers by itself", async () => {
    const card = robotCard(page, "SCR-1007");
    const told = ["Using Mock Data", "API call failed, using simulated data for SCR-1007"] as const;
    await Promise.all([chooseSite(page, PAVAGADA), expectToast(page, ...told)]);
    await expect(toasts(page)).toHaveCount(0);
    await expectStatus(card, "Offline");
    await expect(card.root.getByText("Last reading: Mock")).toBeVisible();
    const battery = Number(await card.root.getByRole("meter", { name: "Battery" }).getAttribute("aria-valuenow"));
    expect(battery).toBeGreaterThanOrEqual(40);
    expect(battery).toBeLessThanOrEqual(99);
    await card.root.getByRole("button", { name: "Robot info" }).click();
    await expect(page.getByRole("dialog", { name: "Info on robot SCR-1007" })).toContainText("Last updatedMock");
    await page.keyboard.press("Escape");
    await card.refresh.click();
    await expectToast(page, ...told);
    await simulator.clear("SCR-1007");
    await expectStatus(card, "Idle");
    await expect(card.root.getByText("Last reading: Mock")).toBeHidden();
    await expectEnabled(card.start);
  });

  await test.step("a robot with a wrong clock is refused a Start with the reason, and an alert reports it", async () => {
    const card = robotCard(page, "SCR-1006");
    await expectStatus(card, "Idle");
    await simulator.fault("SCR-1006", { kind: "wrong-clock", offset: 120_000 });
    await card.refresh.click();
    await expectToast(page, "Robot Refreshed", /Robot SCR-1006: Idle, battery \d+ %, direction Forward/);
    await card.start.click();
    await expectToast(
      page,
      "Control Failed",
      "Failed to send START command to Robot SCR-1006",
      "The clock of Robot SCR-1006 differs by more than 30 seconds, so it cannot be started safely.",
    );
    await card.root.getByRole("button", { name: "1 alert" }).click();
    const alerts = page.getByRole("dialog", { name: "Alerts of robot SCR-1006" });
    await expect(alerts.getByRole("listitem")).toContainText([
      "The robot's clock is ahead of the server's by more than 30 seconds.",
    ]);
    await page.keyboard.press("Escape");
    await simulator.clear("SCR-1006");
    await card.refresh.click();
    await expect(card.root.getByText("0 alerts")).toBeVisible();
    await startRobot(card, simulator);
    await stopRobot(card, simulator);
  });
});
