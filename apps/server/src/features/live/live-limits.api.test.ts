import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { logout } from "@suncrew/contract/auth/auth.ts";
import { live, type LiveEvent } from "@suncrew/contract/live/live.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StatementCount } from "../../../test/statement-count.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { ChangeSignal } from "../../platform/change-signal.ts";
import { type Clock, SystemClock } from "../../platform/clock.ts";
import { changedNow } from "../../platform/database/database.ts";
import { useErrorHandler } from "../../platform/http/error-handler.ts";
import { ThrottledLog } from "../../platform/throttle.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { LiveFeed } from "./live-feed.ts";
import { liveRoutes } from "./live.routes.ts";
import { LIVE_LIMITS, type StreamLimits } from "./stream-limits.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

interface Answer {
  readonly status: number | undefined;
  /** The complete body; waits for its end. */
  readonly message: () => Promise<string>;
  readonly body: IncomingMessage;
  readonly leave: () => Promise<void>;
}

/** Requests a stream and reads none of it. */
async function ask(port: number, headers: Record<string, string>): Promise<Answer> {
  const call = request({ port, path: live.path, headers: { connection: "close", ...headers } });
  call.on("error", () => {});
  call.end();
  const [body] = (await once(call, "response")) as [IncomingMessage];
  body.on("error", () => {});
  return {
    status: body.statusCode,
    body,
    async message() {
      let text = "";
      for await (const part of body) text += String(part);
      return String((JSON.parse(text) as { message: unknown }).message);
    },
    async leave() {
      const closed = Promise.withResolvers<void>();
      body.once("close", closed.resolve);
      call.destroy();
      await closed.promise;
    },
  };
}

describe("wire, Live: how many streams may be open", () => {
  test("wire, Live: a session has twenty; another session of the same person has its own", async () => {
    await server.app.start();
    await server.app.http.listen({ port: 0, host: "127.0.0.1" });
    const { port } = server.app.http.server.address() as AddressInfo;
    const of = ({ token }: { token: string | null }) => ({ authorization: `Bearer ${token}` });
    const owner = await server.as("owner");
    const opened = await Promise.all(Array.from({ length: LIVE_LIMITS.perSession }, () => ask(port, of(owner))));
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
    const more = await ask(port, of(owner));
    expect(more.status).toBe(429);
    expect(await more.message()).toContain("20 live streams open");
    const again = await server.signIn("owner");
    const other = await ask(port, of(again));
    expect(other.status).toBe(200);
    // The session's other calls are not affected.
    expect((await again.call(logout)).status).toBe(200);
    for (const each of [...opened, other]) each.body.destroy();
  });
});

