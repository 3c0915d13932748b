import type { Browser } from "@playwright/test";

/** Closes every page before what they show is deleted: otherwise they would request it and report it missing. */
export async function closePages(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  await Promise.all(pages.map((page) => page.close()));
}
