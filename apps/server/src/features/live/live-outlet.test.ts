import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { expect, test } from "vitest";
import { inSlices, messageOf } from "./live-outlet.ts";

test("wire, Live: whatever else waits has its turn while thousands of streams are told", async () => {
  let told = 0;
  let toldBefore = -1;
  setImmediate(() => (toldBefore = told));
  await inSlices(Array.from({ length: 2_000 }), () => (told += 1));
  expect(told).toBe(2_000);
  expect(toldBefore).toBe(50);
});

test("wire, Live: an event is JSON in one line, however it is put together", async () => {
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
