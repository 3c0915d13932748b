import { randomUUID } from "node:crypto";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import type { MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BridgeServer as Server, BridgeServers } from "../../../test/bridge-servers.ts";
import { holdRobotRows, untilBlocked } from "../../../test/row-locks.ts";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import type { RealBroker } from "../../../test/real-broker.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { ingest } from "./ingest.repository.ts";
import { readConnectedRobots } from "./presence.repository.ts";
import { allShares } from "./shares.ts";

let bridges: BridgeServers;
let database: OpenDatabase;
let broker: RealBroker;

beforeEach(async () => {
  bridges = await BridgeServers.create();
  ({ database, broker } = bridges);
});
afterEach(() => bridges.close());

const startServer = (clocks?: StubClockCheck): Promise<Server> => bridges.start(clocks);

async function publishState(client: MqttClient, serial: string, seq: number, battery: number): Promise<void> {
  const at = bridges.all[0]?.clock.now() ?? new Date();
  const payload = JSON.stringify(stateMessage(at, 1, seq, { battery }));
  await client.publishAsync(topicOf(serial, "state"), payload, { qos: 1, retain: true });
}

const isStateOf = (serial: string) => (message: { readonly topic: string }) =>
  message.topic === topicOf(serial, "state");

/** Advances time until this server is the bridge; returns how long that took. */
async function secondsUntilBridge(server: Server): Promise<number> {
  for (let second = 1; second <= 10; second += 1) {
    await server.pass(1_000);
    if (server.bridge.active) return second;
  }
  return Number.POSITIVE_INFINITY;
}

/** Creates online robots as this server's bridge would store them; `queried` are those sent a STATUS since. */
async function createRobots(server: Server, count: number) {
  const at = server.clock.now();
  const queried: string[] = [];
  const robotIds: number[] = [];
  const robots: MqttClient[] = [];
  for (let index = 0; index < count; index += 1) {
    const serial = `ASK-${index}`;
    robotIds.push(await server.robot(serial));
    const online = server.watched.untilHandled(({ topic }) => topic === topicOf(serial, "connection"));
    const robot = await broker.robot(serial, 1, at);
    await online;
    robot.on("message", (_topic, payload) => {
      const command: unknown = JSON.parse(payload.toString());
      expect(command).toMatchObject({ verb: "STATUS", session: 1 });
      queried.push(serial);
    });
    await robot.subscribeAsync(topicOf(serial, "command"), { qos: 1 });
    robots.push(robot);
  }
  await server.pass(100);
  return { queried, robotIds, robots };
}

/**
 * Another server becomes the bridge and queries its first robots; `delivered` resolves when what it published has
 * arrived.
 */
async function takeOver(server: Server) {
  await server.pass(1_000);
  await server.pass(500);
  const fence = await broker.robot("FENCE-1", 1, server.clock.now());
  await fence.subscribeAsync(topicOf("FENCE-1", "command"), { qos: 1 });
  await server.pass(0);
  // Everything published before this message has been delivered once it has.
  const delivered = async () => {
    const arrived = new Promise<void>((resolve) => void fence.once("message", () => resolve()));
    await server.watched.publish(topicOf("FENCE-1", "command"), "{}");
    await arrived;
  };
  return { delivered };
}

