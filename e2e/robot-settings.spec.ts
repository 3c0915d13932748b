import type { Locator, Page } from "@playwright/test";
import {
  chooseSite,
  expectStatus,
  expectToast,
  expectTruth,
  KAMUTHI,
  REWA,
  robotCard,
  discardChanges,
} from "./support/dashboard.ts";
import { expect, test } from "./support/suncrew.ts";

const mainSpeed = (dialog: Locator): Locator => dialog.getByRole("slider", { name: "Main motor speed" });
const brushSpeed = (dialog: Locator): Locator => dialog.getByRole("slider", { name: "Brush motor speed" });

async function openSettings(page: Page, serial: string): Promise<Locator> {
  await robotCard(page, serial).settings.click();
  const dialog = page.getByRole("dialog", { name: `Robot settings: ${serial}` });
  await expect(mainSpeed(dialog)).toBeVisible();
  return dialog;
}

for (const { account, serial } of [
  { account: "admin", serial: "SCR-1001" },
  { account: "partner", serial: "SCR-1002" },
] as const) {
  test(`§8 Direction Updated: as ${account}, REV and FWD reach the robot and are kept`, async ({
    page,
    signIn,
    simulator,
  }) => {
    await signIn(page, account);
    const card = robotCard(page, serial);
    await expectStatus(card, "Idle");
    await expect(card.forward).toBeChecked();
    await card.reverse.click();
    await expectToast(page, "Direction Updated", "Robot direction changed to Reverse.");
    await expect(card.reverse).toBeChecked();
    expect((await simulator.robot(serial)).applied.direction).toBe("REV");
    await page.reload();
    await expect(card.reverse).toBeChecked();

    await card.reverse.focus();
    await page.keyboard.press("ArrowLeft");
    await expectToast(page, "Direction Updated", "Robot direction changed to Forward.");
    await expect(card.forward).toBeChecked();
    expect((await simulator.robot(serial)).applied.direction).toBe("FWD");
  });
}

test("§8 Direction Updated, its error: a robot that refuses keeps its direction", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/status of 502/);
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1003");
  await expectStatus(card, "Idle");
  await simulator.fault("SCR-1003", { kind: "refuse" });
  await card.reverse.click();
  await expectToast(
    page,
    "Direction Update Failed",
    "Failed to update robot direction. Please try again.",
    "Robot SCR-1003 refused: it gave no reason.",
  );
  await expect(card.forward).toBeChecked();
  expect((await simulator.robot("SCR-1003")).applied.direction).toBe("FWD");
});

test("§5 Robot speeds: both sliders go from 0 to 100 by steps of 1, by keyboard; the robot takes them, and they are kept", async ({
  page,
  signIn,
  simulator,
}) => {
  await signIn(page, "admin");
  await chooseSite(page, KAMUTHI);
  await expectStatus(robotCard(page, "SCR-1012"), "Idle");
  const dialog = await openSettings(page, "SCR-1012");
  const [main, brush] = [mainSpeed(dialog), brushSpeed(dialog)];
  for (const slider of [main, brush]) {
    await expect(slider).toHaveAttribute("aria-valuemin", "0");
    await expect(slider).toHaveAttribute("aria-valuemax", "100");
  }
  await main.focus();
  await page.keyboard.press("Home");
  await expect(main).toHaveAttribute("aria-valuenow", "0");
  await page.keyboard.press("ArrowLeft");
  await expect(main).toHaveAttribute("aria-valuenow", "0");
  await page.keyboard.press("End");
  await expect(main).toHaveAttribute("aria-valuenow", "100");
  await page.keyboard.press("ArrowRight");
  await expect(main).toHaveAttribute("aria-valuenow", "100");
  await page.keyboard.press("ArrowLeft");
  await expect(main).toHaveAttribute("aria-valuenow", "99");
  await brush.focus();
  await page.keyboard.press("Home");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  await expect(brush).toHaveAttribute("aria-valuenow", "3");
  await dialog.getByRole("button", { name: "Save Settings" }).click();
  await expectToast(page, "Settings Updated", "Settings for Robot SCR-1012 have been updated.");
  await expect(dialog).toBeHidden();
  await expectTruth(simulator, "SCR-1012", { applied: { direction: "FWD", mainSpeed: 99, brushSpeed: 3 } });

  await page.reload();
  const again = await openSettings(page, "SCR-1012");
  await expect(mainSpeed(again)).toHaveAttribute("aria-valuenow", "99");
  await expect(brushSpeed(again)).toHaveAttribute("aria-valuenow", "3");
  await again.getByRole("button", { name: "Cancel" }).click();
  await expect(again).toBeHidden();
});

test("§8 Settings Updated, its error: the dialog stays open and nothing is stored", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  problems.allow(/status of 502/);
  await signIn(page, "admin");
  await chooseSite(page, REWA);
  await expectStatus(robotCard(page, "SCR-1010"), "Idle");
  await simulator.fault("SCR-1010", { kind: "refuse" });
  const dialog = await openSettings(page, "SCR-1010");
  const before = await mainSpeed(dialog).getAttribute("aria-valuenow");
  await mainSpeed(dialog).focus();
  await page.keyboard.press("Home");
  await dialog.getByRole("button", { name: "Save Settings" }).click();
  await expectToast(
    page,
    "Settings Update Failed",
    "Failed to update robot settings. Please try again.",
    "Robot SCR-1010 refused: it gave no reason.",
  );
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await discardChanges(page);
  await expect(dialog).toBeHidden();
  const again = await openSettings(page, "SCR-1010");
  await expect(mainSpeed(again)).toHaveAttribute("aria-valuenow", before ?? "");
});
