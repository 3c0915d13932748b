import type { Page } from "@playwright/test";

/** §9 Themes. */
export const themes = ["light", "dark", "blue", "green", "purple"] as const;
export type Theme = (typeof themes)[number];

/** Chooses the theme as a returning user's browser does: by its key in the storage, before the page loads. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
  await page.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
}
