import { describe, expect, test } from "vitest";
import { ackMessageSchema, commandMessageSchema } from "./messages.ts";

const id = "01980a6e-5f00-7000-8000-000000000002";
const ack = (ts: string) => ackMessageSchema.safeParse({ id, status: "DONE", code: null, ts }).data?.ts;

describe("times of the device protocol", () => {
  test.each([
    ["2026-11-21T06:30:00Z", "2026-11-21T06:30:00.000Z"],
    ["2026-11-21T12:00:00+05:30", "2026-11-21T06:30:00.000Z"],
    ["2026-11-20T22:30:00.25-08:00", "2026-11-21T06:30:00.250Z"],
    ["2026-11-21T06:30:00.123456789+00:00", "2026-11-21T06:30:00.123Z"],
  ])("device protocol: %s is %s", (sent, read) => {
    expect(ack(sent)).toBe(read);
  });

  test.each([
    "2026-11-21T06:30:00",
    "2026-02-30T06:30:00Z",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+05:00",
    "9999-12-31T23:59:59-05:00",
    "soon",
  ])("protocol rule 10: %s is not a time that can be stored", (sent) => {
    expect(ack(sent)).toBeUndefined();
  });

  test("protocol rule 1: an expiry with an offset is the same instant to the robot", () => {
    const order = { v: 1, id, session: 7, issuedAt: "2026-11-21T12:00:00+05:30", by: "a test", seq: 1, verb: "STOP" };
    expect(commandMessageSchema.parse({ ...order, expiresAt: "2026-11-21T12:00:05+05:30" })).toMatchObject({
      issuedAt: "2026-11-21T06:30:00.000Z",
      expiresAt: "2026-11-21T06:30:05.000Z",
    });
  });
});
