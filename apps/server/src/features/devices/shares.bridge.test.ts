import { randomUUID } from "node:crypto";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import fc from "fast-check";
import { sql } from "kysely";
import pg from "pg";
import type { MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BridgeServer, BridgeServers, serialInShares } from "../../../test/bridge-servers.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { siteOutageAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { raiseSiteAlert } from "../alerts/alerts.repository.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { readBridgeStatus } from "./bridge-lock.ts";
import { ingest } from "./ingest.repository.ts";
import { ensureReadingsPartitions } from "./robot-state.repository.ts";
import { allShares, shareOf, shareOfColumn } from "./shares.ts";

let bridges: BridgeServers;

beforeEach(async () => {
  bridges = await BridgeServers.create();
});
afterEach(() => bridges.close());

const isStateOf = (serial: string) => (message: { readonly topic: string }) =>
  message.topic === topicOf(serial, "state");

/** Servers that have divided the shares. */
async function divided(...shares: number[]): Promise<BridgeServer[]> {
  const servers: BridgeServer[] = [];
  for (const _ of shares) servers.push(await bridges.start());
  await bridges.untilShares(servers, shares);
  return servers;
}

const publishState = (client: MqttClient, serial: string, state: ReturnType<typeof stateMessage>) =>
  client.publishAsync(topicOf(serial, "state"), JSON.stringify(state), { qos: 1, retain: true });

const statesOf = (server: BridgeServer) => server.bridge.messages.get("state") ?? 0;

test("protocol rule 11: servers and database agree on each robot's share", async () => {
  const { db } = bridges.database;
  const serials = fc.sample(fc.string({ unit: fc.constantFrom("A", "Z", "0", "9", "-", "_", " ", "é", "😀") }), 500);
  const { rows } = await sql<{ serial: string; share: number }>`
    select serial, ${shareOfColumn("serial")} as share from unnest(${serials}::text[]) n (serial)`.execute(db);
  expect(rows.map(({ serial }) => shareOf(serial))).toEqual(rows.map(({ share }) => share));
  expect(new Set(rows.map(({ share }) => share))).toEqual(new Set(allShares));
});

