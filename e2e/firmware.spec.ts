import { rolloutList, controlRollout } from "@suncrew/contract/firmware/firmware.ts";
import type { Locator, Page } from "@playwright/test";
import { CallError } from "./support/api.ts";
import { expectAccessible } from "./support/axe.ts";
import { BHADLA, chooseSite, expectDisabled, expectEnabled, expectToast, robotCard } from "./support/dashboard.ts";
import { expect, test as base } from "./support/suncrew.ts";

/** Idle robots of Bhadla. */
const SERIALS = ["SCR-1001", "SCR-1002", "SCR-1003"] as const;

/** Gives the robots enough battery, and afterwards their original firmware; leaves no rollout in progress. */
const test = base.extend<{ readonly updatable: void }>({
  updatable: [
    async ({ simulator, apiAs }, use) => {
      const before = await Promise.all(SERIALS.map((serial) => simulator.robot(serial)));
      for (const serial of SERIALS) await simulator.condition(serial, { battery: 90 });
      await use();
      const admin = await apiAs("admin");
      for (const { id: rolloutId, state } of await admin.call(rolloutList, {})) {
        if (state === "DONE" || state === "CANCELLED") continue;
        try {
          await admin.call(controlRollout, { params: { rolloutId }, body: { action: "CANCEL" } });
        } catch (error) {
          // It ended by itself after the list was read.
          if (!(error instanceof CallError && error.status === 409)) throw error;
        }
      }
      for (const { serial, firmware } of before) {
        await simulator.clear(serial, "firmware");
        // Cutting the power ends an update in progress.
        await simulator.powerCycle(serial);
        await simulator.condition(serial, { firmware });
        await expect.poll(async () => (await simulator.robot(serial)).connected).toBe(true);
      }
    },
    { auto: true },
  ],
});

const dialogNamed = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });
const file = (name: string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(`${name} `.repeat(500)),
});
const robotIn = (dialog: Locator, serial: string) => dialog.getByRole("row").filter({ hasText: serial });

const chooseBhadla = (page: Page) =>
  page.getByRole("listitem", { name: BHADLA }).getByRole("button", { name: BHADLA }).click();

/** Opens the dialog with the button of the selected site. */
async function openDeploy(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Deploy Firmware" }).click();
  const dialog = dialogNamed(page, "Deploy Firmware").first();
  await expect(dialog.getByRole("checkbox", { name: SERIALS[0] })).toBeVisible();
  return dialog;
}

async function chooseFile(dialog: Locator, name: string): Promise<void> {
  await dialog.locator('input[type="file"]').setInputFiles(file(name));
}

/** Deploys through the dialog; returns the dialog that shows the rollout. */
async function deploy(page: Page, serials: readonly string[], version: string): Promise<Locator> {
  const dialog = await openDeploy(page);
  for (const serial of serials) await dialog.getByRole("checkbox", { name: serial }).check();
  await chooseFile(dialog, `suncrew-${version}.bin`);
  await expect(dialog.getByRole("textbox", { name: /^Version/ })).toHaveValue(version);
  await dialog.getByRole("button", { name: `Deploy to ${serials.length} robots` }).click();
  await confirm(page, "Deploy Firmware", `${serials.length} robots will install firmware ${version}`, /^Deploy to/);
  await expect(page).toHaveURL(/dialog=firmware&rollout=\d+/);
  return dialogNamed(page, "Firmware");
}

/** Reads the confirmation and answers it. */
async function confirm(page: Page, title: string, sentence: string, answer: RegExp): Promise<void> {
  const question = dialogNamed(page, title).last();
  await expect(question).toContainText(sentence);
  await question.getByRole("button", { name: answer }).click();
}

test("§5 Deploy firmware: one robot first, then the others; a robot that failed is listed first and can be deployed to again", async ({
  page,
  signIn,
  simulator,
}) => {
  const [first, second, failing] = SERIALS;
  await simulator.fault(failing, { kind: "firmware", what: "install" });
  // Long enough to see the others waiting for it.
  await simulator.fault(first, { kind: "firmware", what: "slow", seconds: 25 });
  await signIn(page, "admin", { at: "/sites" });
  await chooseBhadla(page);
  const rollout = await deploy(page, SERIALS, "9.1.0");
  await expectToast(page, "Firmware Deployment Started", "Deploying firmware to 3 robot(s).");
  await expect(robotIn(rollout, first)).toContainText("first");
  await expect(robotIn(rollout, second)).toContainText("Waits for the first robot to run it");
  await expect(robotIn(rollout, first)).toContainText("Done");
  await expect(rollout).toContainText("2 of 3 robots done, 1 failed");
  await expect(rollout.getByText("Ended with failures")).toBeVisible();
  await expect(rollout.getByRole("row").nth(1)).toContainText(failing);
  await expect(robotIn(rollout, failing)).toContainText("The installation failed; it keeps the firmware it had.");
  expect((await simulator.robot(first)).firmware).toBe("9.1.0");
  await expectAccessible(page);

  await simulator.clear(failing, "firmware");
  await rollout.getByRole("button", { name: "Deploy again to 1 failed" }).click();
  await confirm(page, "Deploy Again", "1 robot that failed will be offered firmware 9.1.0 again", /^Deploy to 1 robot/);
  await expect(rollout).toContainText("1 of 1 robot done");
  await rollout.getByRole("button", { name: "All rollouts" }).click();
  await expect(rollout.getByRole("list", { name: "Rollouts" }).getByRole("listitem")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("article", { name: failing })).toContainText("Firmware 9.1.0");
});

