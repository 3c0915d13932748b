import {
  chooseSite,
  endSettleTime,
  expectDisabled,
  expectEnabled,
  expectStatus,
  expectToast,
  expectTruth,
  KAMUTHI,
  KURNOOL,
  REWA,
  robotCard,
  siteButton,
  startRobot,
  siteFacts,
  startsOf,
  stopRobot,
  toasts,
} from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const UNCONFIRMED = (serial: string) =>
  `Robot ${serial} did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.`;

test.beforeEach(({ problems }) => {
  // The browser itself notes every answer that is a refusal.
  problems.allow(/status of (409|502|504)/);
});

test("§4 Commands, a silent robot: Start fails, the robot is offline, and the Stop that follows reaches it", async ({
  page,
  signIn,
  simulator,
  suncrew,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  const card = robotCard(page, "SCR-1010");
  await expectStatus(card, "Idle");
  const startsBefore = await startsOf(simulator, "SCR-1010");
  await simulator.fault("SCR-1010", { kind: "silent" });
  await card.start.click();
  await expectTruth(simulator, "SCR-1010", { motion: "MOVING" });
  await endSettleTime(suncrew, "SCR-1010");
  await expectToast(page, "Control Failed", "Failed to send START command to Robot SCR-1010", UNCONFIRMED("SCR-1010"));
  await expectStatus(card, "Offline");
  await expect(card.root.getByText("STOP pending: sent again until the robot confirms it")).toBeVisible();
  await expectTruth(simulator, "SCR-1010", { motion: "STOPPED" });
  await simulator.clear("SCR-1010");
  await card.refresh.click();
  await expectStatus(card, "Idle");
  await expectEnabled(card.start);
  expect(await startsOf(simulator, "SCR-1010")).toBe(startsBefore + 1);
});

test("§4 Commands, a deaf robot: Start fails, the robot never moves, and it recovers", async ({
  page,
  signIn,
  simulator,
  suncrew,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  const card = robotCard(page, "SCR-1011");
  await expectStatus(card, "Idle");
  const startsBefore = await startsOf(simulator, "SCR-1011");
  await simulator.fault("SCR-1011", { kind: "deaf" });
  await card.start.click();
  await endSettleTime(suncrew, "SCR-1011");
  await expectToast(page, "Control Failed", "Failed to send START command to Robot SCR-1011", UNCONFIRMED("SCR-1011"));
  await expectStatus(card, "Offline");
  await simulator.clear("SCR-1011");
  await card.refresh.click();
  await expectStatus(card, "Idle");
  await expectEnabled(card.start);
  expect((await simulator.robot("SCR-1011")).motion).toBe("STOPPED");
  expect(await startsOf(simulator, "SCR-1011")).toBe(startsBefore);
});

test("protocol rule 7: a robot whose link drops is offline at once, and back when it returns", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, KAMUTHI);
  const card = robotCard(page, "SCR-1012");
  await expectStatus(card, "Idle");
  await expect(siteFacts(page)).toContainText("2 of 2 robots online");
  await simulator.fault("SCR-1012", { kind: "drop-link", forSeconds: 600 });
  await expectStatus(card, "Offline");
  await expect(siteFacts(page)).toContainText("1 of 2 robots online");
  await simulator.clear("SCR-1012");
  await expectStatus(card, "Idle");
  await expect(siteFacts(page)).toContainText("2 of 2 robots online");
});

