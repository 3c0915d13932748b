import { expect } from "@playwright/test";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { robotDetailsWithSettings, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient } from "./api.ts";
import type { SimulatorControl } from "./simulator.ts";

/** A partner or a site by its name, or a robot by its serial number, and what a test may have left behind there. */
export type SharedState = Readonly<Record<string, string>>;

/**
 * What the tests of one server share, and each leaves unchanged: the existing partners, sites and robots, and that each
 * robot is stopped, unlocked, in no group and without an open command. A robot too many is polled for its status
 * by every page that shows its site; a Stop that waits for one disables its buttons.
 */
export async function readSharedState(api: ApiClient): Promise<SharedState> {
  const standing: Record<string, string> = {};
  for (const { name } of await api.call(partnerDetails, {})) standing[name] = "partner";
  const sites = await api.call(siteDetails, {});
  await Promise.all(
    sites.map(async ({ id: siteId, name }) => {
      standing[name] = "site";
      const { robots } = await api.call(robotDetailsWithSettings, { params: { siteId } });
      for (const robot of robots) standing[robot.serial_number] = `${robot.robot_name} at ${name}${stateOf(robot)}`;
    }),
  );
  return standing;
}

function stateOf({ motion, open_command, maintenance, group_id }: RobotWithSettings): string {
  const facts = [
    group_id === null ? "" : ", in a group",
    // A group may have a schedule that would start its robots.
    motion === "MOVING" && group_id === null ? ", cleans" : "",
    open_command === null ? "" : `, ${open_command.verb} is open`,
    maintenance === null ? "" : ", locked",
  ];
  return facts.join("");
}

/**
 * Brings an offline robot back until it has received its pending Stop. After the test it is offline again, because
 * every fault that existed before returns.
 */
export async function deliverPendingStop(
  simulator: SimulatorControl,
  read: () => Promise<SharedState>,
  serial: string,
): Promise<void> {
  await simulator.clear(serial);
  await expect.poll(async () => (await read())[serial]).not.toContain("STOP is open");
}

/** An offline robot of the demo that has been heard before; one that never was waits for its first connection. */
export async function loseAgain(simulator: SimulatorControl, api: ApiClient, serial: string): Promise<void> {
  const isOnline = async () => {
    for (const { id: siteId } of await api.call(siteDetails, {})) {
      const { robots } = await api.call(robotDetailsWithSettings, { params: { siteId } });
      const robot = robots.find(({ serial_number }) => serial_number === serial);
      if (robot !== undefined) return robot.online;
    }
    throw new Error(`There is no robot ${serial}`);
  };
  await simulator.clear(serial);
  await expect.poll(isOnline).toBe(true);
  await simulator.fault(serial, { kind: "away" });
  await expect.poll(isOnline).toBe(false);
}
