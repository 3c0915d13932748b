import type { Page } from "@playwright/test";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import {
  BHADLA,
  chooseSite,
  endSettleTime,
  expectStatus,
  expectTruth,
  PAVAGADA,
  REWA,
  robotCard,
  startRobot,
  stopRobot,
} from "./support/dashboard.ts";
import { deliverPendingStop } from "./support/leftovers.ts";
import type { SimulatorControl } from "./support/simulator.ts";
import { expect, test } from "./support/suncrew.ts";

const stopAll = (page: Page) => page.getByRole("button", { name: /^Stop all at Bhadla/ });
const panel = (page: Page, site: string) => page.getByRole("dialog", { name: `Stop all robots: ${site}` });
const resultOf = (page: Page, serial: string) =>
  page.getByRole("list", { name: "Result for each robot" }).getByRole("listitem").filter({ hasText: serial });

/**
 * What the panel says of that many robots that moved, and of those that stood. A Stop goes out without the database if
 * that is slow: then it is not known of any robot whether it moved, and all of them have been stopped.
 */
function stoppedText({ stopped, of = stopped, stood }: { stopped: number; of?: number; stood: number }): RegExp {
  const robots = (count: number) => (count === 1 ? "1 robot" : `${count} robots`);
  const known = of === 0 ? `${robots(stood)} already` : `${stopped} of ${robots(of)} stopped\\. ${stood} already`;
  return new RegExp(`^(${known} stopped|${stopped + stood} of ${robots(of + stood)} stopped)\\.`);
}

/** Starts a robot of Bhadla through the API. */
async function startByCall(api: ApiClient, simulator: SimulatorControl, serial: string): Promise<void> {
  const site = (await api.call(siteDetails, {})).find(({ name }) => name === BHADLA);
  const siteId = site?.id ?? 0;
  const robot = (await api.call(robotsList, { params: { siteId } })).find((one) => one.serial_number === serial);
  await api.call(sendCommand, { body: { robotId: serial, robotObjectId: robot?.id ?? 0, siteId, command: "START" } });
  await expectTruth(simulator, serial, { motion: "MOVING" });
}

async function closePanel(page: Page, site: string): Promise<void> {
  await panel(page, site).getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(panel(page, site)).toBeHidden();
}

/** Stops all robots of Bhadla, while a robot of another site keeps cleaning. */
async function stopOneSiteOfTwo(
  page: Page,
  simulator: SimulatorControl,
  elsewhere: { readonly site: string; readonly serial: string },
  lookAtResult = async (): Promise<void> => {},
): Promise<void> {
  await chooseSite(page, elsewhere.site);
  await startRobot(robotCard(page, elsewhere.serial), simulator);
  await chooseSite(page, BHADLA);
  for (const serial of ["SCR-1001", "SCR-1003"]) await startRobot(robotCard(page, serial), simulator);
  await stopAll(page).click();
  for (const serial of ["SCR-1001", "SCR-1003"]) await expectTruth(simulator, serial, { motion: "STOPPED" });
  await expect(panel(page, BHADLA).getByText(stoppedText({ stopped: 2, stood: 2 }))).toBeVisible();
  await lookAtResult();
  for (const [serial, words] of [
    ["SCR-1001", "Has stopped."],
    ["SCR-1002", "Already stopped."],
    ["SCR-1003", "Has stopped."],
    ["SCR-1004", "Already stopped."],
  ] as const) {
    await expect(resultOf(page, serial)).toContainText("Done");
    await expect(resultOf(page, serial)).toContainText(words);
  }
  await closePanel(page, BHADLA);
  await expect(stopAll(page)).toBeFocused();
  expect(await simulator.robot(elsewhere.serial)).toMatchObject({ motion: "MOVING" });
  // By its own Stop: another robot of that site is offline, and a Stop for it would stay pending in later tests.
  await chooseSite(page, elsewhere.site);
  await stopRobot(robotCard(page, elsewhere.serial), simulator);
}

test("Stop everything: as admin, one press stops every robot of the site without asking, and of no other; a Stop that could not be sent, or waits for a silent robot, can be sent again", async ({
  page,
  signIn,
  simulator,
  problems,
  suncrew,
  held,
}) => {
  problems.allow(/status of 504/);
  problems.allow(/Failed to load resource/);
  await signIn(page, "admin");
  await stopOneSiteOfTwo(page, simulator, { site: REWA, serial: "SCR-1010" });

  await test.step("a Stop that could not be sent says so and why, and can be sent again from there", async () => {
    await chooseSite(page, BHADLA);
    await startRobot(robotCard(page, "SCR-1001"), simulator);
    await page.route(`**${siteStop.path}`, (route) => route.abort());
    await stopAll(page).click();
    await expect(panel(page, BHADLA)).toContainText("The Stop could not be sent. The server could not be reached.");
    await page.unroute(`**${siteStop.path}`);
    await page.getByRole("button", { name: "Stop all again" }).click();
    await expectTruth(simulator, "SCR-1001", { motion: "STOPPED" });
    await expect(panel(page, BHADLA).getByText(stoppedText({ stopped: 1, stood: 3 }))).toBeVisible();
    await closePanel(page, BHADLA);
  });

  await test.step("while a silent robot is awaited, the others' progress is shown, and a second press sends the Stop again", async () => {
    await startRobot(robotCard(page, "SCR-1003"), simulator);
    await simulator.fault("SCR-1002", { kind: "silent" });
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().endsWith(siteStop.path)) sent += 1;
    });
    await held.settleTime("STOP");
    await stopAll(page).click();
    const awaited = page.getByRole("list", { name: "Robots being stopped" }).getByRole("listitem");
    await expect(awaited).toHaveCount(4);
    await expect(awaited.filter({ hasText: "SCR-1003" })).toContainText("Idle");
    await expect(awaited.filter({ hasText: "SCR-1002" })).toContainText("Stopping... waiting for the robot");
    await expectTruth(simulator, "SCR-1003", { motion: "STOPPED" });
    await endSettleTime(suncrew, "SCR-1002");
    await expect(resultOf(page, "SCR-1002")).toContainText("Pending");
    await simulator.clear("SCR-1002");
    await page.getByRole("button", { name: "Stop all again" }).click();
    await expect(panel(page, BHADLA).getByText(stoppedText({ stopped: 0, stood: 4 }))).toBeVisible();
    expect(sent).toBe(2);
  });
});

