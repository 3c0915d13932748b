import { expect, type Page } from "@playwright/test";

/** §9 Themes. */
export const themes = ["light", "dark", "blue", "green", "purple"] as const;
export type Theme = (typeof themes)[number];

/**
 * Chooses the theme the way another tab of this browser does: what is open on the page stays open.
 * @param theme null if none has been chosen
 * @returns the previous choice
 */
export async function switchTheme(page: Page, theme: string | null): Promise<string | null> {
  const former = await page.evaluate((chosen) => {
    const before = localStorage.getItem("theme");
    if (chosen === null) localStorage.removeItem("theme");
    else localStorage.setItem("theme", chosen);
    dispatchEvent(new StorageEvent("storage", { key: "theme", oldValue: before, newValue: chosen }));
    return before;
  }, theme);
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-theme", theme ?? "light");
  await expect(root).toHaveAttribute("data-mantine-color-scheme", theme === "dark" ? "dark" : "light");
  return former;
}
