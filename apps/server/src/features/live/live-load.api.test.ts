import { live, LIVE_HEARTBEAT_MS, type LiveEvent } from "@suncrew/contract/live/live.ts";
import { type KyselyPlugin, sql } from "kysely";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addPartner, addRobot, addSite } from "../../../test/fixtures.ts";
import { holdLock, untilBlocked } from "../../../test/row-locks.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { ChangeSignal } from "../../platform/change-signal.ts";
import { changedNow } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { endSession, openSession, type Viewer } from "../../platform/sessions.ts";
import { LiveFeed } from "./live-feed.ts";

let server: TestApp;
let changes: ChangeSignal;
let feed: LiveFeed;
/** Snapshots begun, and queries for their contents. */
let snapshots: number;
let robotReads: number;
let letGo: () => Promise<void>;

beforeEach(async () => {
  server = await createTestApp();
  snapshots = 0;
  robotReads = 0;
  letGo = async () => {};
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const text = node.kind === "SelectQueryNode" ? JSON.stringify(node) : "";
      // Each begins by reading the scope mark.
      if (text.includes("bit_xor")) snapshots += 1;
      if (text.includes("robot_state")) robotReads += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  changes = new ChangeSignal({ ...server.deps, clock: server.clock });
  feed = new LiveFeed({ ...server.deps, db: server.db.withPlugin(counter) }, changes);
  await changes.start();
  await feed.start();
});
afterEach(async () => {
  await letGo();
  await feed.stop();
  await changes.stop();
  await server.close();
});

async function signedIn(person: "admin" | "owner" | "stranger"): Promise<Viewer> {
  const { userIds, ownerPartnerId, strangerPartnerId } = server.fixtures;
  const partnerId = { admin: null, owner: ownerPartnerId, stranger: strangerPartnerId }[person];
  const role = partnerId === null ? "SUPER_ADMIN" : "PARTNER";
  return viewerOf({ userId: userIds[person], name: person, role, partnerId });
}

async function viewerOf(user: Pick<Viewer, "userId" | "name" | "role" | "partnerId">): Promise<Viewer> {
  const now = server.clock.now();
  const session = { userId: user.userId, now, expiresAt: new Date(now.getTime() + 3_600_000) };
  return { ...user, email: `${user.name}@a.example`, sessionId: await openSession(server.db, session) };
}

const neverAborted = new AbortController().signal;
const open = (viewer: Viewer, disconnected = neverAborted) => feed.open(viewer, disconnected);

