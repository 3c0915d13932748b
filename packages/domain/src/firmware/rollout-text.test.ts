import { expect, test } from "vitest";
import type { WaitReason } from "./offer-refusal.ts";
import {
  gaveUpText,
  isWaitOver,
  overdueText,
  pausedText,
  reportText,
  rolloutTexts,
  skippedText,
  turnText,
  waitingText,
} from "./rollout-text.ts";

const robot = { motion: "STOPPED", status: "idle", batteryPercent: 80 } as const;

test.each<[WaitReason, object, string, string]>([
  ["maintenance", {}, "Waits until it is released from maintenance", "it was in maintenance"],
  ["away", {}, "Waits until it is online", "it was not online"],
  ["stale", {}, "Waits until it reports again", "it had not reported for 45 s"],
  ["clock", {}, "Waits until its clock is right: it is more than 30 s off", "its clock was more than 30 s off"],
  ["moving", { motion: "MOVING" }, "Waits until it has finished cleaning", "it was cleaning"],
  ["moving", { motion: null }, "Waits until it shows whether it is moving", "it did not show whether it was moving"],
  ["commanded", {}, "Waits for a command in progress", "a command was in progress"],
  ["battery", { batteryPercent: 12 }, "Waits for its battery: 12 %, needs 50 %", "its battery had 12 %, needs 50 %"],
  ["battery", { batteryPercent: 49.9 }, "Waits for its battery: 49 %, needs 50 %", "its battery had 49 %, needs 50 %"],
  ["battery", { batteryPercent: null }, "Waits until it reports its battery", "it did not report its battery"],
  ["not-idle", { status: "warning" }, "Waits until it is idle: its status is warning", "its status was warning"],
])("protocol rule 13: what is said of a robot that is %s, %o", (why, change, waits, was) => {
  expect(waitingText(why, { ...robot, ...change })).toBe(waits);
  expect(gaveUpText(why, { ...robot, ...change }, 24).text).toBe(`Gave up waiting after 24 h: ${was}`);
});

test("protocol rule 13: a refusal explains why the robot gets another offer, or in the end none", () => {
  expect(waitingText("refused", robot, "BUSY")).toBe("Waits to be offered it again: it was busy");
  expect(waitingText("refused", robot)).toBe("Waits to be offered it again: it refused a moment ago");
  // A server of a newer version may know further codes.
  expect(waitingText("refused", robot, "DREAMING")).toBe("Waits to be offered it again: it refused");
  expect(gaveUpText("refused", robot, 2, "BUSY").text).toBe("Gave up waiting after 2 h: it was busy");
  // The reason for refusing is over: what it waits for now is shown.
  expect(waitingText("away", robot, "BUSY")).toBe("Waits until it is online");
});

test.each([
  [pausedText("canary", 20), "The first robot failed."],
  [pausedText("threshold", 20), "More than 20 % of the robots failed."],
  [skippedText("deleted", "2.0.0"), "The robot was deleted."],
  [skippedText("replaced", "2.0.0"), "The robot has been given another device."],
  [skippedText("retired", "2.0.0"), "Its device was retired."],
  [skippedText("has-it", "2.0.0"), "It already runs 2.0.0."],
  [reportText({ state: "WAITING", code: "OLD_SESSION" }), "it had just reconnected"],
  [reportText({ state: "FAILED", code: "NO_SPACE" }), "It has no space for it."],
  [overdueText("2.0.0", 1), "It did not show within 1 minute that it runs 2.0.0."],
  [overdueText("2.0.0", 60), "It did not show within 60 minutes that it runs 2.0.0."],
  [
    gaveUpText("battery", { ...robot, batteryPercent: 49.9 }, 24),
    "Gave up waiting after 24 h: its battery had 49 %, needs 50 %",
  ],
])("a stored reason is rebuilt from its code and parameters: %o", (reason, sentence) => {
  const stored = JSON.parse(JSON.stringify(reason)) as NonNullable<typeof reason>;
  expect([stored.text, rolloutTexts.sentence(stored)]).toEqual([sentence, sentence]);
});

test.each([
  [{ paused: true }, "Waits until the rollout is resumed"],
  [{ canSend: false }, "Waits until Suncrew can reach robots again"],
  [{ open: 0 }, "Waits for its offer, which is next"],
  [{}, "Waits for the first robot to run it"],
  [{ done: 1 }, "Waits for its turn after the current batch"],
])("protocol rule 13: a robot that could accept it, with %o, is shown what it waits for", (change, words) => {
  expect(turnText({ paused: false, canSend: true, open: 1, done: 0, ...change })).toBe(words);
});

test("protocol rule 13: robots are waited for as many hours as chosen, and no longer", () => {
  const since = new Date("2026-03-01T06:00:00Z");
  expect(isWaitOver(since, 24, new Date("2026-03-02T05:59:59.999Z"))).toBe(false);
  expect(isWaitOver(since, 24, new Date("2026-03-02T06:00:00Z"))).toBe(true);
});
