import { forgetRobotState } from "@suncrew/contract/robots/robot-forms.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { commandMessageSchema, type StateMessage } from "@suncrew/contract/devices/messages.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stateMessage } from "../../../test/robot-messages.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { Answer } from "../../../test/test-client.ts";
import { databaseNow } from "../../platform/database/database.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
  await server.app.start();
  // Until the server listens; in a session below all others, so that nothing of it counts later.
  await until(async () => {
    server.broker.receive(topicOf(robot().serial, "state"), stateMessage(server.clock.now(), 1, 1));
    return (await state()).live_at !== null;
  }, 50);
});
afterEach(() => server.close());

const robot = () => server.fixtures.ownRobot;
const state = () =>
  server.db.selectFrom("robot_state").selectAll().where("robot_id", "=", robot().id).executeTakeFirstOrThrow();
const forget = async () => (await server.as("admin")).call(forgetRobotState, { params: { id: robot().id } });
const audits = () =>
  server.db
    .selectFrom("audit")
    .select(["actor", "outcome", "reason", "before"])
    .where("action", "=", "FORGET_ROBOT_STATE")
    .execute();

/** Lets the server work, advancing time a little per check: an order is over after 8 s of this clock. */
async function until(check: () => Promise<boolean> | boolean, stepMs = 5): Promise<void> {
  while (!(await check())) {
    server.clock.advance(stepMs);
    await databaseNow(server.db);
  }
}

/** Waits for an answer while time passes. */
async function answered(call: Promise<Answer>): Promise<Answer> {
  let answer: Answer | null = null;
  void call.then((result) => (answer = result));
  await until(() => answer !== null);
  return call;
}

/** The robot publishes it once, and the server stores it. */
async function shows(session: number, seq: number, shown: Partial<StateMessage> = {}): Promise<void> {
  server.broker.receive(topicOf(robot().serial, "state"), stateMessage(server.clock.now(), session, seq, shown));
  await until(async () => {
    const row = await state();
    return row.session === session && row.state_seq === seq;
  });
}

function sent() {
  return server.broker.published
    .filter(({ topic }) => topic === topicOf(robot().serial, "command"))
    .map(({ payload }) => commandMessageSchema.parse(JSON.parse(payload)));
}

async function start() {
  const { serial: robotId, id: robotObjectId, siteId } = robot();
  const admin = await server.as("admin");
  return admin.call(sendCommand, { body: { robotId, robotObjectId, siteId, command: "START" } });
}

describe("protocol rule 14: forget this robot's state", () => {
  test("protocol rule 14: the next session is taken as the first, the state is requested immediately, and command numbers continue", async () => {
    await shows(2_000_000, 9, { battery: 70, lastSeq: 4_000 });
    await server.db.updateTable("robots").set({ last_command_seq: 4_000 }).where("id", "=", robot().id).execute();
    const { status, body } = await forget();
    const message = `The state of robot ${robot().serial} was forgotten; its next report will be accepted.`;
    expect([status, body]).toEqual([200, { message }]);
    await until(() => sent().some(({ verb }) => verb === "STATUS"));
    await shows(3, 1, { battery: 60 });
    expect(await state()).toMatchObject({ session: 3, battery: 60, online: true });
    const call = start();
    await until(() => sent().some(({ verb }) => verb === "START"));
    const order = sent().find(({ verb }) => verb === "START");
    expect(order).toMatchObject({ session: 3 });
    expect(order !== undefined && "seq" in order && order.seq).toBeGreaterThan(4_000);
    // The robot is silent from here on: the call ends at its deadline.
    expect((await answered(call)).status).toBe(504);
    expect(await audits()).toMatchObject([
      {
        actor: "Anita Rao",
        outcome: "DONE",
        before: { serial_number: robot().serial, session: 2_000_000, last_seq: 4_000, motion: "STOPPED" },
      },
    ]);
  });

  test("protocol rule 14: a START from before is over; the state of a robot that moves, or may, is not forgotten", async () => {
    await shows(2_000_000, 1);
    const call = start();
    await until(() => sent().some(({ verb }) => verb === "START"));
    expect((await forget()).status).toBe(409);
    const order = sent().find(({ verb }) => verb === "START");
    const runId = order?.verb === "START" ? order.runId : null;
    const lastSeq = order?.verb === "START" ? order.seq : 0;
    await shows(2_000_000, 2, { motion: "MOVING", status: "start", runId, lastSeq });
    expect((await answered(call)).status).toBe(200);
    const refused = await forget();
    expect([refused.status, (await audits()).map(({ outcome }) => outcome)]).toEqual([409, ["REFUSED", "REFUSED"]]);
    expect(await state()).toMatchObject({ session: 2_000_000, motion: "MOVING" });
  });

  test("protocol rule 14: a lock remains, is sent again under the new session, and no START is accepted", async () => {
    await shows(2_000_000, 1);
    const admin = await server.as("admin");
    const lock = admin.call(robotMaintenance, {
      params: { robotId: robot().id },
      body: { enabled: true, reason: "Brush worn" },
    });
    await until(() => sent().some(({ verb }) => verb === "MAINTENANCE_ON"));
    const on = sent().find(({ verb }) => verb === "MAINTENANCE_ON");
    const lastSeq = on !== undefined && "seq" in on ? on.seq : 0;
    await shows(2_000_000, 2, { mode: "MAINTENANCE", lastSeq });
    expect((await answered(lock)).status).toBe(200);
    expect((await forget()).status).toBe(200);
    const before = sent().length;
    await shows(3, 1);
    await until(() =>
      sent()
        .slice(before)
        .some(({ verb }) => verb === "MAINTENANCE_ON"),
    );
    expect((await answered(start())).status).toBe(409);
  });

  test("protocol rule 14: a lock that the robot has not shown yet does not prove that it has stopped", async () => {
    await shows(2_000_000, 1, { motion: "MOVING", status: "start" });
    const admin = await server.as("admin");
    const lock = admin.call(robotMaintenance, {
      params: { robotId: robot().id },
      body: { enabled: true, reason: "Brush worn" },
    });
    await until(() => sent().some(({ verb }) => verb === "MAINTENANCE_ON"));
    expect((await forget()).status).toBe(409);
    expect(await state()).toMatchObject({ session: 2_000_000, motion: "MOVING" });
    await answered(lock);
  });

  test("protocol rule 14: partners cannot forget a state, and a nonexistent robot is 404", async () => {
    const owner = await server.as("owner");
    expect((await owner.call(forgetRobotState, { params: { id: robot().id } })).status).toBe(403);
    const admin = await server.as("admin");
    expect((await admin.call(forgetRobotState, { params: { id: 1_000_000 } })).status).toBe(404);
  });
});