describe("protocol rule 11: one bridge for each robot", () => {
  test("protocol rule 11: a single server is the bridge of all robots at once; one that joins gets half, a third one a third", async () => {
    const one = await bridges.start();
    expect(bridges.shares(one)).toEqual([16]);
    const two = await bridges.start();
    await bridges.untilShares([one, two], [8, 8]);
    const three = await bridges.start();
    await bridges.untilShares([one, two, three], [6, 5, 5]);
    const held = [one, two, three].flatMap(({ bridge }) => [...bridge.shares]);
    expect(held.toSorted((a, b) => a - b)).toEqual(allShares);
    // Nothing moves any more.
    const before = [one, two, three].map(({ bridge }) => bridge.shares);
    for (let second = 0; second < 5; second += 1) for (const server of bridges.all) await server.pass(1_000);
    expect([one, two, three].map(({ bridge }) => bridge.shares)).toEqual(before);
  });

  test("protocol rule 11: each message is stored by its robot's bridge only, and what is wrong with it counted only there", async () => {
    const servers = await divided(6, 5, 5);
    const robots = [];
    for (const server of servers) {
      const serial = serialInShares("EACH", server.bridge.shares);
      robots.push({ server, serial, id: await server.robot(serial) });
    }
    for (const { serial } of robots) {
      const robot = await bridges.broker.robot(serial, 1, bridges.all[0]?.clock.now() ?? new Date());
      const heard = bridges.all.map(({ watched }) =>
        watched.untilHandled(({ topic, payload }) => topic === topicOf(serial, "state") && payload.length > 9),
      );
      await robot.publishAsync(topicOf(serial, "state"), "{", { qos: 1 });
      await publishState(robot, serial, stateMessage(new Date(), 1, 1, { battery: 61 }));
      await Promise.all(heard);
    }
    for (const { server, id } of robots) {
      await server.pass(100);
      expect(await server.stateOf(id)).toMatchObject({ battery: 61, state_seq: 1 });
      expect(statesOf(server)).toBe(1);
      expect(server.bridge.badMessages).toEqual({ json: 1 });
    }
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from readings`.execute(
      bridges.database.db,
    );
    expect(rows).toEqual([{ count: 3 }]);
  });

  test("protocol rule 11: the shares of a killed server are taken by the others within 5 s, who then hear from its robots", async () => {
    const [one, two, three] = (await divided(6, 5, 5)) as [BridgeServer, BridgeServer, BridgeServer];
    const serial = serialInShares("KILLED", three.bridge.shares);
    const kept = serialInShares("KEPT", one.bridge.shares);
    const robotId = await three.robot(serial);
    const keptId = await one.robot(kept);
    const robot = await bridges.broker.robot(serial, 1, three.clock.now());
    const other = await bridges.broker.robot(kept, 1, three.clock.now());
    await three.loseLock();
    expect(bridges.shares(three)).toEqual([0]);
    // PostgreSQL frees the locks after it has ended the connection.
    await expect.poll(() => readBridgeStatus(bridges.database.db)).toBe("partly");
    const missed = two.watched.untilHandled(isStateOf(serial));
    await publishState(robot, serial, stateMessage(three.clock.now(), 1, 1, { battery: 42 }));
    await missed;
    // The others go on as before, also while they learn what the broker retains.
    const states = statesOf(one);
    const again = [one, two].map(({ watched }) =>
      watched.untilHandled(({ topic, retained }) => retained && topic === topicOf(serial, "state")),
    );
    await one.pass(1_000);
    await two.pass(1_000);
    expect(bridges.shares(one, two)).toEqual([8, 8]);
    await Promise.all(again);
    const live = one.watched.untilHandled(isStateOf(kept));
    await publishState(other, kept, stateMessage(one.clock.now(), 1, 1, { battery: 43 }));
    await live;
    expect(statesOf(one) + statesOf(two)).toBe(states + 2);
    for (const server of [one, two]) await server.pass(100);
    expect(await one.stateOf(robotId)).toMatchObject({ battery: 42, live_at: null });
    expect(await one.stateOf(keptId)).toMatchObject({ battery: 43, online: true });
    // The first server is back, and gets its part again.
    await bridges.untilShares([one, two, three], [6, 5, 5]);
  });

  test("protocol rule 11: what had arrived is stored before a share moves, and no robot of it is silent until its new bridge can know", async () => {
    const one = await bridges.start();
    const two = await bridges.start();
    const serials = Array.from({ length: 40 }, (_, index) => `MOVE-${index}`);
    const ids = new Map<string, number>();
    for (const serial of serials) ids.set(serial, await one.robot(serial));
    const robots = new Map<string, MqttClient>();
    for (const serial of serials) robots.set(serial, await bridges.broker.robot(serial, 1, one.clock.now()));
    await one.pass(2_000);
    const arrived = one.watched.untilHandled(isStateOf("MOVE-39"));
    for (const [serial, robot] of robots) await publishState(robot, serial, stateMessage(one.clock.now(), 1, 1));
    await arrived;
    await bridges.untilShares([one, two], [8, 8]);
    for (const id of ids.values()) expect(await one.stateOf(id)).toMatchObject({ state_seq: 1, online: true });
    // 90 s later only robots are silent that their bridge has had the time to hear from.
    const moved = serials.filter((serial) => two.bridge.shares.has(shareOf(serial)));
    expect(moved.length).toBeGreaterThan(0);
    await one.pass(95_000);
    for (const serial of serials) {
      const isOnline = moved.includes(serial);
      expect(await one.stateOf(ids.get(serial) ?? 0)).toMatchObject({ online: isOnline });
    }
  });

  test("protocol rule 6: a START and a STOP whose robots get another bridge are confirmed by it", async () => {
    const one = await bridges.start();
    const two = await bridges.start();
    await two.pass(1_000);
    await one.pass(1_000);
    await one.pass(1_000);
    const serials = Array.from({ length: 12 }, (_, index) => `GOING-${index}`);
    const commands = new Map<string, string>();
    const answers = new Map<string, () => Promise<unknown>>();
    for (const [index, serial] of serials.entries()) {
      const id = await one.robot(serial);
      const robot = await bridges.broker.robot(serial, 1, one.clock.now());
      const runId = randomUUID();
      const verb = index % 2 === 0 ? ("START" as const) : ("STOP" as const);
      commands.set(serial, await one.command(id, verb, 5, verb === "START" ? runId : undefined));
      const shown = { lastSeq: 5, ...(verb === "START" && { motion: "MOVING" as const, runId }) };
      let seq = 0;
      answers.set(serial, () => publishState(robot, serial, stateMessage(one.clock.now(), 1, (seq += 1), shown)));
      robot.on("message", () => void answers.get(serial)?.());
      await robot.subscribeAsync(topicOf(serial, "command"), { qos: 1 });
    }
    await one.pass(100);
    // The third check moves half of the shares; robots show what they do while nobody listens to these.
    await one.pass(1_000);
    expect(bridges.shares(one, two)).toEqual([8, 0]);
    const shownTo = one.watched.untilHandled(isStateOf("GOING-11"));
    for (const answer of answers.values()) await answer();
    await shownTo;
    await one.pass(100);
    const orphans = serials.filter((serial) => !one.bridge.shares.has(shareOf(serial)));
    expect(orphans.length).toBeGreaterThan(1);
    const outcomes = async () => {
      const rows = await bridges.database.db.selectFrom("commands").select(["id", "outcome"]).execute();
      const byId = new Map(rows.map(({ id, outcome }) => [id, outcome]));
      return serials.filter((serial) => byId.get(commands.get(serial) ?? "") !== "CONFIRMED");
    };
    expect(await outcomes()).toEqual(orphans);
    await two.pass(1_000);
    expect(bridges.shares(two)).toEqual([8]);
    const heard = orphans.map((serial) =>
      two.watched.untilHandled(({ topic, retained }) => !retained && topic === topicOf(serial, "state")),
    );
    await two.pass(500);
    await two.pass(0);
    await Promise.all(heard);
    await two.pass(100);
    expect(await outcomes()).toEqual([]);
  });
});

describe("protocol rule 11: who can be a bridge", () => {
  test("protocol rule 11: a server of 1.0.0 keeps newer ones out, and they it", async () => {
    const old = new pg.Client(bridges.database.connection);
    await old.connect();
    const tries = async () => (await old.query("select pg_try_advisory_lock(7305002) as held")).rows;
    expect(await tries()).toEqual([{ held: true }]);
    const one = await bridges.start();
    const two = await bridges.start();
    for (const server of [one, two]) await server.pass(3_000);
    expect(bridges.shares(one, two)).toEqual([0, 0]);
    // Readiness: it is the bridge of all robots.
    expect(await readBridgeStatus(bridges.database.db)).toBe("works");
    await old.query("select pg_advisory_unlock_all()");
    await bridges.untilShares([one, two], [8, 8]);
    expect(await tries()).toEqual([{ held: false }]);
    await one.bridge.stop();
    expect(await tries()).toEqual([{ held: false }]);
    await two.bridge.stop();
    expect(await tries()).toEqual([{ held: true }]);
    await old.end();
  });

  test("protocol rule 11: a server without the broker leaves its robots to one that has it, and keeps them if none has", async () => {
    const [one, two] = (await divided(8, 8)) as [BridgeServer, BridgeServer];
    await one.watched.cut();
    await one.pass(1_000);
    expect(await readBridgeStatus(bridges.database.db)).toBe("cut-off");
    // A short outage moves nothing.
    await two.pass(3_000);
    expect(bridges.shares(one, two)).toEqual([8, 8]);
    await one.watched.untilConnected();
    await one.pass(1_000);
    expect(await readBridgeStatus(bridges.database.db)).toBe("works");
    one.watched.isCut = true;
    await bridges.untilShares([one, two], [0, 16]);
    two.watched.isCut = true;
    await two.pass(5_000);
    expect(bridges.shares(two)).toEqual([16]);
    expect(await readBridgeStatus(bridges.database.db)).toBe("cut-off");
  });
});

test("protocol rule 11: two bridges store at the same time for robots of one site, and nothing is lost or deadlocks", async () => {
  const [one] = await divided(8, 8);
  if (one === undefined) throw new Error("There is no server.");
  const { db } = bridges.database;
  const other = openDatabase(bridges.database.connection, { poolSize: 2 });
  const at = one.clock.now();
  const serials = Array.from({ length: 60 }, (_, index) => `BOTH-${index}`);
  for (const serial of serials) await one.robot(serial);
  const rounds = 15;
  const store = async (of: typeof db, own: readonly string[]) => {
    for (let round = 1; round <= rounds; round += 1) {
      const receivedAt = new Date(at.getTime() + round * 1_000);
      const batch = own.map((serial) => {
        const moving = round % 2 === 1 ? { motion: "MOVING" as const, runId: randomUUID() } : {};
        const alerts = [{ code: `E${round % 3}`, severity: "WARNING" as const, text: "Brush worn" }];
        const message = stateMessage(receivedAt, 1, round, { alerts, battery: 60 + round, ...moving });
        const state = { leaf: "state" as const, message, receivedAt, retained: false };
        return { serial, messages: [state] };
      });
      expect((await ingest(of, batch, { now: () => receivedAt })).readings).toBe(own.length);
    }
  };
  // The site goes dark again and again while its robots return.
  const darken = async () => {
    for (let round = 1; round <= rounds; round += 1)
      await db.transaction().execute((tx) => raiseSiteAlert(tx, one.siteId, siteOutageAlert(60), at));
  };
  const mine = (serial: string) => one.bridge.shares.has(shareOf(serial));
  await Promise.all([
    store(db, serials.filter(mine)),
    store(other.db, serials.filter((serial) => !mine(serial)).toReversed()),
    darken(),
    ensureReadingsPartitions(db, new Date("2031-01-05")),
    ensureReadingsPartitions(other.db, new Date("2031-01-05")),
  ]);
  await other.close();
  const { rows } = await sql<{ readings: number; open: number; deadlocks: number }>`
    select (select count(*)::int from readings) as readings,
      (select count(*)::int from alerts where robot_id is not null and cleared_at is null) as open,
      (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks`.execute(db);
  expect(rows).toEqual([{ readings: 60 * rounds, open: 60, deadlocks: 0 }]);
});
