import type { Page, Request } from "@playwright/test";
import { groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import {
  BHADLA,
  endSettleTime,
  expectDisabled,
  expectEnabled,
  expectToast,
  expectTruth,
  PAVAGADA,
  startsOf,
  toasts,
} from "./support/dashboard.ts";
import { expect, groupCard, siteAddress, test } from "./support/group-fixtures.ts";

const THREE = ["SCR-1001", "SCR-1002", "SCR-1003"];
const ALREADY_RUNNING = "A robot of this group is already running. Start All is possible when none is.";

function cardOf(page: Page, name: string) {
  const root = groupCard(page, name);
  const button = (label: string) => root.getByRole("button", { name: label, exact: true });
  return {
    root,
    startAll: button("Start All"),
    stopAll: button("Stop All"),
    member: (serial: string) =>
      root
        .getByRole("list", { name: `Robots of ${name}`, exact: true })
        .getByRole("listitem")
        .filter({ hasText: serial }),
    result: root.getByRole("region", { name: `Result for ${name}` }),
    badge: (text: string) => root.getByText(text, { exact: true }),
  };
}

const question = (page: Page) => page.getByRole("dialog", { name: /^Start all robots of/ });

/** The group commands that are sent from now on. */
function groupCommandsOf(page: Page): { readonly body: unknown; readonly isAnswered: boolean }[] {
  const sent: { body: unknown; request: Request; isAnswered: boolean }[] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith(groupSendCommand.path)) return;
    sent.push({ body: request.postDataJSON(), request, isAnswered: false });
  });
  page.on("requestfinished", (request) => {
    for (const one of sent) if (one.request === request) one.isAnswered = true;
  });
  return sent;
}

test("§4 Group action, Group status: as partner, Start All asks first and moves every robot, Stop All never asks; warning while some are normal", async ({
  page,
  signIn,
  simulator,
  groups,
}) => {
  const group = await groups.make(BHADLA, "East Row", THREE);
  await signIn(page, "partner", { at: siteAddress(group, "groups") });
  const card = cardOf(page, "East Row");
  const sent = groupCommandsOf(page);
  await expect(card.badge("Online: 3/3")).toBeVisible();
  await expect(card.root).toContainText("3 robots");
  await expectDisabled(card.stopAll, "No robot of this group is running.");
  for (const serial of THREE) await expect(card.member(serial)).toContainText(/Battery \d+ %/);

  await card.startAll.click();
  await expect(question(page)).toContainText("3 robots will move.");
  await expect(question(page)).toContainText(THREE.join(", "));
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await expect(question(page)).toBeHidden();
  await expect(card.startAll).toBeFocused();
  expect(sent).toHaveLength(0);

  await card.startAll.click();
  await question(page).getByRole("button", { name: "Start 3 robots" }).click();
  await expectToast(page, "Group Action Successful", 'Group "East Row": 3 robots started.');
  for (const serial of THREE) {
    await expectTruth(simulator, serial, { motion: "MOVING" });
    await expect(card.member(serial)).toContainText("Cleaning");
  }
  await expect(card.badge("Normal").first()).toBeVisible();
  await expect(card.root).toContainText("3 of 3 cleaning");
  await expectDisabled(card.startAll, ALREADY_RUNNING);
  await expect(card.result).toHaveCount(0);

  await card.stopAll.click();
  await expectToast(page, "Group Action Successful", 'Group "East Row": 3 robots stopped.');
  await expect(page.getByRole("dialog")).toHaveCount(0);
  for (const serial of THREE) await expectTruth(simulator, serial, { motion: "STOPPED" });
  await expect(card.badge("Online: 3/3")).toBeVisible();
  expect(sent.map(({ body }) => body)).toMatchObject([{ command: "START" }, { command: "STOP" }]);

  await test.step("Start All is disabled if any robot is running, Stop All only if none is", async () => {
    await groups.deleteAll();
    await groups.make(BHADLA, "Mixed", ["SCR-1002", "SCR-1003", "SCR-1004"]);
    const mixed = cardOf(page, "Mixed");
    // A robot with a warning counts as neither normal nor idle.
    await expect(mixed.badge("Online: 2/3")).toBeVisible();
    await simulator.clear("SCR-1004");
    await simulator.condition("SCR-1004", { battery: 60 });
    await expect(mixed.badge("Online: 3/3")).toBeVisible();
    await page.getByRole("tab", { name: "Individual Robots" }).click();
    await page.getByRole("article", { name: "SCR-1002" }).getByRole("button", { name: "Start", exact: true }).click();
    await expectTruth(simulator, "SCR-1002", { motion: "MOVING" });
    await page.getByRole("tab", { name: "Group Control" }).click();
    await expect(mixed.root).toContainText("1 of 3 cleaning");
    await expect(mixed.badge("Warning")).toBeVisible();
    await expectDisabled(mixed.startAll, ALREADY_RUNNING);
    await expectEnabled(mixed.stopAll);
    await mixed.stopAll.click();
    await expectToast(page, "Group Action Successful", 'Group "Mixed": 1 of 1 robot stopped. 2 already stopped.');
  });
});

