import { robotStatus, sendCommand } from "@suncrew/contract/commands/commands.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { robotDetailsWithSettings, updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { sendOnStream, when } from "../../../test/answers.ts";
import { expectContains, expectDisabled, expectEnabled, expectToast } from "../../../test/expectations.ts";
import { openConsole } from "../../../test/open-console.tsx";
import { fleetSnapshot, livePart, sampleRobots } from "../../../test/sample-fleet.ts";
import { liveUpdate } from "../../platform/live/test/live-update.ts";

const ROBOT = 11;
const POSITION = "105";
const BEFORE = "103:107:105";
const AFTER = "107:107:";
const card = page.getByRole("article", { name: "SCR-1011" });
const button = (name: string) => card.getByRole("button", { name, exact: true });

const cleaning = sampleRobots.map((robot) => ({ ...robot, status: "normal", motion: "MOVING" }) as const);

/** Makes the stream show the robot like this, and reach this position. */
function stream(status: "idle" | "normal", battery: number, reached: string): void {
  const robot = sampleRobots.find(({ robot_id }) => robot_id === ROBOT);
  if (robot === undefined) throw new Error("The sample has no such robot.");
  const at = new Date().toISOString();
  const motion = status === "idle" ? ("STOPPED" as const) : ("MOVING" as const);
  const shown = { ...livePart(robot), status, motion, battery_level: battery, last_updated_at: at };
  sendOnStream(live, liveUpdate({ at, reached, robots: [shown] }));
}

const reading = (status: "start" | "stop") => ({
  success: true as const,
  data: {
    status,
    robot_status: status === "start" ? ("normal" as const) : ("idle" as const),
    battery: 72,
    timestamp: new Date().toISOString(),
    motion: status === "start" ? ("MOVING" as const) : ("STOPPED" as const),
    direction: "FWD" as const,
  },
  live_position: "104",
});

beforeEach(() => {
  when(robotDetailsWithSettings).answer({ robots: cleaning.filter(({ site_id }) => site_id === 1) });
  when(live).stream(() => ({ ...fleetSnapshot(cleaning), reached: "101:101:" }));
  when(robotStatus).hang();
});

test("§4 Commands: a confirmed Stop shows idle until the stream has caught up, whatever was in progress before", async () => {
  when(sendCommand).answer({
    success: true,
    message: "STOP command sent to Robot SCR-1011",
    command_id: crypto.randomUUID(),
    live_position: POSITION,
  });
  await openConsole("/dashboard?site=1");
  await expectContains(card, "Cleaning");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  when(robotStatus).answer(() => released.then(() => reading("start")));
  await button("Refresh status").click();
  await button("Stop").click();
  await expectToast("Robot Control", "STOP command sent to Robot SCR-1011");
  await expectContains(card, "Idle");
  await expectEnabled(button("Start"));

  // Neither a reading requested before nor the stream's older update brings the run back.
  release();
  await expectToast("Robot Refreshed", "Robot SCR-1011: Normal, battery 72 %, direction Forward");
  stream("normal", 64, BEFORE);
  await expectContains(card, "64 %");
  await expectContains(card, "Idle");
  await expectDisabled(button("Stop"), "Robot SCR-1011 is already stopped.");

  // From there on the stream is right, even if the robot moves again.
  stream("normal", 63, AFTER);
  await expectContains(card, "63 %");
  await expectContains(card, "Cleaning");
  await expectEnabled(button("Stop"));
});

test("§8 Direction Updated: the confirmed direction is shown until the stream has caught up", async () => {
  when(updateRobotSettings).answer({ success: true, message: "Updated.", live_position: POSITION });
  await openConsole("/dashboard?site=1");
  const reverse = card.getByRole("radio", { name: "REV" });
  await reverse.click();
  await expectToast("Direction Updated", "Robot direction changed to Reverse.");
  stream("normal", 64, BEFORE);
  await expectContains(card, "64 %");
  await expect.element(reverse).toBeChecked();
  stream("normal", 63, AFTER);
  await expectContains(card, "63 %");
  await expect.element(reverse).not.toBeChecked();
});
