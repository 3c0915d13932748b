import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BridgeServer, BridgeServers } from "../../../test/bridge-servers.ts";
import { InterruptibleDatabase } from "../../../test/interruptible-database.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { StubClockCheck } from "../../../test/stub-clock-check.ts";
import { ManualClock } from "../../platform/clock.ts";
import { SHARES, SILENT_MS } from "./shares.ts";

let bridges: BridgeServers;
/** Through which the server holds its locks; all else it does at the database goes on. */
let line: InterruptibleDatabase;
/** By which the server measures how long it has been silent. */
let realTime: ManualClock;
let server: BridgeServer;

beforeEach(async () => {
  bridges = await BridgeServers.create();
  line = await InterruptibleDatabase.open(bridges.database.connection);
  realTime = new ManualClock(new Date());
  server = await bridges.start(new StubClockCheck(), { connection: line.database.connection, realTime });
  await server.pass(500);
});
afterEach(async () => {
  await server.bridge.stop();
  await line.close();
  await bridges.close();
});

const LOST = "this server is no longer the bridge";

/** The database answers what it is asked now only after so long; the heartbeats meanwhile ask nothing. */
async function answerAfter(ms: number, ask: () => void): Promise<void> {
  await line.setFault("paused");
  ask();
  // The query is sent in this turn of the event loop.
  await new Promise(setImmediate);
  realTime.advance(ms);
  expect(bridges.shares(server)).toEqual([SHARES]);
  await line.setFault(null);
  await server.bridge.idle();
}

test("protocol rule 11: two answers in a row that are almost too slow, with a pause between, cost a bridge no share", async () => {
  // Its heartbeat is due each full second. The look for free shares begins just after one, and is answered just before
  // it would be given up, so that the next heartbeat is almost a second later.
  realTime.advance(1_001);
  await server.bridge.idle();
  await answerAfter(2_999, () => server.clock.advance(500));
  await answerAfter(2_999, () => realTime.advance(1_000));
  expect(bridges.shares(server)).toEqual([SHARES]);
  expect(server.log.join("\n")).not.toContain(LOST);
});

test("protocol rule 11: a bridge whose answer comes after it was silent for too long gives its shares up, and learns what it missed", async () => {
  const robotId = await server.robot("MISSED-1");
  const robot = await bridges.broker.robot("MISSED-1", 1, server.clock.now());
  const commands: unknown[] = [];
  robot.on("message", (_topic, payload) => commands.push(JSON.parse(payload.toString())));
  await robot.subscribeAsync(topicOf("MISSED-1", "command"), { qos: 1 });
  const topic = topicOf("MISSED-1", "state");
  const shows = async (seq: number, battery: number) => {
    const handled = server.watched.untilHandled((message) => message.topic === topic);
    const state = stateMessage(server.clock.now(), 1, seq, { battery });
    await robot.publishAsync(topic, JSON.stringify(state), { qos: 1, retain: true });
    await handled;
  };
  await shows(1, 80);
  await server.pass(100);
  expect(await server.stateOf(robotId)).toMatchObject({ state_seq: 1, battery: 80 });

  await line.setFault("paused");
  realTime.advance(1_000);
  realTime.advance(SILENT_MS - 1_000);
  // It sent that heartbeat less than this time ago, but has had no answer since the one before.
  expect(bridges.shares(server)).toEqual([0]);
  await shows(2, 70);
  expect(server.bridge.messages.get("state")).toBe(1);
  await line.setFault(null);
  await server.bridge.idle();
  expect(server.log.join("\n")).toContain(LOST);
  expect(bridges.shares(server)).toEqual([0]);

  const missed = server.watched.untilHandled(({ topic: of, retained }) => of === topic && retained);
  await bridges.untilShares([server], [SHARES]);
  await missed;
  await server.pass(100);
  expect(await server.stateOf(robotId)).toMatchObject({ state_seq: 2, battery: 70 });
  const asked = new Promise<void>((resolve) => void robot.once("message", () => resolve()));
  await server.pass(500);
  await server.pass(0);
  await asked;
  expect(commands).toMatchObject([{ verb: "STATUS" }]);
  await shows(3, 60);
  await server.pass(100);
  expect(await server.stateOf(robotId)).toMatchObject({ state_seq: 3, battery: 60, online: true });
});
