import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { fleetStop, robotsSendCommand } from "@suncrew/contract/groups/groups.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";

let harness: CommandHarness;
/** Everything but commands, schedules and the bridge has one connection. */
let general: OpenDatabase;

beforeAll(async () => {
  harness = await CommandHarness.open({
    general: (connection) => {
      general = openDatabase(connection, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 });
      return general.db;
    },
  });
});
afterAll(async () => {
  await harness.close();
  await general.close();
});

describe("protocol rule 3: a person's Stop has connections reserved for it", () => {
  test("while every other connection is in use, a robot is started and stopped, and the bridge sees both", async () => {
    const robot = harness.fixtures.ownRobot;
    await harness.live(robot);
    const owner = await harness.server.as("owner");
    const press = (command: "START" | "STOP") =>
      owner.call(sendCommand, {
        body: { robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId, command },
      });
    const release = await takeConnection();
    let isListed = false;
    const list = owner.call(robotsList, { params: { siteId: robot.siteId } }).finally(() => (isListed = true));
    const answers = [await press("START"), await press("STOP")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(harness.robot(robot).truth().motion).toBe("STOPPED");
    expect(isListed).toBe(false);
    await release();
    expect((await list).status).toBe(200);
  });

  test("a robot that only the database names as the partner's is stopped once it answers, though whoever pressed was answered before", async () => {
    const { ownRobot, foreignRobot } = harness.fixtures;
    for (const robot of [ownRobot, foreignRobot]) await harness.live(robot);
    const [owner, admin] = [await harness.server.as("owner"), await harness.server.as("admin")];
    const robotObjectIds = [ownRobot.id, foreignRobot.id];
    const start = { command: "START" as const, robotObjectIds };
    expect(await admin.ask(robotsSendCommand, { body: start })).toMatchObject({ success: true });
    // What the server remembers of robots still has it at another partner's site.
    const atOwnSite = { site_id: ownRobot.siteId };
    await harness.db.updateTable("robots").set(atOwnSite).where("id", "=", foreignRobot.id).execute();
    const release = await takeConnection();
    const { sites } = await owner.ask(fleetStop, { body: {} });
    expect(sites.map(({ name }) => name)).toHaveLength(1);
    expect(harness.robot(ownRobot).truth().motion).toBe("STOPPED");
    expect(harness.robot(foreignRobot).truth().motion).toBe("MOVING");
    await release();
    await harness.robot(foreignRobot).until(({ motion }) => motion === "STOPPED");
  });
});

/** Takes the one connection, until released. */
async function takeConnection(): Promise<() => Promise<void>> {
  const taken = Promise.withResolvers<void>();
  const isTaken = Promise.withResolvers<void>();
  const taking = general.db.transaction().execute(async () => {
    isTaken.resolve();
    await taken.promise;
  });
  await isTaken.promise;
  return async () => {
    taken.resolve();
    await taking;
  };
}
