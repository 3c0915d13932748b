import type { Browser } from "@playwright/test";

/** Closes every page before its data is deleted: otherwise it would request the data and report it missing. */
export async function closePages(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  await Promise.all(pages.map((page) => page.close()));
}
