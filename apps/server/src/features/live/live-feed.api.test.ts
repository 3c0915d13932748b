import { once } from "node:events";
import type { Readable } from "node:stream";
import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { KyselyPlugin } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { announceChange, ChangeSignal } from "../../platform/change-signal.ts";
import { changedNow } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { LiveFeed } from "./live-feed.ts";

/** What happens to the queries for robot updates. */
let reading: "goes on" | "fails" | "stands still";
let hanging: PromiseWithResolvers<void>;
let failed: PromiseWithResolvers<void>;
let hung: PromiseWithResolvers<void>;
let server: TestApp;
let changes: ChangeSignal;
let feed: LiveFeed;
let admin: Viewer;

beforeEach(async () => {
  reading = "goes on";
  hanging = Promise.withResolvers();
  failed = Promise.withResolvers();
  hung = Promise.withResolvers();
  server = await createTestApp();
  const held = new WeakSet<object>();
  const faults: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const readsRobots = node.kind === "SelectQueryNode" && JSON.stringify(node).includes("robot_state");
      if (readsRobots && reading === "stands still") {
        held.add(queryId);
        hung.resolve();
      }
      if (readsRobots && reading === "fails") {
        failed.resolve();
        throw new Error("A query of the test fails.");
      }
      return node;
    },
    async transformResult({ result, queryId }) {
      // What was read is as old as the query.
      if (held.has(queryId)) await hanging.promise;
      return result;
    },
  };
  const { db, clock, deps, fixtures } = server;
  changes = new ChangeSignal({ ...deps, clock });
  feed = new LiveFeed({ ...deps, db: db.withPlugin(faults) }, changes);
  const { token } = await server.as("admin");
  if (token === null) throw new Error("Nobody is signed in.");
  const { id: sessionId } = await db.selectFrom("sessions").select("id").executeTakeFirstOrThrow();
  admin = {
    userId: fixtures.userIds.admin,
    name: "A",
    email: "a@a.example",
    role: "SUPER_ADMIN",
    partnerId: null,
    sessionId,
  };
  await changes.start();
  await feed.start();
});
afterEach(async () => {
  hanging.resolve();
  await feed.stop();
  await changes.stop();
  await server.close();
});

const open = () => feed.open(admin, new AbortController().signal);

async function nextOf(stream: Readable): Promise<LiveEvent> {
  for (;;) {
    const bytes: unknown = stream.read();
    if (stream.readableEnded || stream.destroyed) throw new Error("The stream has ended.");
    if (!Buffer.isBuffer(bytes)) await once(stream, "readable");
    else {
      // One push is one event.
      const [first = "", ...rest] = bytes.toString("utf8").split("\n\n");
      if (rest.join("") !== "") stream.unshift(rest.join("\n\n"));
      if (first.startsWith("data: ")) return live.response.parse(JSON.parse(first.slice(6)));
    }
  }
}

const batteryIn = (event: LiveEvent) =>
  event.type === "end"
    ? undefined
    : event.robots.find((robot) => robot.robot_id === server.fixtures.ownRobot.id)?.battery_level;

const setBattery = (battery: number, rest: { readonly robot_status?: RobotStatus } = {}) =>
  server.db
    .updateTable("robot_state")
    .set({ battery, ...rest, change_no: changedNow })
    .where("robot_id", "=", server.fixtures.ownRobot.id)
    .execute();

/** Advances time, poll by poll, until the next event arrives. */
async function eventAsTimePasses(stream: Readable): Promise<LiveEvent> {
  const arrived = new AbortController();
  const arriving = nextOf(stream).finally(() => arrived.abort());
  while (!arrived.signal.aborted) {
    server.clock.advance(500);
    await server.db.selectFrom("sites").select("id").execute();
  }
  return arriving;
}

describe("wire, Live: what one part of the feed waits for", () => {
  test("wire, Live: a change that could not be read is sent by the next poll that can read it", async () => {
    const stream = await open();
    expect((await nextOf(stream)).type).toBe("snapshot");
    reading = "fails";
    await setBattery(41);
    server.clock.advance(1_000);
    server.clock.advance(100);
    await failed.promise;
    reading = "goes on";
    expect(batteryIn(await eventAsTimePasses(stream))).toBe(41);
  });

  test("wire, Live: an announced change is sent at once, and those that follow within 100 ms together", async () => {
    const stream = await open();
    expect((await nextOf(stream)).type).toBe("snapshot");
    const announced = async (battery: number) => {
      await setBattery(battery);
      await announceChange(server.db);
    };
    await announced(41);
    // Time stands still.
    expect(batteryIn(await nextOf(stream))).toBe(41);
    await announced(42);
    await announced(43);
    server.clock.advance(100);
    expect(batteryIn(await nextOf(stream))).toBe(43);
  });

  test("wire, Live: a robot's report carries its site only if that has changed, or if a stream may not have it", async () => {
    const { ownSiteId } = server.fixtures;
    const reported = async (streams: Readable[], battery: number, robot_status?: RobotStatus) => {
      await setBattery(battery, robot_status && { robot_status });
      await announceChange(server.db);
      server.clock.advance(100);
      // Time stands still meanwhile: a stream that is not read is cut off after two heartbeats.
      const events = await Promise.all(streams.map(nextOf));
      return events.map((event) => [
        batteryIn(event),
        event.type === "update" && event.sites.filter(({ id }) => id === ownSiteId).map(({ status }) => status),
      ]);
    };
    const first = await open();
    /** From heartbeat to heartbeat: a stream that is not read is cut off. */
    const repeat = async () => {
      for (const battery of [31, 32, 33]) {
        server.clock.advance(15_000);
        await reported([first], battery);
      }
    };
    expect((await nextOf(first)).type).toBe("snapshot");
    await reported([first], 40, "normal");
    await repeat();
    expect(await reported([first], 41)).toEqual([[41, []]]);
    expect(await reported([first], 42, "critical")).toEqual([[42, ["fault"]]]);
    // A list of sites that was requested before may arrive now.
    expect(await reported([first], 43)).toEqual([[43, ["fault"]]]);
    await repeat();
    expect(await reported([first], 44)).toEqual([[44, []]]);
    const second = await open();
    expect((await nextOf(second)).type).toBe("snapshot");
    const both = [45, ["fault"]];
    expect(await reported([first, second], 45)).toEqual([both, both]);
  });

  test("wire, Live: many streams opening together delay nobody's updates, and each gets what changed in the meantime", async () => {
    await setBattery(50);
    const stream = await open();
    expect(batteryIn(await nextOf(stream))).toBe(50);
    reading = "stands still";
    const beginning = Array.from({ length: 30 }, open);
    await hung.promise;
    reading = "goes on";
    await setBattery(41);
    expect(batteryIn(await eventAsTimePasses(stream))).toBe(41);
    hanging.resolve();
    for (const begun of await Promise.all(beginning)) {
      const snapshot = await nextOf(begun);
      expect(snapshot.type).toBe("snapshot");
      const news = batteryIn(snapshot) === 41 ? snapshot : await nextOf(begun);
      expect(batteryIn(news)).toBe(41);
    }
  });
});
