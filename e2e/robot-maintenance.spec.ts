import type { Locator, Page } from "@playwright/test";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { ApiClient } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import {
  BHADLA,
  chooseSite,
  expectDisabled,
  expectEnabled,
  expectStatus,
  expectToast,
  expectToastsGone,
  expectTruth,
  REWA,
  robotCard,
  startRobot,
  startsOf,
  stopRobot,
} from "./support/dashboard.ts";
import type { RobotCard } from "./support/dashboard.ts";
import { expect, groupCard, siteAddress, test } from "./support/group-fixtures.ts";

const NO_ISOLATION = "This lock does not replace isolating the machine.";
const CONFIRMED = "confirmed by the robot";
const UNCONFIRMED = "not confirmed by the robot";

/** The parts of a robot's maintenance dialog that a person uses. */
function lockOf(page: Page, { root, serial }: RobotCard) {
  const lockDialog = page.getByRole("dialog", { name: `Maintenance: ${serial}` });
  const releaseDialog = page.getByRole("dialog", { name: `Exit maintenance: ${serial}` });
  return {
    enter: root.getByRole("button", { name: "Maintenance", exact: true }),
    exit: root.getByRole("button", { name: "Exit Maintenance" }),
    note: root.getByRole("group", { name: "Maintenance lock" }),
    lockDialog,
    reason: lockDialog.getByLabel("Reason"),
    lock: lockDialog.getByRole("button", { name: "Put in Maintenance" }),
    releaseDialog,
    release: releaseDialog.getByRole("button", { name: "Release Without Starting" }),
    releaseAndStart: releaseDialog.getByRole("button", { name: "Release and Start" }),
    cancel: releaseDialog.getByRole("button", { name: "Cancel" }),
  };
}

async function lockRobot(page: Page, card: RobotCard, reason: string): Promise<void> {
  const parts = lockOf(page, card);
  await parts.enter.click();
  await parts.reason.fill(reason);
  await parts.lock.click();
}

/** Locks through the API, for tests about what comes after. */
async function changeLock(api: ApiClient, siteId: number, serial: string, enabled: boolean): Promise<void> {
  const { robots } = await api.call(robotDetailsWithSettings, { params: { siteId } });
  const robotId = robots.find((robot) => robot.serial_number === serial)?.robot_id ?? 0;
  const body = enabled ? { enabled, reason: "Brush change" } : { enabled };
  await api.call(robotMaintenance, { params: { robotId }, body });
}

const results = (dialog: Locator): Locator => dialog.getByRole("list", { name: "Results" }).getByRole("listitem");

test.beforeEach(({ problems }) => {
  // The browser logs every refused request itself.
  problems.allow(/status of (409|502|504)/);
});

test("protocol rule 8: Maintenance asks for a reason, explains its effect, and locks; another browser shows it at once", async ({
  page,
  openBrowser,
  signIn,
  simulator,
}) => {
  const other = await openBrowser();
  await signIn(other, "partner");
  await chooseSite(other, BHADLA);
  const seen = robotCard(other, "SCR-1002");
  await expectStatus(seen, "Idle");
  await signIn(page, "admin");
  await chooseSite(page, BHADLA);
  const card = robotCard(page, "SCR-1002");
  await expectStatus(card, "Idle");
  const parts = lockOf(page, card);
  await parts.enter.click();
  await expect(parts.reason).toBeFocused();
  await expect(parts.lockDialog).toContainText(
    "every Start, by hand, group or schedule, is refused until it is released",
  );
  await expect(parts.lockDialog).toContainText(NO_ISOLATION);
  await parts.reason.fill("   ");
  await parts.lock.click();
  await expect(parts.lockDialog).toContainText("Please enter a reason.");
  expect((await simulator.robot("SCR-1002")).mode).not.toBe("MAINTENANCE");
  await parts.reason.fill("Gearbox check");
  await parts.lock.click();
  await expectToast(page, "Robot Control", "Robot SCR-1002 switched to maintenance mode");
  await expect(parts.lockDialog).toBeHidden();
  expect((await simulator.robot("SCR-1002")).mode).toBe("MAINTENANCE");
  for (const [shown, browser] of [
    [card, page],
    [seen, other],
  ] as const) {
    await expectStatus(shown, "Maintenance");
    await expectStatus(shown, "Offline");
    await expect(shown.root).toContainText("In maintenance, connected");
    await expect(lockOf(browser, shown).note).toHaveText(
      /^Gearbox checkLocked by Vikram Mehta, (just now|\d+ s ago)confirmed by the robot$/,
    );
    await expectDisabled(shown.start, "Robot SCR-1002 is in maintenance.");
    await expectDisabled(shown.stop, "Robot SCR-1002 is in maintenance.");
  }

  // Somebody other than the person who locked it may release it; nothing moves.
  const theirs = lockOf(other, seen);
  const startsBefore = await startsOf(simulator, "SCR-1002");
  await theirs.exit.click();
  await expect(theirs.releaseDialog).toContainText("robot SCR-1002 will move as soon as it has confirmed the release");
  await expect(theirs.releaseDialog).toContainText("Gearbox check");
  await expect(theirs.cancel).toBeFocused();
  await theirs.cancel.click();
  await expectStatus(seen, "Maintenance");
  await theirs.exit.click();
  await theirs.release.click();
  await expectToast(other, "Robot Control", "Robot SCR-1002 left maintenance mode");
  await expectStatus(card, "Idle");
  await expectEnabled(card.start);
  await expect(parts.note).toHaveCount(0);
  await expectTruth(simulator, "SCR-1002", { motion: "STOPPED" });
  expect((await simulator.robot("SCR-1002")).mode).not.toBe("MAINTENANCE");
  expect(await startsOf(simulator, "SCR-1002")).toBe(startsBefore);
});

