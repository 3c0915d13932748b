import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { type ApiClient, CallError } from "./api.ts";
import { expect } from "./suncrew.ts";

/**
 * Sends a Stop until the robot has confirmed one: in a server's first seconds on a busy machine, one may be answered as
 * pending although it is on its way. Returns how often it pressed.
 */
export async function pressStop(
  api: ApiClient,
  body: Omit<SentBodyOf<typeof sendCommand>, "command">,
): Promise<number> {
  let presses = 0;
  const press = async () => {
    presses += 1;
    try {
      await api.call(sendCommand, { body: { ...body, command: "STOP" } });
      return "confirmed";
    } catch (error) {
      if (error instanceof CallError && error.status >= 503) return error.message;
      throw error;
    }
  };
  await expect.poll(press).toBe("confirmed");
  return presses;
}

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
  };
  await pressStop(api, body);
  return robot.serial_number;
}

/** The date at the demo's sites, this many days ago. */
export function daysAgo(days: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Kolkata" }).format(Date.now() - days * 86_400_000);
}