/** Everything a stream carries until it ends. */
async function eventsOf(stream: Readable): Promise<LiveEvent[]> {
  let text = "";
  for await (const part of stream) text += String(part);
  return text
    .split("\n\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => live.response.parse(JSON.parse(line.slice(6))));
}

const closed = (stream: Readable) => new Promise<void>((resolve) => void stream.once("close", () => resolve()));

const setAddress = (address: string) =>
  server.db
    .updateTable("sites")
    .set({ address, change_no: changedNow })
    .where("id", "=", server.fixtures.ownSiteId)
    .execute();

/**
 * Makes a change of this many bytes, has the feed poll once, and waits until `total` has grown by it. The clock is
 * stopped during the wait, however busy the machine is: heartbeats would cut off streams that are not read.
 */
async function change(bytes: number, total: () => number): Promise<void> {
  const sent = total() + bytes;
  await setAddress("x".repeat(bytes));
  server.clock.advance(1_100);
  while (total() < sent) await query();
}

/** Advances time, and waits for the queries that this makes due. */
async function pass(ms: number): Promise<void> {
  server.clock.advance(ms);
  for (let each = 0; each < 10; each += 1) await query();
}

const query = () => server.db.selectFrom("sites").select("id").execute();
const heldBytes = () => feed.streams.heldBytes;

describe("wire, Live: what streams cost the server", () => {
  test("wire, Live: 2,000 streams that open together share three snapshots and each event, read or not", async () => {
    const admin = await signedIn("admin");
    const streams = await Promise.all(Array.from({ length: 2_000 }, () => open(admin)));
    const one = feed.streams.heldBytes;
    // Two may be read at a time, for the first requests; all others share the next.
    expect(snapshots).toBe(3);
    const [first] = streams;
    expect(one).toBeLessThan(3 * (first?.readableLength ?? 0) + 20_000);
    await change(300_000, heldBytes);
    expect(feed.streams.heldBytes).toBeLessThan(one + 400_000);
    expect(feed.streams.count).toBe(2_000);
  });

  test("wire, Live: a change is read once, for however many scopes", async () => {
    const received = new Map<Viewer, string>();
    const watch = async (person: "admin" | "owner" | "stranger") => {
      const viewer = await signedIn(person);
      received.set(viewer, "");
      const stream = await open(viewer);
      stream.on("data", (part: Buffer) => received.set(viewer, (received.get(viewer) ?? "") + String(part)));
    };
    const readsOf = async (address: string, receivers: number) => {
      const before = robotReads;
      await setAddress(address);
      server.clock.advance(1_100);
      while ([...received.values()].filter((text) => text.includes(address)).length < receivers) await query();
      return robotReads - before;
    };
    await watch("admin");
    // While a transaction is open elsewhere on the same PostgreSQL, the first poll also finds all that was written before.
    await readsOf("At the start", 1);
    const readsOfOne = await readsOf("By the lake", 1);
    await watch("owner");
    await watch("stranger");
    expect(await readsOf("Beyond the hill", 2)).toBe(readsOfOne);
  });

  test("wire, Live: a run at a site that its robot has left since: the robot is sent to whoever has it now", async () => {
    const { foreignRobot, ownSiteId } = server.fixtures;
    const stranger = await open(await signedIn("stranger"));
    let sent = "";
    stranger.on("data", (part: Buffer) => (sent += String(part)));
    // What was written before may be read once more, while a transaction is open elsewhere on the same PostgreSQL.
    await pass(1_100);
    await pass(1_100);
    sent = "";
    const run = { id: uuidv7(), robot_id: foreignRobot.id, site_id: ownSiteId, planned: false };
    await server.db
      .insertInto("runs")
      .values({ ...run, started_by: "Asha Rathore", began_at: server.clock.now() })
      .execute();
    server.clock.advance(1_100);
    while (!sent.includes(`"robot_id":${foreignRobot.id}`)) await query();
    expect(sent).toContain('"runs_changed":[]');
  });

  test("§6 wire, Live: those of many scopes who wait share one snapshot, and each gets its own part of it", async () => {
    const { db } = server;
    const people: { viewer: Viewer; serial: string; site: string }[] = [];
    for (let nth = 1; nth <= 9; nth += 1) {
      const [name, site, serial] = [`Care ${nth}`, `Park ${nth}`, `MANY-${nth}`];
      const partnerId = await addPartner(db, name, "Cara");
      await addRobot(db, await addSite(db, site, partnerId), serial);
      const user = { username: name, name, role: "PARTNER" as const, partner_id: partnerId, password_hash: "none" };
      const { id: userId } = await db.insertInto("users").values(user).returning("id").executeTakeFirstOrThrow();
      people.push({ viewer: await viewerOf({ userId, name, role: "PARTNER", partnerId }), serial, site });
    }
    letGo = await holdLock(db, (tx) => sql`lock table robot_state in access exclusive mode`.execute(tx));
    const first = [open(await signedIn("admin")), open(await signedIn("owner"))];
    await untilBlocked(db, 2);
    const waiting = people.map(({ viewer }) => open(viewer));
    await letGo();
    await Promise.all(first);
    for (const [nth, stream] of (await Promise.all(waiting)).entries()) {
      const [text] = (await once(stream, "data")) as [Buffer];
      const event = live.response.parse(JSON.parse(String(text).slice(6)));
      if (event.type !== "snapshot") throw new Error(`It begins with an event of type ${event.type}.`);
      expect(event.robots.map((robot) => robot.serial_number)).toEqual([people[nth]?.serial]);
      expect(event.sites.map((site) => site.name)).toEqual([people[nth]?.site]);
    }
    expect(snapshots).toBe(3);
  });

  test("wire, Live: a client 1 MiB behind is cut off, and its memory is freed; others continue", async () => {
    const admin = await signedIn("admin");
    const unread = await open(admin);
    const read = await open(admin);
    let bytes = 0;
    read.on("data", (part: Buffer) => (bytes += part.length));
    const cut = closed(unread);
    while (feed.streams.count === 2) await change(300_000, () => bytes);
    await cut;
    expect(bytes).toBeGreaterThan(1_048_576);
    expect([feed.streams.count, feed.streams.cutCount, feed.streams.heldBytes]).toEqual([1, 1, 0]);
  });

  test("wire, Live: a client that reads nothing for two heartbeats is cut off", async () => {
    const stream = await open(await signedIn("admin"));
    const cut = closed(stream);
    server.clock.advance(LIVE_HEARTBEAT_MS);
    expect(feed.streams.count).toBe(1);
    server.clock.advance(LIVE_HEARTBEAT_MS);
    await cut;
    expect([feed.streams.count, feed.streams.cutCount, feed.streams.heldBytes]).toEqual([0, 1, 0]);
  });

  test("wire, Live: for a caller that has disconnected no snapshot is started, and none is read to its end", async () => {
    const [admin, owner, stranger] = [await signedIn("admin"), await signedIn("owner"), await signedIn("stranger")];
    await open(owner);
    const readsOfOne = robotReads;
    letGo = await holdLock(server.db, (tx) => sql`lock table sites in access exclusive mode`.execute(tx));
    const leaving = new AbortController();
    const openings = [open(admin, leaving.signal), open(owner), open(stranger, leaving.signal)];
    await untilBlocked(server.db, 2);
    leaving.abort(new Error("left"));
    await expect(openings[0]).rejects.toThrow("left");
    await expect(openings[2]).rejects.toThrow("left");
    await letGo();
    await openings[1];
    // In the order of the requests, two at a time: earlier ones are done.
    await open(owner);
    expect(snapshots).toBe(4);
    expect(robotReads).toBe(3 * readsOfOne);
  });
});

describe("wire, Live: a stream belongs to its session, whatever else is open or being opened", () => {
  test("wire, Live: signed out while snapshots and updates hang, the stream ends and none begins", async () => {
    const leaver = await signedIn("owner");
    const stream = await open(leaver);
    letGo = await holdLock(server.db, (tx) => sql`lock table robot_state in access exclusive mode`.execute(tx));
    const others = [open(await signedIn("admin")), open(await signedIn("stranger"))];
    const again = open(leaver);
    const refused = again.catch((error: unknown) => error);
    await untilBlocked(server.db, 2);
    await setAddress("Beyond the hill");
    server.clock.advance(1_100);
    await untilBlocked(server.db, 3);
    await endSession(server.db, leaver.sessionId, server.clock.now());
    server.clock.advance(1_000);
    expect((await eventsOf(stream)).at(-1)).toEqual({ type: "end", reason: "session" });
    const error = await refused;
    expect(error instanceof HttpError && error.status).toBe(401);
    await letGo();
    expect(await Promise.all(others)).toHaveLength(2);
  });

  test("wire, Live: what a slow reader has not been sent yet when its session ends is never sent", async () => {
    const owner = await signedIn("owner");
    const stream = await open(owner);
    stream.read(0);
    while (feed.streams.heldBytes < 400_000) await change(200_000, heldBytes);
    await endSession(server.db, owner.sessionId, server.clock.now());
    while (feed.streams.count > 0) await pass(1_000);
    const cut = closed(stream);
    server.clock.advance(500);
    await cut;
    expect(feed.streams.heldBytes).toBe(0);
  });

  test("wire, Live: a session that ends while its snapshot is read gets no stream, even before the next check", async () => {
    const owner = await signedIn("owner");
    letGo = await holdLock(
      server.db,
      (tx) => sql`lock table robot_state in access exclusive mode`.execute(tx),
      (tx) => endSession(tx, owner.sessionId, server.clock.now()),
    );
    const refused = open(owner).catch((error: unknown) => error);
    await untilBlocked(server.db);
    await letGo();
    const error = await refused;
    expect(error instanceof HttpError && error.status).toBe(401);
    expect(feed.streams.count).toBe(0);
  });

  test("wire, Live: while sessions cannot be checked, nothing new is sent", async () => {
    const [owner, stays] = [await signedIn("owner"), await signedIn("owner")];
    // Read from the start: what has not been read by the end is never sent.
    const events = eventsOf(await open(owner));
    await open(stays);
    letGo = await holdLock(
      server.db,
      (tx) => sql`lock table sessions in access exclusive mode`.execute(tx),
      (tx) => endSession(tx, owner.sessionId, server.clock.now()),
    );
    server.clock.advance(1_000);
    await untilBlocked(server.db);
    await setAddress("Beyond the hill");
    await pass(1_000);
    await pass(1_000);
    await letGo();
    expect((await events).map(({ type }) => type)).toEqual(["snapshot", "end"]);
    expect(feed.streams.count).toBe(1);
  });

  test("wire, Live: a deleted user's stream ends; one whose user changed partner starts again", async () => {
    const [owner, stranger] = [await signedIn("owner"), await signedIn("stranger")];
    const [deleted, changed] = [await open(owner), await open(stranger)];
    const set = (viewer: Viewer, values: { deleted_at?: Date; partner_id?: number }) =>
      server.db.updateTable("users").set(values).where("id", "=", viewer.userId).execute();
    await set(owner, { deleted_at: server.clock.now() });
    await set(stranger, { partner_id: server.fixtures.ownerPartnerId });
    server.clock.advance(1_000);
    expect((await eventsOf(deleted)).at(-1)).toEqual({ type: "end", reason: "session" });
    expect((await eventsOf(changed)).at(-1)).toEqual({ type: "end", reason: "scope" });
  });
});
