import {
  BHADLA,
  chooseSite,
  endSettleTime,
  expectDisabled,
  expectEnabled,
  expectOnlyToast,
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
import { holdStarts } from "./support/patience.ts";
import { expect, test } from "./support/suncrew.ts";

const UNCONFIRMED = (serial: string) =>
  `Robot ${serial} did not confirm the start within 8 seconds. A Stop was sent to it and is repeated until the robot confirms it.`;

test.beforeEach(({ problems }) => {
  // The browser logs every refused request itself.
  problems.allow(/status of (409|502|504)/);
});

test("§4 Commands, a silent and a deaf robot: Start fails, the robot is offline, the Stop that follows reaches the silent one, the deaf one never moves, and both recover", async ({
  page,
  signIn,
  simulator,
  suncrew,
  held,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  const silent = robotCard(page, "SCR-1010");
  const deaf = robotCard(page, "SCR-1011");
  const startsBefore = new Map<string, number>();
  for (const { serial } of [silent, deaf]) startsBefore.set(serial, await startsOf(simulator, serial));
  await expectStatus(silent, "Idle");
  await expectStatus(deaf, "Idle");
  await simulator.fault("SCR-1010", { kind: "silent" });
  await simulator.fault("SCR-1011", { kind: "deaf" });
  await held.settleTime("START");
  await silent.start.click();
  await deaf.start.click();
  await expectTruth(simulator, "SCR-1010", { motion: "MOVING" });
  // A toast closes by itself: look for both at once.
  await Promise.all([
    endSettleTime(suncrew, "SCR-1010", "SCR-1011"),
    ...[silent, deaf].map(({ serial }) =>
      expectToast(page, "Control Failed", `Failed to send START command to Robot ${serial}`, UNCONFIRMED(serial)),
    ),
  ]);
  await expectStatus(silent, "Offline");
  await expectStatus(deaf, "Offline");
  await expect(silent.root.getByText("STOP pending: sent again until the robot confirms it")).toBeVisible();
  await expectTruth(simulator, "SCR-1010", { motion: "STOPPED" });
  for (const card of [silent, deaf]) {
    await simulator.clear(card.serial);
    await card.refresh.click();
    await expectStatus(card, "Idle");
    await expectEnabled(card.start);
  }
  expect(await startsOf(simulator, "SCR-1010")).toBe((startsBefore.get("SCR-1010") ?? 0) + 1);
  expect((await simulator.robot("SCR-1011")).motion).toBe("STOPPED");
  expect(await startsOf(simulator, "SCR-1011")).toBe(startsBefore.get("SCR-1011"));
});

test("protocol rules 7 and 13, §8 Control Failed: a robot that loses its connection is offline at once; one that refuses keeps its status and its reason is shown; one lost while cleaning may be moving, and its Stop is kept until it returns", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, KAMUTHI);
  const card = robotCard(page, "SCR-1012");

  await test.step("a robot that loses its connection is offline at once, and back when it returns", async () => {
    await expectStatus(card, "Idle");
    await expect(siteFacts(page)).toContainText("2 of 2 robots online");
    await simulator.fault("SCR-1012", { kind: "drop-link", forSeconds: 600 });
    await expectStatus(card, "Offline");
    await expect(siteFacts(page)).toContainText("1 of 2 robots online");
    await simulator.clear("SCR-1012");
    await expectStatus(card, "Idle");
    await expect(siteFacts(page)).toContainText("2 of 2 robots online");
  });

  for (const { code, words } of [
    { code: "REFUSED", words: "it gave no reason" },
    { code: "FAULT", words: "it has a fault" },
  ] as const) {
    await test.step(`a robot that refuses with ${code} keeps its status, and its reason is shown`, async () => {
      const refusing = robotCard(page, "SCR-1014");
      await expectStatus(refusing, "Idle");
      await simulator.clear("SCR-1014");
      await simulator.fault("SCR-1014", { kind: "refuse", code });
      await refusing.start.click();
      await expectToast(
        page,
        "Control Failed",
        "Failed to send START command to Robot SCR-1014",
        `Robot SCR-1014 refused: ${words}.`,
      );
      await expectStatus(refusing, "Idle");
      expect((await simulator.robot("SCR-1014")).motion).toBe("STOPPED");
    });
  }

  await test.step("a robot lost while cleaning may be moving, and its Stop is kept until it returns", async () => {
    const figure = page.getByRole("group", { name: "Fleet figures" }).getByRole("link", { name: "May be moving" });
    await startRobot(card, simulator);
    await simulator.fault("SCR-1012", { kind: "away" });
    await expectTruth(simulator, "SCR-1012", { motion: "MOVING" });
    const words = /^Lost contact while cleaning at .*\d\d:\d\d; may be moving; stops by itself by .*\d\d:\d\d/;
    await expect(card.root.getByText(words)).toBeVisible();
    await expectStatus(card, "May be moving");
    await expect(figure).toHaveText(/^1\s*May be moving$/);
    await expect(siteFacts(page)).toContainText("1 may be moving");
    await expect(siteButton(page, KAMUTHI)).toContainText("1 may be moving");
    const alert = page.getByRole("region", { name: "Attention" }).getByRole("listitem").filter({ hasText: "SCR-1012" });
    await expect(alert.first()).toContainText("May be moving");
    await expect(alert.first()).toContainText("stops by itself by");

    await card.stop.click();
    await expectToast(
      page,
      "Control Failed",
      "Failed to send STOP command to Robot SCR-1012",
      "Robot SCR-1012 is offline. The Stop is stored and delivered when the robot returns.",
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
});

test("protocol rules 5, 6 and 10: a robot that answers after more than 8 s has failed to start and is stopped; one that sends everything twice starts once; malformed messages break nothing", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  const late = robotCard(page, "SCR-1009");
  const malformed = robotCard(page, "SCR-1003");
  const twice = robotCard(page, "SCR-1001");
  await chooseSite(page, KURNOOL);
  await expectStatus(late, "Idle");
  await simulator.fault("SCR-1009", { kind: "late", ms: 9000 });
  const letGo = await holdStarts(page);
  await late.start.click();
  await expect(late.root.getByText("Starting... waiting for the robot")).toBeVisible();
  letGo();

  const malformedBreaksNothing = async () => {
    await chooseSite(page, BHADLA);
    await expectStatus(malformed, "Idle");
    await simulator.fault("SCR-1003", { kind: "malformed", everyMs: 50 });
    await startRobot(malformed, simulator);
    await expect(malformed.root.getByText("0 alerts")).toBeVisible();
    await stopRobot(malformed, simulator);
    await expectDisabled(malformed.stop, "Robot SCR-1003 is already stopped.");
    await simulator.clear("SCR-1003");
  };
  await Promise.all([
    expectToast(page, "Control Failed", "Failed to send START command to Robot SCR-1009", UNCONFIRMED("SCR-1009")),
    test.step(
      "while the late one is awaited, malformed messages among the valid ones break nothing",
      malformedBreaksNothing,
    ),
  ]);

  await test.step("a robot that answered after more than 8 s is stopped", async () => {
    await chooseSite(page, KURNOOL);
    await expectTruth(simulator, "SCR-1009", { motion: "STOPPED" });
    await simulator.clear("SCR-1009");
    await late.refresh.click();
    await expectStatus(late, "Idle");
    await expectEnabled(late.start);
  });

  await test.step("a robot that sends everything twice starts once, and one toast reports it", async () => {
    await chooseSite(page, BHADLA);
    await expectStatus(twice, "Idle");
    // The previous toast has closed.
    await expect(toasts(page)).toHaveCount(0);
    const startsBefore = await startsOf(simulator, "SCR-1001");
    await simulator.fault("SCR-1001", { kind: "twice" });
    await startRobot(twice, simulator);
    await expectOnlyToast(page, "Robot Control", "START command sent to Robot SCR-1001");
    await stopRobot(twice, simulator);
    expect(await startsOf(simulator, "SCR-1001")).toBe(startsBefore + 1);
  });
});