test("protocol rule 13: a robot that is installing says so and does not start; a rollout is paused, resumed and cancelled", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  const [first, second] = SERIALS;
  await simulator.fault(first, { kind: "firmware", what: "slow", seconds: 3_600 });
  await signIn(page, "admin", { at: "/sites" });
  await chooseBhadla(page);
  const rollout = await deploy(page, [first, second], "9.2.0");
  await expect(rollout).toContainText("0 of 2 robots done, 1 in progress, 1 waiting");
  await rollout.getByRole("button", { name: "Pause" }).click();
  await expect(rollout.getByText("Paused", { exact: true })).toBeVisible();
  await expect(robotIn(rollout, second)).toContainText("Waits until the rollout is resumed");
  await rollout.getByRole("button", { name: "Resume" }).click();
  await confirm(page, "Resume Rollout", "1 robot will install firmware 9.2.0", /^Resume for 1 robot/);
  await expect(rollout.getByText("Running", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("article", { name: first })).toContainText("Installing firmware 9.2.0");

  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Dashboard" }).click();
  await chooseSite(page, BHADLA);
  const card = robotCard(page, first);
  await expect(card.root).toContainText("Installing firmware 9.2.0");
  await expectDisabled(card.start, `Robot ${first} is installing firmware.`);
  await expectEnabled(robotCard(page, second).start);

  // The dashboard requests each robot's status, even of one without power.
  problems.allow(/getRobotStatus.*SCR-1001/);
  await simulator.powerCycle(first);
  await expectEnabled(card.start);
  await navigation.getByRole("link", { name: "Site Management" }).click();
  await page.getByRole("button", { name: "Firmware", exact: true }).click();
  await rollout.getByRole("button", { name: /9\.2\.0/ }).click();
  await expect(rollout).toContainText("The first robot failed.");
  await expect(robotIn(rollout, first)).toContainText("The download failed.");
  await rollout.getByRole("button", { name: "Cancel" }).click();
  await confirm(page, "Cancel Rollout", "1 robot will not install firmware 9.2.0", /^Cancel Rollout/);
  await expect(rollout).toContainText("0 of 2 robots done, 1 failed, 1 left out");
  await expect(rollout.getByRole("button", { name: "Resume" })).toBeHidden();
});

test("§5 Deploy firmware: missing or wrong input is reported, and a failed call keeps the input; §9 Themes: the firmware dialogs are accessible, also on a phone", async ({
  page,
  signIn,
  problems,
}) => {
  await signIn(page, "admin", { at: "/sites" });
  await chooseBhadla(page);
  const dialog = await openDeploy(page);
  const button = dialog.getByRole("button", { name: /^Deploy/ });
  await expectDisabled(button, "Select at least one robot.");
  await dialog.getByRole("checkbox", { name: SERIALS[0] }).check();
  await expectDisabled(button, "Choose a file.");
  await chooseFile(dialog, "notes.txt");
  await expect(dialog.getByText("Choose a .bin, .hex or .fw file.").first()).toBeVisible();
  await expectDisabled(button, "Choose a .bin, .hex or .fw file.");
  await chooseFile(dialog, "robot.hex");
  await expectDisabled(button, "Version is required.");
  await dialog.getByRole("textbox", { name: /^Version/ }).fill("9.3.0");
  await expectEnabled(button);
  await expect(dialog.getByRole("listitem").filter({ hasText: "SCR-1004" })).toContainText("Waits ");
  await dialog.getByText("All sites", { exact: true }).click();
  await dialog.getByRole("searchbox", { name: "Search robots" }).fill("rewa");
  await expect(dialog.getByRole("checkbox", { name: SERIALS[0] })).toHaveCount(0);
  await expect(dialog.getByRole("status").filter({ hasText: "1 selected" })).toBeVisible();

  problems.allow(/Failed to load resource.*503/);
  await page.route("**/api/firmware?**", (route) =>
    route.fulfill({ status: 503, json: { message: "The disk is full." } }),
  );
  await button.click();
  await confirm(
    page,
    "Deploy Firmware",
    "1 robot will install firmware 9.3.0, within 15 min of its offer.",
    /^Deploy to/,
  );
  await expect(dialog.getByRole("alert")).toContainText("The disk is full.");
  await expect(dialog.getByRole("textbox", { name: /^Version/ })).toHaveValue("9.3.0");
  await expectAccessible(page, dialog);
  await page.keyboard.press("Escape");
  await dialogNamed(page, "Discard Changes").getByRole("button", { name: "Discard" }).click();
  await expect(page).not.toHaveURL(/dialog=/);
  await expect(dialog).toBeHidden();

  await page.setViewportSize({ width: 390, height: 844 });
  await openDeploy(page);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "All rollouts" }).click();
  const firmware = dialogNamed(page, "Firmware");
  await expect(firmware.getByRole("button", { name: "Deploy Firmware" })).toBeVisible();
  await expect(firmware.getByRole("status")).toHaveCount(0);
  await expectAccessible(page, firmware);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
