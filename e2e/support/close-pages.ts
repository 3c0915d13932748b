import type { Browser } from "@playwright/test";

/** Closes every page, before what they show is taken away: they would ask for it, and say that it is gone. */
export async function closePages(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  await Promise.all(pages.map((page) => page.close()));
}
