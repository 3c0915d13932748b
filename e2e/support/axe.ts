import { expect, type Locator, type Page } from "@playwright/test";
import axe, { type RunOnly } from "axe-core";
import { switchTheme } from "./themes.ts";

declare global {
  interface Window {
    /** The window property under which a test has put axe. */
    readonly axe?: typeof axe;
  }
}

const EVERY_RULE: RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
const CONTRAST: RunOnly = { type: "rule", values: ["color-contrast"] };

/**
 * Fails with each rule violated (WCAG A and AA) and the elements that violate it: every rule in the current theme,
 * then contrast in Dark, the one theme with a different kind of palette. The other themes' contrast is computed by
 * the console's themes.test.ts. The page is left in its original theme.
 * @param part for example an open dialog or menu, if the page behind it has been checked before; by default the page
 */
export async function expectAccessible(page: Page, part: Locator = page.locator("html")): Promise<void> {
  await expectAccessibleAsShown(page, part);
  const former = await switchTheme(page, "dark");
  await expectUnbroken(page, part, CONTRAST);
  await switchTheme(page, former);
}

/** Checks every rule, only in the current theme. */
export async function expectAccessibleAsShown(page: Page, part: Locator = page.locator("html")): Promise<void> {
  await expectUnbroken(page, part, EVERY_RULE);
}

/** Checks again if there are violations: a fade may begin a frame after its element appears. */
async function expectUnbroken(page: Page, part: Locator, rules: RunOnly): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  await expect.poll(() => brokenRules(part, rules), { intervals: [250, 1_000] }).toEqual([]);
}

interface BrokenRule {
  readonly rule: string;
  readonly where: readonly string[];
}

function brokenRules(part: Locator, rules: RunOnly): Promise<readonly BrokenRule[]> {
  return part.evaluate(async (element, runOnly) => {
    if (window.axe === undefined) throw new Error("The page was left while it was looked at.");
    // Halfway through a fade all text is pale: only the final state counts.
    // A skeleton's shimmer never ends, so only animations with an end are awaited.
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished),
    );
    // Passing checks are not reported, which makes the report cheap.
    const { violations } = await window.axe.run(element, { runOnly, resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      where: nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    }));
  }, rules);
}
