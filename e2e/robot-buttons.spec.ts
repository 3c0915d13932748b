import {
  BHADLA,
  CHARANKA,
  chooseSite,
  expectDisabled,
  expectEnabled,
  expectStatus,
  expectToast,
  expectTruth,
  KURNOOL,
  PAVAGADA,
  REWA,
  robotCard,
  startRobot,
  stopRobot,
} from "./support/dashboard.ts";
import { loseAgain } from "./support/leftovers.ts";
import { expect, test } from "./support/suncrew.ts";

const IN_PROGRESS = "A command is in progress. Wait for the robot's answer.";

test("§4 Button enabling, idle, normal, and a START in progress: disabled buttons say why, and Stop overrides the START (protocol rule 3)", async ({
  page,
  signIn,
  simulator,
  held,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");

  await test.step("idle: Start, direction and Settings are enabled, Stop is not and says why", async () => {
    await expectStatus(card, "Idle");
    await expectEnabled(card.start);
    await expectEnabled(card.direction);
    await expectEnabled(card.settings);
    await expectEnabled(card.refresh);
    const reason = "Robot SCR-1001 is already stopped.";
    await expectDisabled(card.stop, reason);
    await card.stop.hover();
    await expect(page.getByRole("tooltip").filter({ hasText: reason })).toBeVisible();
    // Pressing it anyway does nothing.
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await card.stop.dispatchEvent("click");
    await card.stop.press("Enter");
    expect(sent.filter((url) => url.includes("send_command"))).toEqual([]);
  });

  await test.step("normal: Stop, direction and Settings are enabled, Start is not and says why", async () => {
    await startRobot(card, simulator);
    await expectDisabled(card.start, "Robot SCR-1001 is already running.");
    await expectEnabled(card.stop);
    await expectEnabled(card.direction);
    await expectEnabled(card.settings);
    await stopRobot(card, simulator);
  });

  await test.step("a START in progress: Start is disabled and says why; Stop overrides it", async () => {
    const late = robotCard(page, "SCR-1003");
    await expectStatus(late, "Idle");
    await held.settleTime("START");
    await held.settleTime("STOP");
    await simulator.fault("SCR-1003", { kind: "silent" });
    await late.start.click();
    await expect(late.root.getByText("Starting... waiting for the robot")).toBeVisible();
    await expectDisabled(late.start, IN_PROGRESS);
    await expectEnabled(late.stop);
    await simulator.clear("SCR-1003");
    await expectToast(page, "Robot Control", "START command sent to Robot SCR-1003");
    await expectStatus(late, "Normal");

    await simulator.fault("SCR-1003", { kind: "silent" });
    await late.stop.click();
    await expect(late.root.getByText("Stopping... waiting for the robot")).toBeVisible();
    await expectDisabled(late.start, IN_PROGRESS);
    await expectDisabled(late.stop, IN_PROGRESS);
    await simulator.clear("SCR-1003");
    await expectStatus(late, "Idle");
    await expectTruth(simulator, "SCR-1003", { motion: "STOPPED" });
  });
});

test("§6 PARTNER never has a settings button; §8 Direction Updated: as partner, REV and FWD reach the robot and are kept; §4 Robot live status, a low battery: Warning with its alert, and Start is refused with the reason", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  await signIn(page, "partner");
  const card = robotCard(page, "SCR-1002");

  await test.step("no settings button", async () => {
    await expectStatus(card, "Idle");
    await expect(card.settings).toHaveCount(0);
    await startRobot(card, simulator);
    await expect(card.settings).toHaveCount(0);
    await expectEnabled(card.direction);
    await stopRobot(card, simulator);
  });

  await test.step("REV and FWD reach the robot and are kept", async () => {
    await expect(card.forward).toBeChecked();
    await card.reverse.click();
    await expectToast(page, "Direction Updated", "Robot direction changed to Reverse.");
    await expect(card.reverse).toBeChecked();
    expect((await simulator.robot("SCR-1002")).applied.direction).toBe("REV");
    await page.reload();
    await expect(card.reverse).toBeChecked();
    // A key, unlike a click, does not wait until the robot has been heard from.
    await expectEnabled(card.direction);
    await card.reverse.focus();
    await page.keyboard.press("ArrowLeft");
    await expectToast(page, "Direction Updated", "Robot direction changed to Forward.");
    await expect(card.forward).toBeChecked();
    expect((await simulator.robot("SCR-1002")).applied.direction).toBe("FWD");
  });

  await test.step("a low battery: Warning with its alert, and Start is refused with the reason", async () => {
    // The browser logs every refused request itself.
    problems.allowFromNow(/status of (409|502|504)/);
    const low = robotCard(page, "SCR-1004");
    await expectStatus(low, "Warning");
    const battery = low.root.getByRole("meter", { name: "Battery" });
    await expect(battery).toHaveAttribute("aria-valuetext", "12 %, low");
    await low.root.getByRole("button", { name: "1 alert" }).click();
    const alerts = page.getByRole("dialog", { name: "Alerts of robot SCR-1004" });
    await expect(alerts.getByRole("listitem")).toContainText(["The battery is low."]);
    await page.keyboard.press("Escape");
    await low.start.click();
    await expectToast(
      page,
      "Control Failed",
      "Failed to send START command to Robot SCR-1004",
      "Robot SCR-1004 refused: its battery is too low.",
    );
    await expectStatus(low, "Warning");
  });
});

