import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Fails with each rule broken (WCAG A and AA) and the elements that break it. */
export async function expectAccessible(page: Page): Promise<void> {
  // Halfway through a fade every text is pale: what counts is what stays.
  // A skeleton's shimmer never ends, so only what has an end is waited for.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished),
    ),
  );
  const { violations } = await new AxeBuilder({ page }).withTags(rules).analyze();
  const broken = violations.map(({ id, help, nodes }) => ({
    rule: `${id}: ${help}`,
    where: nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`),
  }));
  expect(broken).toEqual([]);
}
