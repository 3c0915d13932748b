import { deviceList, retireDevice, rotateDeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import mqtt, { type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FREE_SERIAL, type TestRobot } from "../../../test/fixtures.ts";
import type { Broker } from "../../platform/broker.ts";
import { acceptOrders } from "../commands/public.ts";

/** Holds STARTs back between the server and the broker until the test releases them. */
class HoldingBroker extends InterruptibleBroker {
  holds = false;
  readonly held = Promise.withResolvers<void>();
  readonly letGo = Promise.withResolvers<void>();

  override async publish(topic: string, payload: string): Promise<void> {
    if (this.holds && payload.includes('"START"')) {
      this.held.resolve();
      await this.letGo.promise;
    }
    await super.publish(topic, payload);
  }
}

let harness: CommandHarness;
let broker: HoldingBroker;
let robot: TestRobot;
const clients: MqttClient[] = [];

const wrapBroker = (inner: Broker) => (broker = new HoldingBroker(inner));
beforeEach(async () => {
  harness = await CommandHarness.open({ wrapBroker, more: 6 });
  robot = harness.fixtures.ownRobot;
  await harness.live(robot);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  await harness.close();
});

const retire = async (which = robot) =>
  (await harness.server.as("admin")).call(retireDevice, { params: { serial: which.serial } });
const started = () => broker.published.filter(({ payload }) => payload.includes('"START"')).length;
const messagesTo = ({ serial }: TestRobot) =>
  broker.published.filter(({ topic }) => topic === topicOf(serial, "command")).length;

/** Signs in to the broker as the device would; resolves to the outcome. */
async function signIn(serial: string, password: string): Promise<"in" | "refused"> {
  const client = mqtt.connect(harness.mqtt.url, { clientId: serial, username: serial, password, reconnectPeriod: 0 });
  clients.push(client);
  return new Promise((resolve) => {
    client.on("error", () => resolve("refused"));
    client.once("connect", () => resolve("in"));
  });
}

describe("protocol rule 9: a retired device", () => {
  test("protocol rule 9: its robot is stopped, then cut off immediately, and its run ends", async () => {
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    const cutOff = harness.robot().until(({ connected }) => !connected);
    expect(await retire()).toMatchObject({ status: 200, body: { message: "Device OWN-1 retired" } });
    await cutOff;
    expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED", connected: false });
    expect(await harness.state()).toMatchObject({ online: false, robot_status: "offline" });
    expect((await harness.commands()).map(({ verb, outcome }) => [verb, outcome])).toEqual([
      ["START", "CONFIRMED"],
      ["STOP", "CONFIRMED"],
    ]);
    const open = harness.db.selectFrom("runs").where("ended_at", "is", null).select("id");
    expect(await open.execute()).toEqual([]);
    expect(await signIn(robot.serial, robot.secret)).toBe("refused");
  });

  test("protocol rule 9: a robot that does not receive the Stop is cut off all the same", async () => {
    expect(await harness.press("START")).toMatchObject({ status: 200 });
    harness.robot().inject({ kind: "deaf" });
    const cutOff = harness.robot().until(({ connected }) => !connected);
    expect(await retire()).toMatchObject({ status: 200 });
    await cutOff;
    expect((await harness.commands()).filter(({ settled_at }) => settled_at === null)).toEqual([]);
    const [, stop, last] = await harness.commands();
    expect([stop?.verb, last?.verb, last?.outcome]).toEqual(["STOP", "STOP", "UNCONFIRMED"]);
    const run = await harness.db.selectFrom("runs").selectAll().executeTakeFirstOrThrow();
    expect(run).toMatchObject({ outcome: "CUT_SHORT", reason: "LINK_LOST" });
  });

  test("protocol rule 9: it is never commanded again: every command is refused, commands to many robots skip it", async () => {
    await harness.live(harness.fixtures.ownRobot2);
    await retire();
    const before = messagesTo(robot);
    const admin = await harness.server.as("admin");
    const params = { robotId: robot.id };
    const refused = "The device OWN-1 was retired, so the robot can no longer be commanded.";
    for (const command of ["START", "STOP"] as const) {
      expect(await harness.press(command)).toMatchObject({ status: 409, body: { success: false, message: refused } });
    }
    const body = { cleaning_direction: "REVERSE" } as const;
    expect(await admin.call(updateRobotSettings, { params, body })).toMatchObject({
      status: 409,
      body: { message: refused },
    });
    const lock = { enabled: true, reason: "Brush worn" } as const;
    expect(await admin.call(robotMaintenance, { params, body: lock })).toMatchObject({ status: 409 });
    expect((await admin.call(robotStatus, { query: { robotId: robot.serial } })).status).toBe(504);
    const { results } = await admin.ask(siteStop, { body: { siteId: robot.siteId } });
    expect(results.find(({ robotId }) => robotId === robot.serial)).toMatchObject({
      outcome: "SKIPPED",
      message: refused,
      pending: false,
    });
    expect(results.find(({ robotId }) => robotId === "OWN-2")).toMatchObject({ outcome: "SUCCESS" });
    expect(messagesTo(robot)).toBe(before);
    expect((await harness.audit()).filter(({ outcome }) => outcome === "REFUSED").map(({ action }) => action)).toEqual([
      "START_ROBOT",
      "STOP_ROBOT",
      "UPDATE_SETTINGS",
      "MAINTENANCE_ON",
      "STOP_ROBOT",
    ]);
  });

  test("protocol rule 9: a robot in maintenance loses its lock, so that it can be given another machine", async () => {
    const admin = await harness.server.as("admin");
    const params = { robotId: robot.id };
    await admin.ask(robotMaintenance, { params, body: { enabled: true, reason: "Brush worn" } });
    await retire();
    const locks = harness.db.selectFrom("maintenance_locks").select(["released_by", "released_at"]);
    expect(await locks.execute()).toMatchObject([{ released_by: "Anita Rao", released_at: expect.any(Date) }]);
    const form = { robot_name: "Sweeper", installation_date: "2026-01-01", motor_type: "BLDC", control_type: "PLC" };
    const body = { ...form, site_id: robot.siteId, serial_number: FREE_SERIAL };
    expect(await admin.call(updateRobot, { params: { id: robot.id }, body })).toMatchObject({ status: 200 });
    // Its new machine is like any other: offline until it connects.
    const press = { ...robot, serial: FREE_SERIAL };
    expect(await harness.press("START", { robot: press })).toMatchObject({ status: 504 });
  });

  test("protocol rule 9: messages in its name are ignored", async () => {
    const { ownRobot2 } = harness.fixtures;
    await harness.live(ownRobot2);
    const say = async (of: TestRobot, state: "ONLINE" | "OFFLINE") => {
      const session = (await harness.state(of)).session + 1;
      const message = { v: 1, state, session, ts: new Date().toISOString() };
      await harness.observer.publish(topicOf(of.serial, "connection"), JSON.stringify(message));
      return session;
    };
    await retire();
    const before = await harness.state();
    await say(robot, "ONLINE");
    // A message that counts follows it over the same connection.
    const session = await say(ownRobot2, "OFFLINE");
    await harness.until(async () => (await harness.state(ownRobot2)).session >= session);
    expect(await harness.state()).toEqual(before);
  });

  test("protocol rule 9: a state that waits for the robot's row during the retirement does not bring it back", async () => {
    const { db } = harness;
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    // A transaction holds the row: first the retirement waits for it, then the robot's next state.
    const holder = db.transaction().execute(async (tx) => {
      await tx.selectFrom("robot_state").select("robot_id").where("robot_id", "=", robot.id).forUpdate().execute();
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const retired = retire();
    harness.robot().setByHand({ battery: 50 });
    release.resolve();
    await holder;
    expect(await retired).toMatchObject({ status: 200 });
    await harness.robot().until(({ connected }) => !connected);
    expect(await harness.state()).toMatchObject({ online: false, robot_status: "offline" });
  });
});

describe("protocol rule 9: a START concurrent with a retirement", () => {
  test("protocol rule 9: accepted but not published, it is never published", async () => {
    const { db, clock, fixtures } = harness;
    const by = { userId: null, name: "Anita Rao", actionType: "MANUAL" } as const;
    const order = { verb: "START", by, mode: "AUTO", maxDurationS: 600 } as const;
    const [accepted] = await db
      .transaction()
      .execute((tx) => acceptOrders(tx, fixtures.ownSiteId, [robot.id], order, clock.now()));
    if (accepted?.accepted.kind !== "stored") throw new Error("The START was refused.");
    await retire();
    // The server that stored it sends it now, and another that has restarted looks for leftovers.
    const other = await harness.startServer();
    await other.stop();
    expect([started(), harness.robot().truth().startsTaken]).toEqual([0, []]);
    expect(await harness.commands()).toMatchObject([{ verb: "START", outcome: "UNCONFIRMED", claimed_by: null }, {}]);
  });

  test("protocol rule 9: already on its way to the broker, it arrives after the cut and moves nothing", async () => {
    broker.holds = true;
    const pressed = harness.press("START");
    await broker.held.promise;
    expect(await retire()).toMatchObject({ status: 200 });
    broker.letGo.resolve();
    expect(await pressed).toMatchObject({ status: 409 });
    await harness.robot().until(({ connected }) => !connected);
    expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED", startsTaken: [] });
    expect((await harness.commands()).filter(({ settled_at }) => settled_at === null)).toEqual([]);
  });

  test("protocol rule 9: pressed at the same moment, it leaves no robot moving and nothing open", async () => {
    const { moreRobots } = harness;
    for (const each of moreRobots) await harness.live(each);
    await Promise.all(moreRobots.flatMap((each) => [harness.press("START", { robot: each }), retire(each)]));
    for (const each of moreRobots) {
      await harness.robot(each).until(({ connected, motion }) => !connected && motion === "STOPPED");
      expect((await harness.commands(each)).filter(({ settled_at }) => settled_at === null)).toEqual([]);
    }
    expect(await harness.db.selectFrom("runs").where("ended_at", "is", null).select("id").execute()).toEqual([]);
  });
});

describe("protocol rule 9: a rotated secret", () => {
  test("protocol rule 9: the connection with the old one ends immediately, only the new one signs in", async () => {
    const admin = await harness.server.as("admin");
    const cutOff = harness.robot().until(({ connected }) => !connected);
    const { secret } = await admin.ask(rotateDeviceSecret, { params: { serial: robot.serial } });
    await cutOff;
    expect(await signIn(robot.serial, robot.secret)).toBe("refused");
    expect(await signIn(robot.serial, secret)).toBe("in");
    const list = await admin.ask(deviceList);
    expect(list.find(({ serial }) => serial === robot.serial)).toMatchObject({ broker_pending: false });
  });
});
