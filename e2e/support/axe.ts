import { expect, type Locator, type Page } from "@playwright/test";
import axe, { type RunOnly } from "axe-core";
import { switchTheme } from "./themes.ts";

declare global {
  interface Window {
    /** Where a test has put it. */
    readonly axe?: typeof axe;
  }
}

const EVERY_RULE: RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
const CONTRAST: RunOnly = { type: "rule", values: ["color-contrast"] };

/**
 * Fails with each rule broken (WCAG A and AA) and the elements that break it: every rule in the theme that is
 * shown, then contrast in Dark, the one theme with a different kind of palette. That the others' colours have the
 * contrast is computed by the console's themes.test.ts. The page is left in the theme it had.
 * @param part an open dialog or menu, say, if the page behind it has been checked before; by default all of the page
 */
export async function expectAccessible(page: Page, part: Locator = page.locator("html")): Promise<void> {
  await expectAccessibleAsShown(page, part);
  const former = await switchTheme(page, "dark");
  await expectUnbroken(page, part, CONTRAST);
  await switchTheme(page, former);
}

/** Every rule, in the theme that is shown alone. */
export async function expectAccessibleAsShown(page: Page, part: Locator = page.locator("html")): Promise<void> {
  await expectUnbroken(page, part, EVERY_RULE);
}

/** Checks again if something is broken: a fade may begin a frame after its element appears. */
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
    // Halfway through a fade every text is pale: what counts is what stays.
    // A skeleton's shimmer never ends, so only what has an end is waited for.
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished),
    );
    // Nothing is reported about what passes, which makes the report cheap.
    const { violations } = await window.axe.run(element, { runOnly, resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      where: nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    }));
  }, rules);
}
