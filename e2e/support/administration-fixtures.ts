import { closePages } from "./close-pages.ts";
import { GroupFixtures } from "./group-fixtures.ts";
import { RobotFixtures } from "./robot-fixtures.ts";
import { SiteFixtures } from "./site-fixtures.ts";
import { test as base } from "./suncrew.ts";

interface Made {
  readonly sites: SiteFixtures;
  readonly groups: GroupFixtures;
  readonly robots: RobotFixtures;
}

/** A test's own sites with robots and groups; all are deleted after it, robots before their sites. */
export const test = base.extend<Made>({
  sites: async ({ apiAs, browser }, use) => {
    const sites = await SiteFixtures.begin(await apiAs("admin"));
    await use(sites);
    await closePages(browser);
    await sites.restore();
  },
  groups: async ({ apiAs }, use) => {
    const groups = new GroupFixtures(await apiAs("admin"));
    await groups.deleteAll();
    await use(groups);
    await groups.deleteAll();
  },
  robots: async ({ apiAs, browser, sites: _after, groups: _with }, use) => {
    const robots = new RobotFixtures(await apiAs("admin"));
    await robots.deleteAll();
    await use(robots);
    await closePages(browser);
    await robots.deleteAll();
  },
});

export const { expect } = test;
