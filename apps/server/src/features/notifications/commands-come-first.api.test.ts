import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { holdLock, untilBlocked } from "../../../test/row-locks.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";

let harness: CommandHarness;
/** Everything but commands, schedules and the bridge. */
let general: OpenDatabase;

beforeAll(async () => {
  harness = await CommandHarness.open({
    general: (connection) => {
      general = openDatabase(connection, { poolSize: 2, queryLimitMs: 0, idleLimitMs: 0 });
      return general.db;
    },
  });
});
afterAll(async () => {
  await harness.close();
  await general.close();
});

const tables = [
  "alert_notices",
  "contact_points",
  "deliveries",
  "delivery_alerts",
  "mutes",
  "notification_rules",
  "notifier_progress",
  "outgoing_mails",
  "report_deliveries",
  "rotas",
  "teams",
].map((table) => sql.table(table));

test("protocol rule 3: while whoever tells people waits for the database with all its connections, robots are started and stopped as always", async () => {
  const robot = harness.fixtures.ownRobot;
  await harness.live(robot);
  const owner = await harness.server.as("owner");
  const press = (command: "START" | "STOP") =>
    owner.call(sendCommand, {
      body: { robotId: robot.serial, robotObjectId: robot.id, siteId: robot.siteId, command },
    });
  const release = await holdLock(harness.db, (tx) =>
    sql`lock table ${sql.join(tables)} in access exclusive mode`.execute(tx),
  );
  await untilBlocked(harness.db, 2);
  for (const [command, motion] of [
    ["START", "MOVING"],
    ["STOP", "STOPPED"],
  ] as const) {
    expect(await press(command)).toMatchObject({ status: 200, body: { success: true } });
    expect(harness.robot(robot).truth().motion).toBe(motion);
  }
  await untilBlocked(harness.db, 2);
  await release();
});
