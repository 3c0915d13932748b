import type { Page } from "@playwright/test";

/** How many times slower than this machine the pages should be, to find what works only on a fast one. */
const SLOWDOWN = Number(process.env["SUNCREW_TEST_SLOWDOWN"] ?? 1);

/** Slows a page down by the factor SUNCREW_TEST_SLOWDOWN. */
export async function slowDown(page: Page): Promise<void> {
  if (SLOWDOWN <= 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
}