describe("wire, Live: limits of a server with few places", () => {
  const LIMITS = { perSession: 3, openingsPerMinute: 6, perAddress: 4, perServer: 5 };
  let http: FastifyInstance;
  let port: number;
  let feed: LiveFeed;
  let places: StreamLimits;
  let changes: ChangeSignal;
  let counted: StatementCount;

  async function openFeed(clock: Clock): Promise<void> {
    counted = new StatementCount();
    http = Fastify({ forceCloseConnections: true, trustProxy: true });
    useErrorHandler(http, new ThrottledLog(server.deps.log, server.clock));
    http.decorateRequest("viewer", null);
    http.addHook("onRequest", async (call) => {
      call.viewer = viewerOf(Number(call.headers["x-session"]));
    });
    changes = new ChangeSignal({ ...server.deps, clock });
    const parts = { ...server.deps, db: server.db.withPlugin(counted), clock };
    ({ feed, places } = liveRoutes(http, parts, changes, LIMITS));
    await changes.start();
    await feed.start();
    await http.listen({ port: 0, host: "127.0.0.1" });
    port = (http.server.address() as AddressInfo).port;
  }
  async function closeFeed(): Promise<void> {
    await http.close();
    await feed.stop();
    await changes.stop();
  }
  beforeEach(async () => {
    const user_id = server.fixtures.userIds.admin;
    const times = { created_at: server.clock.now(), expires_at: new Date("2099-01-01T00:00:00Z"), ended_at: null };
    const sessions = [1, 2, 3, 4].map((session) => ({ id: sessionId(session), user_id, ...times }));
    await server.db.insertInto("sessions").values(sessions).execute();
    await openFeed(server.clock);
  });
  afterEach(closeFeed);

  const sessionId = (session: number) => `00000000-0000-7000-8000-00000000000${session}`;
  const viewerOf = (session: number): Viewer => ({
    userId: server.fixtures.userIds.admin,
    name: "A",
    email: "a@a.example",
    role: "SUPER_ADMIN",
    partnerId: null,
    sessionId: sessionId(session),
  });
  const open = (session: number, address = "192.0.2.1") =>
    ask(port, { "x-session": String(session), "x-forwarded-for": address });

  test("wire, Live: a place is free again as soon as its connection is closed", async () => {
    const [first] = await Promise.all([open(1), open(1), open(1)]);
    expect((await open(1)).status).toBe(429);
    await first?.leave();
    // The server learns of it through its own connection.
    while (places.count === 3) await server.db.selectFrom("sites").select("id").execute();
    expect((await open(1)).status).toBe(200);
  });

  test("wire, Live: an address has its share, an IPv6 network counts as one, and a full server says so", async () => {
    for (const each of [1, 2, 3, 4]) expect((await open(each, `2001:db8::${each}`)).status).toBe(200);
    const shared = await open(1, "2001:db8::9");
    expect([shared.status, await shared.message()]).toEqual([429, expect.stringContaining("from your network")]);
    expect((await open(1, "192.0.2.7")).status).toBe(200);
    const full = await open(2, "192.0.2.8");
    expect([full.status, await full.message()]).toEqual([503, expect.stringContaining("This server has as many")]);
    expect([...places.refused]).toEqual([
      ["address", 1],
      ["server", 1],
    ]);
  });

  test("wire, Live: openings per session and minute are limited; refused ones cost no query", async () => {
    for (let each = 0; each < LIMITS.openingsPerMinute; each += 1) places.take(viewerOf(1), "192.0.2.1")();
    const before = counted.statements;
    const answers = await Promise.all(Array.from({ length: 200 }, () => open(1)));
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(429));
    expect(await answers[0]?.message()).toContain("within a minute");
    expect(counted.statements).toBe(before);
    server.clock.advance(60_000);
    expect((await open(1)).status).toBe(200);
  });

  test("wire, Live: a client that does not read is cut off, including its connection and what the kernel holds", async () => {
    // Uses real time: with a controlled clock, a reader that waits for its turn would hang.
    await closeFeed();
    await openFeed(new SystemClock());
    const unread = await open(1);
    const cut = once(unread.body, "error");
    const reader = await open(2);
    const events = eventsOf(reader.body);
    // The kernel buffers some megabytes by itself.
    while (feed.streams.count === 2) {
      await server.db
        .updateTable("sites")
        .set({ address: "x".repeat(3_000_000), change_no: changedNow })
        .where("id", "=", server.fixtures.ownSiteId)
        .execute();
      let event: LiveEvent;
      do event = await nextOf(events);
      while (event.type !== "update");
    }
    unread.body.resume();
    await cut;
    expect([feed.streams.count, feed.streams.cutCount]).toEqual([1, 1]);
    reader.body.destroy();
  });
});

/** A stream's events one by one, without the heartbeats between them. */
async function* eventsOf(body: IncomingMessage): AsyncGenerator<LiveEvent> {
  let rest = "";
  body.setEncoding("utf8");
  for await (const text of body) {
    const lines = (rest + String(text)).split("\n\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield live.response.parse(JSON.parse(line.slice(6)));
  }
}

async function nextOf<T>(sequence: AsyncGenerator<T>): Promise<T> {
  const next = await sequence.next();
  if (next.done === true) throw new Error("The stream has ended.");
  return next.value;
}
