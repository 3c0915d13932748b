import { withTimeout } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Commands, Requester } from "../commands/public.ts";
import { seenAt } from "../sites/public.ts";
import { readMovingRobot } from "./devices.repository.ts";

/** The robot has this long to show that it stands; its device is cut off then, whatever it does. */
const STOP_MS = 3_000;

/** Before a device is retired: an online robot that has it and may move gets an ordinary STOP. Never throws. */
export async function stopBefore(
  deps: Pick<Dependencies, "db" | "clock" | "log" | "broker" | "settings">,
  commands: Commands,
  by: Requester,
  serial: string,
): Promise<void> {
  const { db, clock, log } = deps;
  const robot = await readMovingRobot(db, serial, seenAt(deps));
  if (robot === null || !robot.online) return;
  const stopped = commands
    .sendMany(async () => ({ siteId: robot.site_id, robotIds: [robot.id] }), { verb: "STOP", mode: "AUTO", by })
    .catch((error: unknown) => {
      log.warn({ reason: error, serial }, "a robot was not stopped before its device is retired");
    });
  await withTimeout(clock, stopped, STOP_MS);
}