test("§4 Group action outcome: no robot can move, one is offline, one refuses: each is named with its reason, and only those are retried", async ({
  page,
  signIn,
  simulator,
  groups,
  problems,
}) => {
  problems.allow(/status of 504/);
  const gone = await groups.make(PAVAGADA, "Gone", ["SCR-1007"]);
  await signIn(page, "admin", { at: siteAddress(gone, "groups") });
  await test.step("when no robot can move, the confirmation says so and why", async () => {
    const card = cardOf(page, "Gone");
    await expect(card.badge("Online: 0/1")).toBeVisible();
    await card.startAll.click();
    await expect(question(page)).toContainText("No robot will move.");
    await question(page).getByRole("button", { name: "Try anyway" }).click();
    await expectToast(page, "Group Action Failed", 'Group "Gone": 0 of 1 robot started.');
    await expect(card.result.getByRole("listitem")).toContainText("Skipped");
  });

  await groups.deleteAll();
  const serials = ["SCR-1005", "SCR-1006", "SCR-1007"];
  const group = await groups.make(PAVAGADA, "Blocks", serials);
  await simulator.fault("SCR-1006", { kind: "refuse", code: "FAULT" });
  const movesBefore = await startsOf(simulator, "SCR-1005");
  const card = cardOf(page, "Blocks");
  const sent = groupCommandsOf(page);
  await expect(card.badge("Online: 2/3")).toBeVisible();
  await card.startAll.click();
  await expect(question(page)).toContainText("2 robots will move.");
  await expect(question(page)).toContainText("1 robot will be skipped:");
  await expect(question(page)).toContainText("SCR-1007 Robot SCR-1007 is offline.");
  await question(page).getByRole("button", { name: "Start 2 robots" }).click();
  await expectToast(page, "Group Action Partial Success", 'Group "Blocks": 1 of 3 robots started.');
  const results = card.result.getByRole("listitem");
  await expect(results).toHaveCount(2);
  await expect(results.filter({ hasText: "SCR-1006" })).toContainText("Failed");
  await expect(results.filter({ hasText: "SCR-1007" })).toContainText("Skipped");
  await expect(results.filter({ hasText: "SCR-1007" })).toContainText("offline");
  await expectTruth(simulator, "SCR-1005", { motion: "MOVING" });

  await simulator.clear("SCR-1006");
  await simulator.clear("SCR-1007");
  await expect(card.member("SCR-1007")).toContainText("Idle");
  await card.result.getByRole("button", { name: "Start 2 robots again" }).click();
  await expect(question(page)).toContainText("2 robots will move.");
  await expect(question(page)).toContainText("SCR-1006, SCR-1007");
  await question(page).getByRole("button", { name: "Start 2 robots" }).click();
  await expectToast(page, "Group Action Successful", 'Group "Blocks": 2 robots started.');
  await expect(card.result).toHaveCount(0);
  const retried = group.robots.map(({ id }) => id).slice(1);
  expect(sent.map(({ body }) => body)).toEqual([
    { siteId: group.site_id, groupId: group.id, command: "START", mode: "AUTO" },
    { siteId: group.site_id, groupId: group.id, command: "START", mode: "AUTO", robotObjectIds: retried },
  ]);
  expect(await startsOf(simulator, "SCR-1005")).toBe(movesBefore + 1);
  await card.stopAll.click();
  await expectToast(page, "Group Action Successful", 'Group "Blocks": 3 robots stopped.');
});

