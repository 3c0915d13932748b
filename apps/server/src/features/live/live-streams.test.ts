import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { ManualClock } from "../../platform/clock.ts";
import { inSlices } from "../../platform/in-slices.ts";
import { LiveStreams, messageOf } from "./live-streams.ts";

test("wire, Live: other work gets its turn while thousands of streams are sent to", async () => {
  let sent = 0;
  let sentBefore = -1;
  setImmediate(() => (sentBefore = sent));
  await inSlices(Array.from({ length: 2_000 }), () => (sent += 1));
  expect(sent).toBe(2_000);
  expect(sentBefore).toBe(50);
});

test("wire, Live: an event is JSON on one line, however it is assembled", async () => {
  const event: LiveEvent = { type: "end", reason: "scope" };
  const update: LiveEvent = {
    type: "update",
    at: "2026-06-15T06:30:00.000Z",
    robots: [],
    sites: [],
    activity: [],
    groups_changed: Array.from({ length: 60_000 }, (_, index) => index),
    runs_changed: [1],
    rollouts_changed: [],
    alerts_changed: [],
  };
  for (const each of [event, update]) {
    const { pieces, length } = await messageOf(each);
    const text = Buffer.concat(pieces).toString("utf8");
    expect(length).toBe(Buffer.byteLength(text));
    expect(text.endsWith("\n\n")).toBe(true);
    expect(JSON.parse(text.slice("data: ".length))).toEqual(each);
  }
});

test("wire, Live: if all together hold too much, those that hold most are cut off, and shared messages count once", async () => {
  const streams = new LiveStreams(new ManualClock(new Date("2026-06-15T06:30:00.000Z")));
  const viewer = {
    userId: 1,
    name: "A",
    email: "a@a.example",
    role: "SUPER_ADMIN",
    partnerId: null,
    sessionId: "s",
  } as const;
  const line = { untaken: () => 0, cut: () => {} };
  /** Of the stated length, without using the memory. */
  const snapshot = (mebibytes: number) => ({ pieces: [Buffer.from("x")], length: mebibytes * 1_048_576 });
  const begin = (of: ReturnType<typeof snapshot>) =>
    streams.begin({ viewer, line, scopeMark: "", snapshot: of, later: null });
  const [small, large, shared] = [begin(snapshot(60)), begin(snapshot(100)), snapshot(90)];
  const sharing = [begin(shared), begin(shared)];
  await streams.publish(new Map());
  expect(streams.cutCount).toBe(0);
  const last = begin(snapshot(50));
  await streams.publish(new Map());
  expect([small, large, ...sharing, last].map(({ destroyed }) => destroyed)).toEqual([
    false,
    true,
    false,
    false,
    false,
  ]);
});