test("protocol rule 8, §9 Themes: a lock stops a robot that is cleaning, Release and Start lets it clean again; a failed start says why; both dialogs are accessible, and fit on a phone", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  const fits = async () =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await test.step("a lock stops a robot that is cleaning; Release and Start lets it clean again", async () => {
    const card = robotCard(page, "SCR-1010");
    await expectStatus(card, "Idle");
    await startRobot(card, simulator);
    const parts = lockOf(page, card);
    await parts.enter.click();
    await expect(parts.lockDialog).toContainText("One robot is cleaning now, and is stopped.");
    await parts.reason.fill("Noise from the brush");
    await parts.lock.click();
    await expectToast(page, "Robot Control", "Robot SCR-1010 switched to maintenance mode");
    await expectTruth(simulator, "SCR-1010", { motion: "STOPPED", mode: "MAINTENANCE" });

    await page.setViewportSize({ width: 360, height: 780 });
    await expect(parts.note).toBeVisible();
    await expectAccessible(page);
    await parts.exit.click();
    await expect(parts.cancel).toBeFocused();
    await fits();
    await expectAccessible(page, parts.releaseDialog);
    await parts.releaseAndStart.click();
    await expectToast(
      page,
      "Robot Control",
      "Robot SCR-1010 left maintenance mode",
      "START command sent to Robot SCR-1010",
    );
    await expectTruth(simulator, "SCR-1010", { motion: "MOVING" });
    await expectStatus(card, "Normal");
    await expect(parts.releaseDialog).toBeHidden();
    await stopRobot(card, simulator);
  });

  await test.step("a start that fails after the release says why, and the message stays until it is closed", async () => {
    const card = robotCard(page, "SCR-1011");
    await expectStatus(card, "Idle");
    const parts = lockOf(page, card);
    await parts.enter.click();
    await expect(parts.reason).toBeVisible();
    await parts.lock.click();
    await expect(parts.lockDialog).toContainText("Please enter a reason.");
    await fits();
    await expectAccessible(page, parts.lockDialog);
    await parts.reason.fill("Cable check");
    await parts.lock.click();
    await simulator.fault("SCR-1011", { kind: "refuse", code: "BATTERY_LOW", verbs: ["START"] });
    await parts.exit.click();
    await parts.releaseAndStart.click();
    const reason = "Robot SCR-1011 refused: its battery is too low.";
    await expectToast(page, "Control Failed", "Failed to send START command to Robot SCR-1011", reason);
    await expect(parts.releaseDialog).toContainText("Robot SCR-1011 was released. Its start did not succeed.");
    await expect(parts.releaseDialog).toContainText(reason);
    await expectToastsGone(page);
    await parts.releaseDialog.getByRole("button", { name: "Close" }).last().click();
    await expectStatus(card, "Idle");
    await expectEnabled(parts.enter);
  });
});