describe("protocol rule 11: one bridge at a time", () => {
  test("protocol rule 11: of two servers one writes; when it is killed, the other takes over within 5 s from the retained messages", async () => {
    const one = await startServer();
    const two = await startServer();
    expect([one.bridge.active, two.bridge.active]).toEqual([true, false]);
    const robotId = await one.robot("TAKE-1");
    const robot = await broker.robot("TAKE-1", 1, one.clock.now());
    const first = one.watched.untilHandled(isStateOf("TAKE-1"));
    await publishState(robot, "TAKE-1", 1, 80);
    await first;
    await one.pass(100);
    expect(await one.stateOf(robotId)).toMatchObject({ online: true, battery: 80 });
    expect(two.watched.handled).toEqual([]);

    // The first server's connections are cut; its clock stops, as in a dead process.
    await one.loseLock();
    await one.bridge.idle();
    const handledByOne = one.watched.handled.length;
    await publishState(robot, "TAKE-1", 2, 70);
    const retained = two.watched.untilHandled(isStateOf("TAKE-1"));
    expect(await secondsUntilBridge(two)).toBeLessThanOrEqual(5);
    await retained;
    await two.pass(100);
    expect(await two.stateOf(robotId)).toMatchObject({ battery: 70, state_seq: 2 });
    const live = two.watched.untilHandled(isStateOf("TAKE-1"));
    await publishState(robot, "TAKE-1", 3, 60);
    await live;
    await two.pass(100);
    expect(await two.stateOf(robotId)).toMatchObject({ battery: 60, online: true });
    expect(one.watched.handled.length).toBe(handledByOne);
    expect(one.bridge.active).toBe(false);
  });

  test("protocol rule 11: a server that stops hands over at the next second", async () => {
    const one = await startServer();
    const two = await startServer();
    await one.bridge.stop();
    expect(await secondsUntilBridge(two)).toBe(1);
    expect(two.watched.handled).toEqual([]);
  });

  test("protocol rule 12: a server that cannot rely on its clock hands the bridge to another, and does not take it until it can", async () => {
    const clocks = new StubClockCheck();
    const one = await startServer(clocks);
    const two = await startServer();
    const robotId = await one.robot("CLOCK-1");
    const robot = await broker.robot("CLOCK-1", 1, one.clock.now());
    clocks.trouble = TROUBLE;
    await one.pass(1_000);
    expect(one.bridge.active).toBe(false);
    expect(one.log.join("\n")).toContain("this server resigns as the bridge: its clock is unreliable");
    const retained = two.watched.untilHandled(isStateOf("CLOCK-1"));
    expect(await secondsUntilBridge(two)).toBe(1);
    await publishState(robot, "CLOCK-1", 1, 70);
    await retained;
    await two.pass(100);
    expect(await two.stateOf(robotId)).toMatchObject({ battery: 70, online: true });
    // Once free again, the bridge stays vacant while the clock is wrong.
    await two.bridge.stop();
    await one.pass(3_000);
    expect(one.bridge.active).toBe(false);
    clocks.trouble = null;
    expect(await secondsUntilBridge(one)).toBe(1);
  });

  test("protocol rule 11: a bridge unaware that it was replaced overwrites nothing", async () => {
    const one = await startServer();
    const robotId = await one.robot("STALE-1");
    const at = one.clock.now();
    const batchOf = (seq: number, battery: number) => [
      {
        serial: "STALE-1",
        messages: [
          {
            leaf: "state" as const,
            message: stateMessage(at, 2, seq, { battery }),
            receivedAt: at,
            retained: false,
          },
        ],
      },
    ];
    await ingest(database.db, batchOf(9, 50), { now: () => at });
    const late = await ingest(database.db, batchOf(8, 99), { now: () => at });
    expect(late.readings).toBe(0);
    expect(await one.stateOf(robotId)).toMatchObject({ state_seq: 9, battery: 50 });
    // Concurrently: the later writer finds what the first one stored.
    await Promise.all([14, 11, 13, 12, 10].map((seq) => ingest(database.db, batchOf(seq, seq), { now: () => at })));
    expect(await one.stateOf(robotId)).toMatchObject({ state_seq: 14, battery: 14 });
  });

  test("protocol rule 11: after a takeover robots are asked for STATUS over 10 s, and receive what is pending", async () => {
    const one = await startServer();
    const two = await startServer();
    const { queried, robotIds } = await createRobots(one, 10);
    await one.bridge.stop();
    const { delivered } = await takeOver(two);
    await delivered();
    expect(queried.length).toBe(1);
    await two.pass(4_500);
    await delivered();
    expect(queried.length).toBe(5);
    await two.pass(5_500);
    await delivered();
    expect(queried.toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => `ASK-${index}`));
    expect(two.resent.toSorted((a, b) => a - b)).toEqual(robotIds);
  });

  test("protocol rule 6: after a takeover robots that a command waits for are queried immediately, then those that moved", async () => {
    const one = await startServer();
    const two = await startServer();
    const { queried, robotIds, robots } = await createRobots(one, 10);
    const moving = one.watched.untilHandled(isStateOf("ASK-6"));
    const state = stateMessage(one.clock.now(), 1, 1, { motion: "MOVING" });
    await robots[6]?.publishAsync(topicOf("ASK-6", "state"), JSON.stringify(state), { qos: 1, retain: true });
    await moving;
    await one.pass(100);
    await one.command(robotIds[9] ?? 0, "START", 1, randomUUID());
    await one.command(robotIds[8] ?? 0, "STOP", 1);
    await one.bridge.stop();
    const { delivered } = await takeOver(two);
    await delivered();
    expect(queried.toSorted()).toEqual(["ASK-6", "ASK-8", "ASK-9"]);
    await two.pass(9_500);
    await delivered();
    expect(queried.length).toBe(10);
  });

  test("protocol rule 6: after a takeover they are queried although what a large fleet retained is not stored yet", async () => {
    const one = await startServer();
    const two = await startServer();
    const { queried, robotIds } = await createRobots(one, 3);
    await one.command(robotIds[2] ?? 0, "START", 1, randomUUID());
    await one.bridge.stop();
    const [id = 0] = robotIds;
    const release = await holdRobotRows(database.db, { id });
    const retained = two.watched.untilHandled(({ topic }) => topic === topicOf("ASK-2", "connection"));
    await two.pass(1_000);
    await retained;
    two.clock.advance(500);
    await untilBlocked(database.db);
    await expect
      .poll(() => {
        two.clock.advance(100);
        return queried;
      })
      .toEqual(["ASK-2"]);
    await release();
    await two.bridge.idle();
    await two.pass(10_000);
    await expect.poll(() => new Set(queried).size).toBe(3);
  });

  test("protocol rule 11: after a takeover robots whose runs are due are queried immediately", async () => {
    const one = await startServer();
    const two = await startServer();
    const { queried, robotIds } = await createRobots(one, 10);
    const robot = database.db
      .selectFrom("robots")
      .select("site_id")
      .where("id", "=", robotIds[7] ?? 0);
    const { site_id } = await robot.executeTakeFirstOrThrow();
    const group = { site_id, group_name: "Due", name_key: "due" };
    const { id: group_id } = await database.db
      .insertInto("robot_groups")
      .values(group)
      .returning("id")
      .executeTakeFirstOrThrow();
    await database.db
      .insertInto("robot_group_members")
      .values({ robot_id: robotIds[7] ?? 0, group_id, site_id })
      .execute();
    const plan = { start_time: "2026-06-15 06:00:00", duration_minutes: 30, status: "ACTIVE" } as const;
    await database.db
      .insertInto("schedules")
      .values({ group_id, site_id, frequency: "ONCE", ...plan, next_run_at: one.clock.now() })
      .execute();
    await one.bridge.stop();
    const { delivered } = await takeOver(two);
    await delivered();
    expect(queried.toSorted()).toEqual(["ASK-0", "ASK-7"]);
  });

  test("protocol rule 11: after a takeover the robots are queried first that are moving, then those unheard for longest", async () => {
    const one = await startServer();
    const { robotIds } = await createRobots(one, 5);
    const heard = { 0: 20, 1: 40, 2: 10, 3: 30 };
    for (const [index, secondsAgo] of Object.entries(heard)) {
      await database.db
        .updateTable("robot_state")
        .set({ live_at: new Date(one.clock.now().getTime() - secondsAgo * 1_000) })
        .where("robot_id", "=", robotIds[Number(index)] ?? 0)
        .execute();
    }
    await database.db
      .updateTable("robot_state")
      .set({ motion: "MOVING" })
      .where("robot_id", "=", robotIds[2] ?? 0)
      .execute();
    const robots = await readConnectedRobots(database.db, allShares, one.clock.now());
    expect(robots.map(({ serial }) => serial)).toEqual(["ASK-2", "ASK-4", "ASK-1", "ASK-3", "ASK-0"]);
  });

  test("protocol rule 7: after the broker was away no robot counts as silent before all have been queried", async () => {
    const one = await startServer();
    const { queried, robotIds, robots } = await createRobots(one, 10);
    const last = one.watched.untilHandled(isStateOf("ASK-9"));
    for (const [index, robot] of robots.entries()) {
      const state = JSON.stringify(stateMessage(one.clock.now(), 1, 1));
      await robot.publishAsync(topicOf(`ASK-${index}`, "state"), state, { qos: 1, retain: true });
    }
    await last;
    await one.pass(11_000);
    await one.watched.cut();
    await one.pass(74_000);
    await one.watched.untilConnected();
    queried.length = 0;
    await one.pass(500);
    // For more than 90 s nothing has been heard of them, but one has not been queried.
    await one.pass(8_500);
    const online = async () => {
      const states = await Promise.all(robotIds.map((id) => one.stateOf(id)));
      return states.map((state) => state.online);
    };
    expect(await online()).toEqual(robotIds.map(() => true));
    await expect.poll(() => queried.length).toBe(9);
    await one.pass(6_000);
    await expect.poll(() => queried.length).toBe(10);
    expect(await online()).toEqual(robotIds.map(() => false));
  });

  test("protocol rule 7: a robot whose connection breaks is offline by its last will", async () => {
    const one = await startServer();
    const robotId = await one.robot("WILL-1");
    const robot = await broker.robot("WILL-1", 1, one.clock.now());
    const shown = one.watched.untilHandled(isStateOf("WILL-1"));
    await publishState(robot, "WILL-1", 1, 80);
    await shown;
    await one.pass(100);
    expect(await one.stateOf(robotId)).toMatchObject({ online: true });
    const will = one.watched.untilHandled(({ topic }) => topic === topicOf("WILL-1", "connection"));
    robot.stream.destroy();
    await will;
    await one.pass(100);
    expect(await one.stateOf(robotId)).toMatchObject({ online: false, connection: "CONNECTION_BROKEN" });
  });

  test("protocol rule 11: after a broker outage the bridge has what it missed, and requests the rest", async () => {
    const one = await startServer();
    const robotId = await one.robot("CUT-1");
    const robot = await broker.robot("CUT-1", 1, one.clock.now());
    const commands: unknown[] = [];
    robot.on("message", (_topic, payload) => commands.push(JSON.parse(payload.toString())));
    await robot.subscribeAsync(topicOf("CUT-1", "command"), { qos: 1 });
    const first = one.watched.untilHandled(isStateOf("CUT-1"));
    await publishState(robot, "CUT-1", 1, 80);
    await first;
    await one.pass(500);
    await one.pass(10_000);
    await one.watched.cut();
    const missed = one.watched.untilHandled(isStateOf("CUT-1"));
    await publishState(robot, "CUT-1", 2, 70);
    await missed;
    await one.pass(100);
    expect(await one.stateOf(robotId)).toMatchObject({ battery: 70, state_seq: 2 });
    commands.length = 0;
    const commanded = new Promise<void>((resolve) => void robot.once("message", () => resolve()));
    await one.pass(500);
    await one.pass(0);
    await commanded;
    expect(commands).toMatchObject([{ verb: "STATUS" }]);
    const live = one.watched.untilHandled(isStateOf("CUT-1"));
    await publishState(robot, "CUT-1", 3, 60);
    await live;
    await one.pass(100);
    expect(await one.stateOf(robotId)).toMatchObject({ battery: 60, online: true });
  });
});