test("§4 Button enabling, warning, critical, mock data and offline: Settings is absent, and disabled buttons say why", async ({
  page,
  signIn,
  simulator,
  problems,
  apiAs,
}) => {
  problems.allow(/status of 504/);
  await loseAgain(simulator, await apiAs("admin"), "SCR-1007");
  await signIn(page, "admin");

  for (const { status, site, serial } of [
    { status: "Warning", site: BHADLA, serial: "SCR-1004" },
    { status: "Critical", site: KURNOOL, serial: "SCR-1008" },
  ] as const) {
    await test.step(`${status.toLowerCase()}: Start, Stop and direction are enabled`, async () => {
      await chooseSite(page, site);
      const card = robotCard(page, serial);
      await expectStatus(card, status);
      await expectEnabled(card.start);
      await expectEnabled(card.stop);
      await expectEnabled(card.direction);
      await expect(card.settings).toHaveCount(0);
    });
  }

  await test.step("warning while moving: Start stays disabled, Stop is enabled and stops it", async () => {
    await chooseSite(page, CHARANKA);
    const card = robotCard(page, "SCR-1016");
    await startRobot(card, simulator);
    await simulator.fault("SCR-1016", { kind: "warning", text: "The brush is worn." });
    await expectStatus(card, "Warning");
    await expectDisabled(card.start, "Robot SCR-1016 is already running.");
    await expectEnabled(card.stop);
    await expect(card.settings).toHaveCount(0);
    await card.stop.click();
    await expectTruth(simulator, "SCR-1016", { motion: "STOPPED" });
    await expectEnabled(card.start);
  });

  await test.step("mock data: Start, Stop and direction are disabled and say why", async () => {
    await chooseSite(page, PAVAGADA);
    const card = robotCard(page, "SCR-1007");
    await expect(card.root.getByText("Last reading: Mock")).toBeVisible();
    const reason = "These values are simulated. The robot did not answer.";
    await expectDisabled(card.start, reason);
    await expectDisabled(card.stop, reason);
    await expectDisabled(card.direction, "Robot SCR-1007 is offline.");
    await expect(card.settings).toHaveCount(0);
    await expectEnabled(card.refresh);
  });

  await test.step("offline: Start, Stop and direction are disabled and say why", async () => {
    // A failed status call would show the demo's simulated values instead: here none ends.
    await page.route("**/getRobotStatus**", () => {});
    await chooseSite(page, REWA);
    const card = robotCard(page, "SCR-1010");
    await expectStatus(card, "Idle");
    await simulator.fault("SCR-1010", { kind: "drop-link", forSeconds: 600 });
    await expectStatus(card, "Offline");
    const reason = "Robot SCR-1010 is offline.";
    await expectDisabled(card.start, reason);
    await expectDisabled(card.stop, reason);
    await expectDisabled(card.direction, reason);
    await expect(card.settings).toHaveCount(0);
    await simulator.clear("SCR-1010");
    await expectStatus(card, "Idle");
    await expectEnabled(card.start);
  });
});
