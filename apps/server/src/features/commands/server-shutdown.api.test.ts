import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { ready } from "@suncrew/contract/config/config.ts";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import { createSessionToken, type TestRobot } from "../../../test/fixtures.ts";

let harness: CommandHarness;
let port: number;
let authorization: string;

beforeEach(async () => {
  // A START that no state shows takes 2 s: longer than a stopping server waits for idle connections.
  harness = await CommandHarness.open({ clock: new FastClock(4), servers: 2 });
  await Promise.all([harness.live(), harness.live(harness.fixtures.ownRobot2)]);
  const { http } = harness.server.app;
  await http.listen({ host: "127.0.0.1", port: 0 });
  const address = http.server.address();
  port = address !== null && typeof address === "object" ? address.port : 0;
  authorization = `Bearer ${await createSessionToken(http, harness.db, "admin", harness.clock.now())}`;
});
afterEach(() => harness.close());

/** A connection without a request yet, as browsers and proxies keep them ready. */
async function openConnection(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

async function ask(socket: Socket, route: { method: string; path: string }, body?: object) {
  const call = request({
    createConnection: () => socket,
    method: route.method,
    path: route.path,
    headers: { authorization, ...(body && { "content-type": "application/json" }) },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => call.on("response", resolve).on("error", reject));
  call.end(body && JSON.stringify(body));
  const answer = await answered;
  const answerBody: unknown = JSON.parse(await text(answer));
  return { status: answer.statusCode, connection: answer.headers.connection, body: answerBody };
}

const order = ({ id, serial, siteId }: TestRobot, command: "START" | "STOP") => ({
  robotId: serial,
  robotObjectId: id,
  siteId,
  command,
});

describe("a server that is told to stop", () => {
  test("§4 Start and Stop: answers calls made before, and those on open connections", async () => {
    const { ownRobot, ownRobot2 } = harness.fixtures;
    const [first, second, third] = [await openConnection(), await openConnection(), await openConnection()];
    harness.robot(ownRobot).inject({ kind: "silent" });
    const start = ask(first, sendCommand, order(ownRobot, "START"));
    await harness.until(async () => (await harness.commands(ownRobot)).some(({ claimed_at }) => claimed_at !== null));

    const listener = harness.server.app.http.server;
    const stopped = harness.server.stop();
    while (listener.listening) await new Promise((resolve) => setImmediate(resolve));
    const refused = connect(port, "127.0.0.1");
    await expect(once(refused, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(await ask(second, ready)).toMatchObject({
      status: 503,
      connection: "close",
      body: { message: "This server is stopping." },
    });
    expect(await ask(third, sendCommand, order(ownRobot2, "STOP"))).toMatchObject({ status: 200, connection: "close" });
    expect(await start).toMatchObject({
      status: 504,
      connection: "close",
      body: { success: false, message: expect.stringContaining("A Stop was sent to it") },
    });
    await stopped;
  });

  test("protocol rule 6: what it answered about a START stays true when another server takes over", async () => {
    const { ownRobot } = harness.fixtures;
    const start = ask(await openConnection(), sendCommand, order(ownRobot, "START"));
    await harness.until(async () => (await harness.commands(ownRobot)).length > 0);
    await harness.server.stop();
    expect(await start).toMatchObject({ status: 200 });
    expect(harness.robot(ownRobot).truth().motion).toBe("MOVING");
    expect(await harness.press("STOP", { robot: ownRobot })).toMatchObject({ status: 200 });
    expect(harness.robot(ownRobot).truth().motion).toBe("STOPPED");
  });
});
