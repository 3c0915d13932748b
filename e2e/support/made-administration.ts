import { MadeRobots } from "./made-robots.ts";
import { MadeSites } from "./made-sites.ts";
import { MadeGroups } from "./made-groups.ts";
import { test as base } from "./suncrew.ts";

interface Made {
  readonly sites: MadeSites;
  readonly groups: MadeGroups;
  readonly robots: MadeRobots;
}

/** Sites with robots and groups of a test's own; all are gone after it, robots before their sites. */
export const test = base.extend<Made>({
  sites: async ({ apiAs, page }, use) => {
    const sites = await MadeSites.begin(await apiAs("admin"));
    await use(sites);
    // A page that shows a site would ask for its robots while they are taken away.
    await page.goto("about:blank");
    await sites.restore();
  },
  groups: async ({ apiAs }, use) => {
    const groups = new MadeGroups(await apiAs("admin"));
    await groups.deleteAll();
    await use(groups);
    await groups.deleteAll();
  },
  robots: async ({ apiAs, sites: _after, groups: _with }, use) => {
    const robots = new MadeRobots(await apiAs("admin"));
    await robots.deleteAll();
    await use(robots);
    await robots.deleteAll();
  },
});

export const { expect } = test;
