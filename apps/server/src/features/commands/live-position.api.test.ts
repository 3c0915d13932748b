import { robotStatus, sendCommand } from "@suncrew/contract/commands/commands.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { type RobotLive, updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { eventsOf, hasReached, listen, nextOf } from "../../../test/live-events.ts";
import type { TestClient } from "../../../test/test-client.ts";

let harness: CommandHarness;
let owner: TestClient;
let events: AsyncGenerator<LiveEvent>;

beforeEach(async () => {
  harness = await CommandHarness.open();
  await harness.live();
  owner = await harness.server.as("owner");
  events = eventsOf(await listen(harness.server.app.http), owner);
});
afterEach(async () => {
  await events.return(undefined);
  await harness.close();
});

/** The robot as the stream shows it at first once it has come as far as an answer names. */
async function shownAt(position: string | undefined): Promise<RobotLive | undefined> {
  let shown: RobotLive | undefined;
  for (;;) {
    const event = await nextOf(events);
    if (event.type === "end") throw new Error("The stream has ended.");
    shown = event.robots.find(({ robot_id }) => robot_id === harness.fixtures.ownRobot.id) ?? shown;
    if (hasReached(event, position)) return shown;
  }
}

describe("wire, Live: an answer names its position in the live stream, which shows the result from there on", () => {
  test("§7 send_command: START and STOP", async () => {
    const start = sendCommand.response.parse((await harness.press("START", { as: "owner" })).body);
    expect(await shownAt(start.live_position)).toMatchObject({
      status: "normal",
      motion: "MOVING",
      open_command: null,
      current_run: { planned_end_at: expect.any(String) },
    });
    const stop = sendCommand.response.parse((await harness.press("STOP", { as: "owner" })).body);
    expect(await shownAt(stop.live_position)).toMatchObject({
      status: "idle",
      motion: "STOPPED",
      open_command: null,
      current_run: null,
    });
  });

  test("§7 updateRobotSettings and getRobotStatus", async () => {
    const params = { robotId: harness.fixtures.ownRobot.id };
    const set = await owner.ask(updateRobotSettings, { params, body: { cleaning_direction: "REVERSE" } });
    expect(await shownAt(set.live_position)).toMatchObject({ cleaning_direction: "REVERSE", open_command: null });
    const { data, live_position } = await owner.ask(robotStatus, { query: { robotId: "OWN-1" } });
    const shown = await shownAt(live_position);
    expect(Date.parse(shown?.last_updated_at ?? "")).toBeGreaterThanOrEqual(Date.parse(data.timestamp));
  });

  test("§7 site stop: each robot's own", async () => {
    await harness.press("START", { as: "owner" });
    const { results } = await owner.ask(siteStop, { body: { siteId: harness.fixtures.ownSiteId } });
    const result = results.find(({ robotId }) => robotId === "OWN-1");
    expect(await shownAt(result?.live_position)).toMatchObject({ motion: "STOPPED", open_command: null });
  });
});
