import { beforeEach, describe, expect, test } from "vitest";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";
import { TEST_NOW } from "../../../test/test-app.ts";
import type { IncomingMessage } from "./devices.mqtt.ts";
import { IncomingBuffer } from "./ingest-queue.ts";

const receivedAt = TEST_NOW;
let dropped: string[];
let buffer: IncomingBuffer;
beforeEach(() => {
  dropped = [];
  buffer = new IncomingBuffer((serial, count, kind) => dropped.push(...Array<string>(count).fill(`${serial} ${kind}`)));
});

/** Each state differs, so that none makes the previous one redundant. */
const state = (seq: number, session = 1): IncomingMessage => ({
  leaf: "state",
  message: stateMessage(TEST_NOW, session, seq, { lastSeq: seq }),
  receivedAt,
  retained: false,
});
const online = (session: number, state: "ONLINE" | "CONNECTION_BROKEN" = "ONLINE"): IncomingMessage => ({
  leaf: "connection",
  message: connectionMessage(TEST_NOW, session, state),
  receivedAt,
  retained: false,
});
const event = (eventSeq: number): IncomingMessage => {
  const ts = TEST_NOW.toISOString();
  return { leaf: "event", message: { eventSeq, session: 1, ts, at: ts, kind: "ALERT_CLEARED", code: "C" }, receivedAt };
};
const takenOf = () =>
  buffer.take(10).map(({ serial, messages }) => [
    serial,
    ...messages.map(({ leaf, message }) => {
      if ("eventSeq" in message) return `${leaf} ${message.eventSeq}`;
      return "seq" in message ? `${leaf} ${message.seq}` : leaf;
    }),
  ]);

describe("protocol rule 10: no robot's messages delay the others", () => {
  test("protocol rule 10: of a robot with a backlog the first eight are stored, then the others' messages, then more", () => {
    for (let seq = 1; seq <= 20; seq += 1) buffer.add("LOUD-1", state(seq));
    buffer.add("CALM-1", state(1));
    const eight = (from: number, to = from + 7) =>
      Array.from({ length: to - from + 1 }, (_, index) => `state ${from + index}`);
    expect(takenOf()).toEqual([
      ["LOUD-1", ...eight(1)],
      ["CALM-1", "state 1"],
    ]);
    buffer.add("CALM-1", state(2));
    expect(buffer.take(1)).toHaveLength(1);
    buffer.add("LOUD-1", state(21));
    expect(takenOf()).toEqual([
      ["CALM-1", "state 2"],
      ["LOUD-1", ...eight(17, 21)],
    ]);
    expect(buffer.size).toBe(0);
  });

  test("protocol rule 7: over the budget, a message only replaces an older one of its kind; an event replaces none", () => {
    for (const message of [online(5), event(1), state(3, 5)]) buffer.addInPlace("LOUD-1", message);
    // A late will of the previous session, a superseded state, another event.
    for (const message of [online(4, "CONNECTION_BROKEN"), state(2, 5), event(2)]) buffer.addInPlace("LOUD-1", message);
    expect(dropped).toEqual(Array(3).fill("LOUD-1 over-budget"));
    buffer.addInPlace("LOUD-1", state(4, 5));
    const [taken] = buffer.take(1);
    expect(taken?.messages).toMatchObject([
      { leaf: "connection", message: { state: "ONLINE", session: 5 } },
      { leaf: "event", message: { eventSeq: 1 } },
      { leaf: "state", message: { seq: 4 } },
    ]);
  });
});
