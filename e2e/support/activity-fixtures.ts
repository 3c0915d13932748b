import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { ApiClient } from "./api.ts";
import { expect } from "./suncrew.ts";

/** Stops an already stopped robot, so that the site has a row of activity. Returns the robot's serial number. */
export async function makeActivity(api: ApiClient, siteName: string): Promise<string> {
  const site = (await api.call(siteDetails, {})).find(({ name }) => name === siteName);
  if (site === undefined) throw new Error(`${siteName} is not there`);
  const findOnline = async () => {
    const { robots } = await api.call(robotDetailsWithSettings, { params: { siteId: site.id } });
    return robots.find(({ online, open_command }) => online && open_command === null);
  };
  await expect.poll(findOnline).toBeDefined();
  const robot = await findOnline();
  if (robot === undefined) throw new Error(`No robot of ${siteName} is online`);
  const body = {
    robotId: robot.serial_number,
    robotObjectId: robot.robot_id,
    siteId: site.id,
    command: "STOP",
  } as const;
  await api.call(sendCommand, { body });
  return robot.serial_number;
}

/** The date at the demo's sites, this many days ago. */
export function daysAgo(days: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Kolkata" }).format(Date.now() - days * 86_400_000);
}
