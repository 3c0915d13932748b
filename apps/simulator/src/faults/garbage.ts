import { MAX_MESSAGE_BYTES, type RobotLeaf, robotLeaves } from "@suncrew/contract/devices/topics.ts";

const payloads: readonly (() => string | Buffer)[] = [
  () => "not json",
  () => '{"v":1,"state":"ONL',
  () => '{"v":1,"state":7,"session":"x","ts":null,"battery":4000}',
  () => "[]",
  () => "null",
  () => Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  () => JSON.stringify({ v: 1, padding: "x".repeat(MAX_MESSAGE_BYTES) }),
  () => '{"__proto__":{"session":1},"seq":-1}',
];

/** Walks through every kind of garbage on every leaf, so that a test sees all of them in turn. */
export class Garbage {
  #step = 0;

  next(): { leaf: RobotLeaf; payload: string | Buffer } {
    const step = this.#step;
    this.#step += 1;
    const leaf = robotLeaves[step % robotLeaves.length] ?? "state";
    const payload = payloads[Math.floor(step / robotLeaves.length) % payloads.length] ?? (() => "");
    return { leaf, payload: payload() };
  }
}