test("Start All's progress shows in both browsers, and a group that somebody else is starting cannot be started again", async ({
  page,
  openBrowser,
  signIn,
  simulator,
  groups,
  held,
}) => {
  const group = await groups.make(BHADLA, "East Row", ["SCR-1001", "SCR-1002"]);
  await held.settleTime("START");
  await simulator.fault("SCR-1002", { kind: "silent" });
  const other = await openBrowser();
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  await signIn(other, "partner", { at: siteAddress(group, "groups") });
  const [mine, theirs] = [cardOf(page, "East Row"), cardOf(other, "East Row")];
  await expect(theirs.badge("Online: 2/2")).toBeVisible();
  await mine.startAll.click();
  await question(page).getByRole("button", { name: "Start 2 robots" }).click();

  await expect(mine.root).toContainText("Starting 2 robots: 1 confirmed");
  await expect(mine.member("SCR-1001").getByLabel("Confirmed")).toBeVisible();
  await expect(mine.member("SCR-1002").getByLabel("Waiting")).toBeVisible();
  await expect(theirs.root).toContainText("Starting 1 robot");
  await expect(theirs.member("SCR-1001")).toContainText("Cleaning");
  await expect(theirs.member("SCR-1002")).toContainText("Starting... waiting for the robot");
  await expectDisabled(theirs.startAll, "A command of this group is in progress. Wait for the robots' answers.");
  await expectEnabled(theirs.stopAll);

  await simulator.clear("SCR-1002");
  await expectToast(page, "Group Action Successful", 'Group "East Row": 2 robots started.');
  await expect(theirs.root).toContainText("2 of 2 cleaning");
  await expect(toasts(other)).toHaveCount(0);
  await theirs.stopAll.click();
  await expect(mine.root).toContainText("None cleaning");
  await expect(mine.badge("Online: 2/2")).toBeVisible();
});

test("§8, protocol rule 3: a call that fails as a whole says so and can be retried; Stop All for an offline robot stays pending until it returns", async ({
  page,
  signIn,
  simulator,
  groups,
  problems,
}) => {
  problems.allow(/status of 50[34]/);
  const group = await groups.make(BHADLA, "East Row", ["SCR-1001", "SCR-1002"]);
  await signIn(page, "admin", { at: siteAddress(group, "groups") });
  const card = cardOf(page, "East Row");
  await test.step("a call that fails as a whole says so with its reason, and can be retried", async () => {
    const reason = "The robots' broker cannot be reached.";
    const startsBefore = await startsOf(simulator, "SCR-1001");
    await expect(card.badge("Online: 2/2")).toBeVisible();
    await page.route(`**${groupSendCommand.path}`, (route) =>
      route.fulfill({ status: 503, json: { success: false, message: reason } }),
    );
    await card.startAll.click();
    await question(page).getByRole("button", { name: "Start 2 robots" }).click();
    await expectToast(page, "Group Action Failed", 'Failed to send START command to group "East Row"', reason);
    await expect(card.result).toContainText(reason);
    expect(await startsOf(simulator, "SCR-1001")).toBe(startsBefore);
    await page.unroute(`**${groupSendCommand.path}`);
    await card.result.getByRole("button", { name: "Start 2 robots again" }).click();
    await question(page).getByRole("button", { name: "Start 2 robots" }).click();
    await expectToast(page, "Group Action Successful", 'Group "East Row": 2 robots started.');
  });

  await test.step("Stop All for an offline robot is shown as pending, and as done once the robot returns", async () => {
    await simulator.fault("SCR-1002", { kind: "away" });
    await expect(card.member("SCR-1002")).toContainText("Offline");
    await card.stopAll.click();
    await expectToast(
      page,
      "Group Action Partial Success",
      'Group "East Row": 1 of 2 robots stopped.',
      "STOP is stored for 1 robot until confirmed.",
    );
    await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });
    await expect(card.result.getByRole("listitem")).toHaveCount(1);
    await expect(card.result.getByRole("listitem")).toContainText("Pending");
    await expect(card.member("SCR-1002")).toContainText("STOP pending: sent again until the robot confirms it");

    await simulator.clear("SCR-1002");
    await expectTruth(simulator, "SCR-1002", { motion: "STOPPED" });
    await expect(card.result.getByRole("listitem")).toContainText("Has stopped since.");
  });
});