test("protocol rule 13: a robot lost while it cleans may be moving, and a Stop is kept until it is back", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, KAMUTHI);
  const card = robotCard(page, "SCR-1012");
  const figure = page.getByRole("group", { name: "Fleet figures" }).getByRole("button", { name: "May be moving" });
  await expectStatus(card, "Idle");
  await startRobot(card, simulator);
  await simulator.fault("SCR-1012", { kind: "away" });
  await expectTruth(simulator, "SCR-1012", { motion: "MOVING" });
  const words = /^Lost contact while cleaning at .*\d\d:\d\d; may be moving; stops by itself by .*\d\d:\d\d/;
  await expect(card.root.getByText(words)).toBeVisible();
  await expectStatus(card, "May be moving");
  await expect(figure).toHaveText(/^1\s*May be moving$/);
  await expect(siteFacts(page)).toContainText("1 may be moving");
  await expect(siteButton(page, KAMUTHI)).toContainText("1 may be moving");
  const alert = page.getByRole("region", { name: "Alerts" }).getByRole("listitem").filter({ hasText: "SCR-1012" });
  await expect(alert.first()).toContainText("Critical");
  await expect(alert.first()).toContainText("may be moving");

  await card.stop.click();
  await expectToast(
    page,
    "Control Failed",
    "Failed to send STOP command to Robot SCR-1012",
    "Robot SCR-1012 is away. The Stop is kept and delivered when the robot returns.",
  );
  await expect(
    card.root.getByText(/may be moving; .* STOP pending: sent again until the robot confirms it$/),
  ).toBeVisible();
  await expectEnabled(card.stop);

  await simulator.clear("SCR-1012");
  await expectTruth(simulator, "SCR-1012", { motion: "STOPPED" });
  await expectStatus(card, "Idle");
  await expect(figure).toHaveCount(0);
  await expect(alert).toHaveCount(0);
});

for (const { code, words } of [
  { code: "REFUSED", words: "it gave no reason" },
  { code: "FAULT", words: "it has a fault" },
] as const) {
  test(`§8 Control Failed: a robot that refuses with ${code} keeps its status, and its reason is told`, async ({
    page,
    signIn,
    simulator,
  }) => {
    await signIn(page, "admin");
    await chooseSite(page, KAMUTHI);
    const card = robotCard(page, "SCR-1014");
    await expectStatus(card, "Idle");
    await simulator.fault("SCR-1014", { kind: "refuse", code });
    await card.start.click();
    await expectToast(
      page,
      "Control Failed",
      "Failed to send START command to Robot SCR-1014",
      `Robot SCR-1014 refused: ${words}.`,
    );
    await expectStatus(card, "Idle");
    expect((await simulator.robot("SCR-1014")).motion).toBe("STOPPED");
  });
}

test("protocol rule 6: a robot that answers later than 8 s has failed to start, and is stopped", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, KURNOOL);
  const card = robotCard(page, "SCR-1009");
  await expectStatus(card, "Idle");
  await simulator.fault("SCR-1009", { kind: "late", ms: 9000 });
  await card.start.click();
  await expectToast(page, "Control Failed", "Failed to send START command to Robot SCR-1009", UNCONFIRMED("SCR-1009"));
  await expectTruth(simulator, "SCR-1009", { motion: "STOPPED" });
  await simulator.clear("SCR-1009");
  await card.refresh.click();
  await expectStatus(card, "Idle");
  await expectEnabled(card.start);
});

test("protocol rule 5: a robot that says everything twice starts once, and one toast tells it", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");
  await expectStatus(card, "Idle");
  const startsBefore = await startsOf(simulator, "SCR-1001");
  await simulator.fault("SCR-1001", { kind: "twice" });
  await startRobot(card, simulator);
  await expect(toasts(page)).toHaveCount(1);
  await stopRobot(card, simulator);
  expect(await startsOf(simulator, "SCR-1001")).toBe(startsBefore + 1);
});

test("protocol rule 10: malformed messages beside the proper ones break nothing", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1003");
  await expectStatus(card, "Idle");
  await simulator.fault("SCR-1003", { kind: "malformed", everyMs: 50 });
  await startRobot(card, simulator);
  await expect(card.root.getByText("0 alerts")).toBeVisible();
  await stopRobot(card, simulator);
  await expectDisabled(card.stop, "Robot SCR-1003 is already standing still.");
});
