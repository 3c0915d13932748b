import type { Locator, Page } from "@playwright/test";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { allocateDevices } from "@suncrew/contract/devices/devices.ts";
import {
  createRobot,
  deleteRobot,
  type SerialNumber,
  serialNumbers,
  updateRobot,
} from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient } from "./api.ts";
import { expect as eventually, test as base } from "./group-fixtures.ts";
import { closePages } from "./close-pages.ts";

/** Devices of the demo without a robot; they are switched on and connected. */
export const FREE_SERIALS = ["SCR-1013", "SCR-1015", "SCR-1017", "SCR-1018", "SCR-1019", "SCR-1020"] as const;

/** Those that the demo allocates to its partner account; the others belong to the operator, In-house. */
const SERIALS_OF_PARTNER: readonly string[] = ["SCR-1013", "SCR-1015", "SCR-1017"];
const SITE_OF_PARTNER = "Bhadla Solar Park";
const IN_HOUSE = 1;

/** Creates robots through the API on the demo's free devices. A test begins without any, and leaves none behind. */
export class RobotFixtures {
  readonly #api: ApiClient;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  async add(siteName: string, serial: string, name: string): Promise<RobotWithSettings> {
    const { id: siteId, maintenance_partner_id: partnerId } = await this.site(siteName);
    await this.allocate([serial], partnerId ?? IN_HOUSE);
    const { robotId } = await this.#api.call(createRobot, {
      body: {
        site_id: siteId,
        robot_name: name,
        serial_number: serial,
        installation_date: "2024-02-29",
        motor_type: "BLDC",
        control_type: "PLC",
      },
    });
    const robot = (await this.listed()).find(({ robot_id }) => robot_id === robotId);
    if (robot === undefined) throw new Error(`The robot ${name} is not listed`);
    return robot;
  }

  /** Edits as another person would, whatever the version. */
  async edit(
    robot: RobotWithSettings,
    change: Partial<Pick<RobotWithSettings, "robot_name" | "motor_type">>,
  ): Promise<void> {
    const { site_id, robot_name, serial_number, installation_date, motor_type, control_type } = { ...robot, ...change };
    await this.#api.call(updateRobot, {
      params: { id: robot.robot_id },
      body: { site_id, robot_name, serial_number, installation_date, motor_type, control_type },
    });
  }

  async command(robot: RobotWithSettings, command: "START" | "STOP"): Promise<void> {
    const { robot_id: robotObjectId, serial_number: robotId, site_id: siteId } = robot;
    await this.#api.call(sendCommand, { body: { robotId, robotObjectId, siteId, command, params: {} } });
  }

  async delete(robot: RobotWithSettings): Promise<void> {
    await this.#api.call(deleteRobot, { params: { id: robot.robot_id } });
  }

  /** Every existing robot. */
  async listed(): Promise<RobotWithSettings[]> {
    const sites = await this.#api.call(siteDetails, {});
    const lists = await Promise.all(
      sites.map(({ id: siteId }) => this.#api.call(robotDetailsWithSettings, { params: { siteId } })),
    );
    return lists.flatMap(({ robots }) => robots);
  }

  /** Those on the demo's free devices, which are then allocated as the demo does. */
  async deleteAll(): Promise<void> {
    const free: readonly string[] = FREE_SERIALS;
    for (const robot of (await this.listed()).filter(({ serial_number }) => free.includes(serial_number))) {
      if (robot.motion === "MOVING") await this.command(robot, "STOP");
      await this.delete(robot);
    }
    const { maintenance_partner_id: partnerId } = await this.site(SITE_OF_PARTNER);
    await this.allocate(SERIALS_OF_PARTNER, partnerId ?? IN_HOUSE);
    await this.allocate(
      free.filter((serial) => !SERIALS_OF_PARTNER.includes(serial)),
      IN_HOUSE,
    );
  }

  /** Free devices; only robots of their partner can use them. */
  async allocate(serials: readonly string[], partnerId: number): Promise<void> {
    await this.#api.call(allocateDevices, { body: { serials: [...serials], partner_id: partnerId } });
  }

  /** The serial numbers that can be chosen; device tests add some. */
  serialNumbers(api: ApiClient = this.#api): Promise<SerialNumber[]> {
    return api.call(serialNumbers, {});
  }

  async site(name: string): Promise<Site> {
    const site = (await this.#api.call(siteDetails, {})).find((one) => one.name === name);
    if (site === undefined) throw new Error(`There is no site ${name}`);
    return site;
  }
}

export const test = base.extend<{ readonly robots: RobotFixtures }>({
  robots: async ({ apiAs, browser, groups, simulator, problems }, use) => {
    // A status call may be in progress for a robot that is just being deleted.
    problems.allow(/status of 404 .*getRobotStatus/);
    const robots = new RobotFixtures(await apiAs("admin"));
    await robots.deleteAll();
    for (const serial of FREE_SERIALS) await simulator.clear(serial);
    for (const serial of FREE_SERIALS) {
      await eventually.poll(async () => (await simulator.robot(serial)).connected).toBe(true);
    }
    await use(robots);
    await closePages(browser);
    // A robot in a group cannot be deleted.
    await groups.deleteAll();
    await robots.deleteAll();
  },
});

export const { expect } = test;

/** A robot's row on the Site Management page. */
export function robotRow(page: Page, serial: string): Locator {
  return page.getByRole("article", { name: serial });
}

/** The robot form's dialog and its contents. */
export function robotDialog(page: Page, title: "Add New Robot" | "Edit Robot") {
  const root = page.getByRole("dialog", { name: title });
  return {
    root,
    serial: root.getByRole("button", { name: /^Serial number/ }),
    name: root.getByLabel("Robot name"),
    date: root.getByLabel("Installation date"),
    motor: root.getByRole("combobox", { name: "Motor type" }),
    control: root.getByRole("combobox", { name: "Control type" }),
    site: root.getByRole("combobox", { name: "Site" }),
    save: root.getByRole("button", { name: title === "Edit Robot" ? "Save" : "Add Robot", exact: true }),
    cancel: root.getByRole("button", { name: "Cancel" }),
  };
}

/** The serial-number picker on top of it. */
export function serialPicker(page: Page) {
  const root = page.getByRole("dialog", { name: "Choose a Serial Number" });
  return {
    root,
    search: root.getByRole("combobox", { name: "Search serial numbers" }),
    option: (serial: string) => root.getByRole("option", { name: serial }),
    showAssigned: root.getByRole("checkbox", { name: /^Show assigned/ }),
  };
}
