import { expect, type Locator, type Page } from "@playwright/test";
import type { Theme } from "./themes.ts";

/** The theme names shown in the picker. */
export const themeLabels = {
  light: "Light",
  dark: "Dark",
  blue: "Blue",
  green: "Green",
  purple: "Purple",
} as const satisfies Record<Theme, string>;

/** The button with the user's name. */
export async function userMenuButton(page: Page): Promise<Locator> {
  const user = await page.evaluate(() => localStorage.getItem("user"));
  const parsed: unknown = JSON.parse(user ?? "null");
  const name = typeof parsed === "object" && parsed !== null && "name" in parsed ? String(parsed.name) : "";
  expect(name).not.toBe("");
  return page.getByRole("banner").getByRole("button", { name });
}

/** Opens Profile Settings from the user menu. */
export async function openProfile(page: Page): Promise<Locator> {
  await (await userMenuButton(page)).click();
  await page.getByRole("menuitem", { name: "Profile Settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Profile Settings" });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** §2 Profile Settings: name, email and role, read-only, and the five themes, of which Light is selected. */
export async function expectProfileSettings(dialog: Locator, role: string): Promise<void> {
  await expect(dialog.getByRole("term")).toHaveText(["Name", "Email", "Role"]);
  await expect(dialog.getByRole("definition").last()).toHaveText(role);
  await expect(dialog.getByRole("definition").nth(1)).toHaveText(/@/);
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  const radios = dialog.getByRole("radiogroup", { name: "Theme" }).getByRole("radio");
  await expect(radios).toHaveCount(5);
  for (const word of Object.values(themeLabels)) await expect(dialog.getByRole("radio", { name: word })).toBeVisible();
  await expect(dialog.getByRole("radio", { name: "Light" })).toBeChecked();
}
