import { sendCommand } from "@suncrew/contract/commands/commands.ts";
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
    const taken = Promise.withResolvers<void>();
    const isTaken = Promise.withResolvers<void>();
    const taking = general.db.transaction().execute(async () => {
      isTaken.resolve();
      await taken.promise;
    });
    await isTaken.promise;
    let isListed = false;
    const list = owner.call(robotsList, { params: { siteId: robot.siteId } }).finally(() => (isListed = true));
    const answers = [await press("START"), await press("STOP")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(harness.robot(robot).truth().motion).toBe("STOPPED");
    expect(isListed).toBe(false);
    taken.resolve();
    await taking;
    expect((await list).status).toBe(200);
  });
});
