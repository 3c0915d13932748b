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
import { expect, test } from "./support/suncrew.ts";

const IN_PROGRESS = "A command is in progress. Wait for the robot's answer.";

test("§4 Button enabling, idle: Start, direction and Settings can be pressed, Stop cannot and says why", async ({
  page,
  signIn,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");
  await expectStatus(card, "Idle");
  await expectEnabled(card.start);
  await expectEnabled(card.direction);
  await expectEnabled(card.settings);
  await expectEnabled(card.refresh);
  const reason = "Robot SCR-1001 is already standing still.";
  await expectDisabled(card.stop, reason);
  await card.stop.hover();
  await expect(page.getByRole("tooltip").filter({ hasText: reason })).toBeVisible();
  // Pressed all the same, it does nothing.
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await card.stop.dispatchEvent("click");
  await card.stop.press("Enter");
  expect(sent.filter((url) => url.includes("send_command"))).toEqual([]);
});

test("§4 Button enabling, normal: Stop, direction and Settings can be pressed, Start cannot and says why", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");
  await startRobot(card, simulator);
  await expectDisabled(card.start, "Robot SCR-1001 is already running.");
  await expectEnabled(card.stop);
  await expectEnabled(card.direction);
  await expectEnabled(card.settings);
  await stopRobot(card, simulator);
});

test("§6 PARTNER has no settings button, whatever the robot does", async ({ page, signIn, simulator }) => {
  await signIn(page, "partner");
  const card = robotCard(page, "SCR-1002");
  await expectStatus(card, "Idle");
  await expect(card.settings).toHaveCount(0);
  await startRobot(card, simulator);
  await expect(card.settings).toHaveCount(0);
  await expectEnabled(card.direction);
  await stopRobot(card, simulator);
});

for (const { status, site, serial } of [
  { status: "Warning", site: BHADLA, serial: "SCR-1004" },
  { status: "Critical", site: KURNOOL, serial: "SCR-1008" },
] as const) {
  test(`§4 Button enabling, ${status.toLowerCase()}: Start, Stop and direction can be pressed, Settings is absent`, async ({
    page,
    signIn,
  }) => {
    await signIn(page, "admin");
    await chooseSite(page, site);
    const card = robotCard(page, serial);
    await expectStatus(card, status);
    await expectEnabled(card.start);
    await expectEnabled(card.stop);
    await expectEnabled(card.direction);
    await expect(card.settings).toHaveCount(0);
  });
}

test("§4 Button enabling, warning while moving: Start stays disabled, Stop can be pressed and stops it", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
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

test("§4 Button enabling, offline: Start, Stop and direction are disabled and say why, Settings is absent", async ({
  page,
  signIn,
  simulator,
}) => {
  // A status call that failed would show the demo's simulated values instead: here none ends.
  await page.route("**/getRobotStatus**", () => {});
  await signIn(page, "admin");
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

test("§4 Button enabling, mock data: Start, Stop and direction are disabled and say why, Settings is absent", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/status of 504/);
  await signIn(page, "admin");
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

test("§4 Button enabling, a START in progress: Start is disabled and says why; Stop takes over (protocol rule 3)", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1003");
  await expectStatus(card, "Idle");
  await simulator.fault("SCR-1003", { kind: "late", ms: 5000 });
  await card.start.click();
  await expect(card.root.getByText("Starting... waiting for the robot")).toBeVisible();
  await expectDisabled(card.start, IN_PROGRESS);
  await expectEnabled(card.stop);
  await expectToast(page, "Robot Control", "START command sent to Robot SCR-1003");
  await expectStatus(card, "Normal");

  await card.stop.click();
  await expect(card.root.getByText("Stopping... waiting for the robot")).toBeVisible();
  await expectDisabled(card.start, IN_PROGRESS);
  await expectDisabled(card.stop, IN_PROGRESS);
  await expectStatus(card, "Idle");
  await expectTruth(simulator, "SCR-1003", { motion: "STOPPED" });
});
