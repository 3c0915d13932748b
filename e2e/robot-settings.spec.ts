import type { Locator, Page } from "@playwright/test";
import {
  BHADLA,
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

test("§8 Direction Updated, §5 Robot speeds, §8 Settings Updated, and their errors: as admin, REV, FWD and both speeds reach the robot and are kept; a robot that refuses keeps its settings", async ({
  page,
  signIn,
  simulator,
  problems,
}) => {
  await signIn(page, "admin");
  const card = robotCard(page, "SCR-1001");

  await test.step("REV reaches the robot", async () => {
    await expectStatus(card, "Idle");
    await expect(card.forward).toBeChecked();
    await card.reverse.click();
    await expectToast(page, "Direction Updated", "Robot direction changed to Reverse.");
    await expect(card.reverse).toBeChecked();
    expect((await simulator.robot("SCR-1001")).applied.direction).toBe("REV");
  });

  await test.step("both sliders go from 0 to 100 in steps of 1, by keyboard; the robot applies them", async () => {
    await chooseSite(page, KAMUTHI);
    await expectStatus(robotCard(page, "SCR-1012"), "Idle");
    const dialog = await openSettings(page, "SCR-1012");
    const [main, brush] = [mainSpeed(dialog), brushSpeed(dialog)];
    for (const slider of [main, brush]) {
      await expect(slider).toHaveAttribute("aria-valuemin", "0");
      await expect(slider).toHaveAttribute("aria-valuemax", "100");
    }
    await main.focus();
    for (const [key, value] of [
      ["Home", "0"],
      ["ArrowLeft", "0"],
      ["End", "100"],
      ["ArrowRight", "100"],
      ["ArrowLeft", "99"],
    ] as const) {
      await page.keyboard.press(key);
      await expect(main).toHaveAttribute("aria-valuenow", value);
    }
    await brush.focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    await expect(brush).toHaveAttribute("aria-valuenow", "3");
    await dialog.getByRole("button", { name: "Save Settings" }).click();
    await expectToast(page, "Settings Updated", "Settings for Robot SCR-1012 have been updated.");
    await expect(dialog).toBeHidden();
    await expectTruth(simulator, "SCR-1012", { applied: { direction: "FWD", mainSpeed: 99, brushSpeed: 3 } });
  });

  await test.step("speeds and direction are kept, and FWD reaches the robot", async () => {
    await page.reload();
    const again = await openSettings(page, "SCR-1012");
    await expect(mainSpeed(again)).toHaveAttribute("aria-valuenow", "99");
    await expect(brushSpeed(again)).toHaveAttribute("aria-valuenow", "3");
    await again.getByRole("button", { name: "Cancel" }).click();
    await expect(again).toBeHidden();
    await chooseSite(page, BHADLA);
    await expect(card.reverse).toBeChecked();
    await card.reverse.focus();
    await page.keyboard.press("ArrowLeft");
    await expectToast(page, "Direction Updated", "Robot direction changed to Forward.");
    await expect(card.forward).toBeChecked();
    expect((await simulator.robot("SCR-1001")).applied.direction).toBe("FWD");
  });

  problems.allowFromNow(/status of 502/);
  await test.step("a robot that refuses keeps its direction", async () => {
    const refusing = robotCard(page, "SCR-1003");
    await expectStatus(refusing, "Idle");
    await simulator.fault("SCR-1003", { kind: "refuse" });
    await refusing.reverse.click();
    await expectToast(
      page,
      "Direction Update Failed",
      "Failed to update robot direction. Please try again.",
      "Robot SCR-1003 refused: it gave no reason.",
    );
    await expect(refusing.forward).toBeChecked();
    expect((await simulator.robot("SCR-1003")).applied.direction).toBe("FWD");
  });

  await test.step("the dialog of a robot that refuses stays open and nothing is stored", async () => {
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
});