test("Stop everything, 360 and 390 px: it stays under the thumb wherever the robots are scrolled to; as partner, one press stops every robot of the site, and of no other", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/status of 504/);
  await page.setViewportSize({ width: 390, height: 780 });
  await signIn(page, "partner");
  await expect(page.getByRole("article")).toHaveCount(4);
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 780 });
    for (const serial of ["SCR-1001", "SCR-1004"]) {
      await robotCard(page, serial).root.scrollIntoViewIfNeeded();
      const box = await stopAll(page).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect(box?.width).toBeGreaterThanOrEqual(width * 0.75);
      // In the lower half, and completely visible.
      expect(box?.y).toBeGreaterThan(390);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(780);
    }
  }
  await stopOneSiteOfTwo(page, simulator, { site: PAVAGADA, serial: "SCR-1005" }, async () => {
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 780 });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
  });
});

test("fleet stop: one press on any page stops every robot of every site without asking, and tells each site's result", async ({
  page,
  signIn,
  simulator,
  standing,
  problems,
}) => {
  problems.allow(/status of 504/);
  await signIn(page, "admin");
  for (const [site, serial] of [
    [BHADLA, "SCR-1001"],
    [REWA, "SCR-1010"],
  ] as const) {
    await chooseSite(page, site);
    await startRobot(robotCard(page, serial), simulator);
  }
  await page.getByRole("link", { name: "Robots", exact: true }).click();
  await page.getByRole("button", { name: "Stop fleet (2)" }).click();
  for (const serial of ["SCR-1001", "SCR-1010"]) await expectTruth(simulator, serial, { motion: "STOPPED" });
  const result = page.getByRole("dialog", { name: "Stop fleet" });
  await expect(result.getByRole("status")).toContainText("2 robots stopped.");
  for (const site of [BHADLA, REWA]) await expect(result).toContainText(site);
  // It is offline: its Stop waits until it is back.
  await deliverPendingStop(simulator, standing.read, "SCR-1007");
});

test("protocol rule 3: an offline robot keeps a pending STOP, which is shown and delivered when it returns; Stop everything has no axe violations", async ({
  page,
  openBrowser,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/status of 504/);
  const other = await openBrowser();
  await signIn(page, "admin");
  await signIn(other, "partner");
  const card = robotCard(page, "SCR-1002");
  await startRobot(card, simulator);
  await simulator.fault("SCR-1002", { kind: "away" });
  await expectStatus(card, "Offline");
  await stopAll(page).click();
  const summary = panel(page, BHADLA).getByRole("status");
  await expect(summary).toHaveText(stoppedText({ stopped: 0, of: 1, stood: 3 }));
  await expect(summary).toContainText(
    /For 1 robot the STOP is stored and sent again until confirmed\.|Sent to 1 robot; will be recorded\./,
  );
  await expect(resultOf(page, "SCR-1002")).toContainText("Pending");
  await expect(resultOf(page, "SCR-1002")).toContainText(
    /Robot SCR-1002 is offline\. The Stop is stored and delivered when the robot returns\.|Sent to the robot; will be recorded\./,
  );
  // Pressing may have scrolled: the header would cover half of an alert's button.
  await page.evaluate(() => scrollTo(0, 0));
  await expectAccessible(page);
  const pending = "STOP pending: sent again until the robot confirms it";
  await expect(robotCard(other, "SCR-1002").root).toContainText(pending);
  expect(await simulator.robot("SCR-1002")).toMatchObject({ motion: "MOVING" });

  await simulator.clear("SCR-1002");
  await expectTruth(simulator, "SCR-1002", { motion: "STOPPED" });
  await expect(resultOf(page, "SCR-1002")).toContainText("Has stopped.");
  await expect(summary).toHaveText(stoppedText({ stopped: 1, stood: 3 }));
  await expect(robotCard(other, "SCR-1002").root).not.toContainText(pending);
  await expectStatus(robotCard(other, "SCR-1002"), "Idle");
});

test("Stop everything: robots that could not be loaded are stopped nevertheless", async ({
  page,
  signIn,
  apiAs,
  simulator,
  problems,
}) => {
  problems.allow(/status of 500/);
  await startByCall(await apiAs("admin"), simulator, "SCR-1003");
  await page.route("**/getRobotDetailsWithSettings/**", (route) =>
    route.fulfill({ status: 500, json: { message: "Broken" } }),
  );
  await signIn(page, "admin");
  await expect(page.getByText("The robots could not be loaded.")).toBeVisible();
  await stopAll(page).click();
  await expectTruth(simulator, "SCR-1003", { motion: "STOPPED" });
  await expect(panel(page, BHADLA).getByText(stoppedText({ stopped: 1, stood: 3 }))).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop all again" })).toHaveCount(0);
});
