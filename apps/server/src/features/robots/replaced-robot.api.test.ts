import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FREE_SERIAL } from "../../../test/fixtures.ts";
import { holdRobotRows, untilBlocked } from "../../../test/row-locks.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { ingest } from "../devices/public.ts";
import { seenAt } from "../sites/public.ts";
import { storeChangedRobot } from "./robots.service.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const states = (serial: string, session: number) => ({
  serial,
  messages: [
    { leaf: "state" as const, message: stateMessage(TEST_NOW, session, 1), receivedAt: TEST_NOW, retained: false },
  ],
});

/** Holds the robot's rows and replaces its machine, except for the commit, which the returned function triggers. */
async function replace(): Promise<() => Promise<void>> {
  const { ownRobot, userIds } = server.fixtures;
  const viewer = {
    userId: userIds.admin,
    name: "Anita Rao",
    email: "",
    role: "SUPER_ADMIN",
    partnerId: null,
    sessionId: "",
  } as const;
  const body = {
    site_id: ownRobot.siteId,
    robot_name: "OWN-1",
    serial_number: FREE_SERIAL,
    installation_date: "2024-02-29",
    motor_type: null,
    control_type: null,
  };
  return holdRobotRows(server.db, ownRobot, (tx) =>
    storeChangedRobot(tx, viewer, ownRobot.id, body, seenAt(server.deps)),
  );
}

test("protocol rule 7: what the former machine sent, still waiting to be stored, counts for nothing once it was replaced", async () => {
  const { ownRobot } = server.fixtures;
  const commit = await replace();
  const former = ingest(server.db, [states("OWN-1", 999)], { now: () => TEST_NOW });
  await untilBlocked(server.db);
  await commit();
  expect(await former).toMatchObject({ unknown: [{ serial: "OWN-1" }], readings: 0 });
  expect(await ingest(server.db, [states(FREE_SERIAL, 3)], { now: () => TEST_NOW })).toMatchObject({
    unknown: [],
    readings: 1,
  });
  const state = await server.db
    .selectFrom("robot_state")
    .select(["session", "online"])
    .where("robot_id", "=", ownRobot.id)
    .executeTakeFirst();
  expect(state).toEqual({ session: 3, online: true });
});

test("protocol rule 2: a Start that waited while its robot became another machine is sent to neither", async () => {
  const { ownRobot } = server.fixtures;
  await ingest(server.db, [states("OWN-1", 7)], { now: () => TEST_NOW });
  const commit = await replace();
  const body = { robotId: "OWN-1", robotObjectId: ownRobot.id, siteId: ownRobot.siteId, command: "START" } as const;
  const pressed = (await server.as("owner")).call(sendCommand, { body });
  await untilBlocked(server.db);
  await commit();
  expect((await pressed).status).toBe(404);
  expect(await server.db.selectFrom("commands").select("verb").execute()).toEqual([]);
});