test("protocol rule 8: a robot locked on its own side refuses Start and does not move; an offline one is locked, not confirmed, cannot be released, and confirms when it returns", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/status of 409/);
  await signIn(page, "admin");
  await test.step("locked on its own side it refuses Start with its reason", async () => {
    // A press of Refresh while the robot is being polled anyway reports nothing.
    const polled = page.waitForResponse(/getRobotStatus\?robotId=SCR-1011/);
    await chooseSite(page, REWA);
    const card = robotCard(page, "SCR-1011");
    await expectStatus(card, "Idle");
    await polled;
    await expect(card.refresh).toHaveAttribute("aria-busy", "false");
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

  await test.step("while offline it is locked, not confirmed, and confirms when it returns", async () => {
    const card = robotCard(page, "SCR-1010");
    await expectStatus(card, "Idle");
    await simulator.fault("SCR-1010", { kind: "away" });
    await expectStatus(card, "Offline");
    await lockRobot(page, card, "Motor change");
    await expectToast(
      page,
      "Robot Control",
      "Robot SCR-1010 switched to maintenance mode",
      "Robot SCR-1010 is locked, not confirmed by the robot: it is offline. The lock is delivered when it returns.",
    );
    const parts = lockOf(page, card);
    await expect(parts.note).toContainText(UNCONFIRMED);
    await expect(card.root).toContainText("Maintenance lock not confirmed by the robot, not connected");
    await parts.exit.click();
    await parts.release.click();
    await expectToast(
      page,
      "Control Failed",
      "Failed to send EXIT MAINTENANCE command to Robot SCR-1010",
      /.*SCR-1010.*/,
    );
    await expect(parts.releaseDialog).toBeVisible();
    // A toast that appears under the pointer stays until the pointer leaves it.
    await expectToastsGone(page);
    await parts.cancel.click();
    await expectStatus(card, "Maintenance");

    await simulator.clear("SCR-1010");
    await expectTruth(simulator, "SCR-1010", { mode: "MAINTENANCE" });
    await expect(parts.note.getByText(CONFIRMED, { exact: true })).toBeVisible();
    await expect(card.root).toContainText("In maintenance, connected");
    await parts.exit.click();
    await parts.release.click();
    await expectToast(page, "Robot Control", "Robot SCR-1010 left maintenance mode");
    await expectStatus(card, "Idle");
  });
});

test("§2 Group Control, Maintenance: every member is locked and released, and each result is shown", async ({
  page,
  signIn,
  groups,
  apiAs,
  simulator,
}) => {
  const group = await groups.make(REWA, "Both rows", ["SCR-1010", "SCR-1011"]);
  const admin = await apiAs("admin");
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  const card = groupCard(page, "Both rows");
  const dialog = page.getByRole("dialog", { name: "Maintenance: Both rows" });
  const button = (name: string) => dialog.getByRole("button", { name, exact: true });
  await card.getByRole("button", { name: "Maintenance", exact: true }).click();
  await expect(dialog).toContainText(NO_ISOLATION);
  await dialog.getByLabel("Reason").fill("Panels are repaired");
  await button("Put 2 robots in Maintenance").click();
  await expectToast(page, "Group Action Successful", /.+/);
  for (const serial of ["SCR-1010", "SCR-1011"]) await expectTruth(simulator, serial, { mode: "MAINTENANCE" });
  await expect(card.getByRole("button", { name: "Exit Maintenance" })).toBeVisible();

  await changeLock(admin, group.site_id, "SCR-1010", false);
  await card.getByRole("button", { name: "Maintenance", exact: true }).click();
  await expect(dialog.getByRole("radio", { name: "Lock 1 robot" })).toBeChecked();
  await dialog.getByText("Release 1 robot", { exact: true }).click();
  await expect(dialog).toContainText("Panels are repaired");
  await expect(dialog).toContainText("1 robot will move as soon as it has confirmed the release");
  await button("Release Without Starting").click();
  await expectToast(page, "Group Action Partial Success", /.+/);
  await expect(results(dialog)).toHaveText([/^SCR-1010Skipped.*not in maintenance/, /^SCR-1011Done/]);
  await expectTruth(simulator, "SCR-1011", { motion: "STOPPED" });
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await simulator.fault("SCR-1011", { kind: "away" });
  await expect(card).toContainText("Online: 1/2");
  await card.getByRole("button", { name: "Maintenance", exact: true }).click();
  await dialog.getByLabel("Reason").fill("Storm");
  await button("Put 2 robots in Maintenance").click();
  await expect(results(dialog)).toHaveText([/^SCR-1011Pending.*not confirmed by the robot/, /^SCR-1010Done/]);
  await simulator.clear("SCR-1011");
  await expect(results(dialog)).toHaveText([/^SCR-1011Done.*confirmed/, /^SCR-1010Done/]);
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await card.getByRole("button", { name: "Exit Maintenance" }).click();
  await expect(dialog).toContainText("2 robots will move as soon as each has confirmed the release");
  await button("Release and Start").click();
  await expectToast(page, "Group Action Successful", /.+/);
  for (const serial of ["SCR-1010", "SCR-1011"]) await expectTruth(simulator, serial, { motion: "MOVING" });
  await card.getByRole("button", { name: "Stop All" }).click();
  for (const serial of ["SCR-1010", "SCR-1011"]) await expectTruth(simulator, serial, { motion: "STOPPED" });
});
