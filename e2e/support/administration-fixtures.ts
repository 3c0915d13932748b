import { GroupFixtures } from "./group-fixtures.ts";
import { RobotFixtures } from "./robot-fixtures.ts";
import { SiteFixtures } from "./site-fixtures.ts";
import { test as base } from "./suncrew.ts";

interface Made {
  readonly sites: SiteFixtures;
  readonly groups: GroupFixtures;
  readonly robots: RobotFixtures;
}

/** Sites with robots and groups of a test's own; all are gone after it, robots before their sites. */
export const test = base.extend<Made>({
  sites: async ({ apiAs, page }, use) => {
    const sites = await SiteFixtures.begin(await apiAs("admin"));
    await use(sites);
    // A page that shows a site would ask for its robots while they are taken away.
    await page.goto("about:blank");
    await sites.restore();
  },
  groups: async ({ apiAs }, use) => {
    const groups = new GroupFixtures(await apiAs("admin"));
    await groups.deleteAll();
    await use(groups);
    await groups.deleteAll();
  },
  robots: async ({ apiAs, sites: _after, groups: _with }, use) => {
    const robots = new RobotFixtures(await apiAs("admin"));
    await robots.deleteAll();
    await use(robots);
    await robots.deleteAll();
  },
});

export const { expect } = test;