test("§4 Group action outcome, Commands: if no command succeeds the action has failed; Stop All immediately overrides a Start All that is waiting for a silent robot", async ({
  page,
  signIn,
  simulator,
  groups,
  problems,
  suncrew,
  held,
}) => {
  problems.allow(/status of 504/);
  const stubborn = await groups.make(BHADLA, "Stubborn", ["SCR-1002", "SCR-1003"]);
  for (const serial of ["SCR-1002", "SCR-1003"]) await simulator.fault(serial, { kind: "refuse", code: "FAULT" });
  await signIn(page, "admin", { at: siteAddress(stubborn, "groups") });
  await test.step("if no command succeeds the action has failed, and the group is as before", async () => {
    const card = cardOf(page, "Stubborn");
    await expect(card.badge("Online: 2/2")).toBeVisible();
    await card.startAll.click();
    await question(page).getByRole("button", { name: "Start 2 robots" }).click();
    await expectToast(page, "Group Action Failed", 'Group "Stubborn": 0 of 2 robots started.');
    await expect(card.result.getByRole("listitem")).toHaveCount(2);
    await expect(card.badge("Online: 2/2")).toBeVisible();
    await expect(card.root).toContainText("None cleaning");
    await expectEnabled(card.startAll);
    await expectDisabled(card.stopAll, "No robot of this group is running.");
    await card.result.getByRole("button", { name: "Close result" }).click();
    await expect(card.result).toHaveCount(0);
    await expect(card.root).toBeFocused();
    // Later this message must not be shown.
    await expect(toasts(page).getByText("Group Action Failed")).toHaveCount(0);
  });

  await test.step("Stop All overrides it, and no robot moves afterwards", async () => {
    await groups.deleteAll();
    for (const serial of ["SCR-1002", "SCR-1003"]) await simulator.clear(serial);
    await simulator.fault("SCR-1002", { kind: "deaf" });
    await groups.make(BHADLA, "East Row", ["SCR-1001", "SCR-1002"]);
    const card = cardOf(page, "East Row");
    const sent = groupCommandsOf(page);
    await held.settleTime("START");
    await held.settleTime("STOP");
    await card.startAll.click();
    await question(page).getByRole("button", { name: "Start 2 robots" }).click();
    await expect(card.root).toContainText("Starting 2 robots: 1 confirmed");
    await card.stopAll.click();
    await expect.poll(() => simulator.robot("SCR-1001"), { intervals: [50] }).toMatchObject({ motion: "STOPPED" });
    expect(sent.map(({ body }) => body)).toMatchObject([{ command: "START" }, { command: "STOP" }]);
    // The robot is stopped, while the deaf one is still awaited.
    expect(sent[1]).toMatchObject({ isAnswered: false });
    await endSettleTime(suncrew, "SCR-1002");
    await expectToast(page, "Group Action Partial Success", /Group "East Row": 1 of 2 robots stopped\..*/);
    // The Start that was overridden shows no further message.
    await expect(toasts(page).getByText("Group Action Failed")).toHaveCount(0);
    await expect(card.result).toContainText("SCR-1002");
    await simulator.clear("SCR-1002");
    await expectTruth(simulator, "SCR-1002", { motion: "STOPPED" });
    await expect(card.result.getByRole("listitem")).toContainText("Has stopped since.");
  });
});
