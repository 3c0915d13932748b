import type { Locator, Page } from "@playwright/test";
import { createGroup, deleteGroup, type Group, groupList } from "@suncrew/contract/groups/groups.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { createSchedule, type Frequency, type Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient } from "./api.ts";
import { test as base } from "./suncrew.ts";

export interface ScheduleFixture {
  readonly startTime: string;
  readonly frequency?: Frequency;
  readonly minutes?: number;
  readonly skipOnRain?: boolean;
}

/**
 * Creates groups through the API. A test begins without any, and leaves none behind, including those it created on a
 * page.
 */
export class GroupFixtures {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  async site(name: string): Promise<Site> {
    const site = (await this.#api.call(siteDetails, {})).find((one) => one.name === name);
    if (site === undefined) throw new Error(`There is no site ${name}`);
    return site;
  }

  async make(siteName: string, groupName: string, serials: readonly string[]): Promise<Group> {
    const { id: siteId } = await this.site(siteName);
    const { robots } = await this.#api.call(robotDetailsWithSettings, { params: { siteId } });
    const robotIds = robots.filter((robot) => serials.includes(robot.serial_number)).map((robot) => robot.robot_id);
    const body = { site_id: siteId, group_name: groupName, robot_ids: robotIds };
    const { groupId } = await this.#api.call(createGroup, { body });
    const group = (await this.#api.call(groupList, { params: { siteId } })).find(({ id }) => id === groupId);
    if (group === undefined) throw new Error(`The group ${groupName} is not listed`);
    return group;
  }

  async schedule(
    group: Group,
    { startTime, frequency = "ONCE", minutes = 30, skipOnRain = false }: ScheduleFixture,
  ): Promise<Schedule> {
    const { schedule } = await this.#api.call(createSchedule, {
      body: {
        site_id: group.site_id,
        group_id: group.id,
        start_time: startTime,
        duration_minutes: minutes,
        frequency,
        skip_on_rain: skipOnRain,
      },
    });
    return schedule;
  }

  async listed(siteName: string): Promise<Group[]> {
    const { id: siteId } = await this.site(siteName);
    return this.#api.call(groupList, { params: { siteId } });
  }

  /** Every existing group, with its schedule. */
  async deleteAll(): Promise<void> {
    for (const { id: siteId } of await this.#api.call(siteDetails, {})) {
      for (const { id: groupId } of await this.#api.call(groupList, { params: { siteId } })) {
        await this.#api.call(deleteGroup, { params: { groupId } });
      }
    }
  }
}

export const test = base.extend<{ readonly groups: GroupFixtures }>({
  groups: async ({ apiAs }, use) => {
    const groups = new GroupFixtures(await apiAs("admin"));
    await groups.deleteAll();
    await use(groups);
    await groups.deleteAll();
  },
});

export const { expect } = test;

/** A group's row on the Site Management page. */
export function groupRow(page: Page, name: string): Locator {
  return page.getByRole("listitem", { name, exact: true });
}

/** A group's card in the Group Control tab. */
export function groupCard(page: Page, name: string): Locator {
  return page.getByRole("article", { name });
}

/** The URL of a site's Robot Groups tab on the Site Management page. */
export function managementAddress(site: Site): string {
  return `/sites?site=${site.id}&tab=groups`;
}

/** Opens that tab the way a user does, from any page and without a page load. */
export async function openManagedGroups(page: Page, siteName: string): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Site Management" }).click();
  await page.getByRole("region", { name: "All Sites" }).getByRole("button", { name: siteName }).click();
  await page.getByRole("tab", { name: "Robot Groups" }).click();
}

/** The URL of a site's tab. */
export function siteAddress(site: Site | Group, tab: "groups" | "calendar"): string {
  const siteId = "site_id" in site ? site.site_id : site.id;
  return `/dashboard?site=${siteId}&tab=${tab}`;
}

/** The current local time of a time zone, `YYYY-MM-DD HH:MM:SS`. */
export function localText(at: Date, timezone: string): string {
  return new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "medium",
    timeZone: timezone,
  }).format(at);
}

/** A date, `YYYY-MM-DD`, as date fields show it: "22 Nov 2026". */
export function dayFieldText(day: string): string {
  return new Date(day).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
}

/** The local date, `YYYY-MM-DD`, this many days from today. */
export function siteDay(timezone: string, daysAhead = 0): string {
  return localText(new Date(Date.now() + daysAhead * 86_400_000), timezone).slice(0, 10);
}

/** Longer than any test that relies on today's date takes, in milliseconds. */
const ENOUGH_MS = 300_000;

/** Such a test must not run past midnight at the site: shortly before midnight it waits for the new day. */
export async function enoughOfTheDay(timezone: string): Promise<void> {
  const leftMs = () => {
    const [hours = 0, minutes = 0, seconds = 0] = localText(new Date(), timezone).slice(11).split(":").map(Number);
    return 86_400_000 - (hours * 3_600 + minutes * 60 + seconds) * 1_000;
  };
  if (leftMs() > ENOUGH_MS) return;
  test.setTimeout(test.info().timeout + ENOUGH_MS);
  await expect.poll(leftMs, { timeout: ENOUGH_MS + 10_000, intervals: [1_000] }).toBeGreaterThan(ENOUGH_MS);
}
