import type { leaves, Leaf } from "@suncrew/contract/devices/topics.ts";
import type { z } from "zod";

/** A message as it stands in the document. */
export interface MessageExample<L extends Leaf> {
  readonly name: string;
  readonly summary: string;
  readonly payload: z.input<(typeof leaves)[L]["schema"]>;
}

const session = 1_763_706_000;
const runId = "01980a6e-5f00-7000-8000-000000000001";
const commandId = "01980a6e-5f00-7000-8000-000000000002";
const ts = "2026-11-21T06:30:00.000Z";
const envelope = { v: 1, id: commandId, session, issuedAt: ts, by: "Asha Rao" } as const;

/** One or two real messages of each leaf; the compiler and a test hold them to the schemas. */
export const messageExamples: { readonly [L in Leaf]: readonly MessageExample<L>[] } = {
  connection: [{ name: "online", summary: "A robot has come", payload: { v: 1, state: "ONLINE", session, ts } }],
  state: [
    {
      name: "cleaning",
      summary: "A robot cleans and has taken command 1763706600000",
      payload: {
        seq: 42,
        ts,
        session,
        status: "start",
        motion: "MOVING",
        mode: "AUTO",
        battery: 81.5,
        charging: false,
        applied: { direction: "FWD", mainSpeed: 75, brushSpeed: 60 },
        runId,
        lastSeq: 1_763_706_600_000,
        lastCommandId: commandId,
        firmware: "2.4.1",
        alerts: [],
      },
    },
  ],
  ack: [
    { name: "accepted", summary: "Taken", payload: { id: commandId, status: "ACCEPTED", code: null, ts } },
    { name: "rejected", summary: "Refused", payload: { id: commandId, status: "REJECTED", code: "BATTERY_LOW", ts } },
  ],
  event: [
    {
      name: "runEnded",
      summary: "A run has ended by a STOP",
      payload: { eventSeq: 1_763_706_012, session, ts, kind: "RUN_ENDED", runId, at: ts, battery: 64, reason: "STOP" },
    },
  ],
  "firmware/state": [
    {
      name: "downloading",
      summary: "Half of the file is there",
      payload: {
        v: 1,
        offerId: commandId,
        session,
        seq: 5,
        ts,
        phase: "DOWNLOADING",
        percent: 50,
        version: "2.5.0",
        code: null,
      },
    },
    {
      name: "failed",
      summary: "What was downloaded is not what was offered",
      payload: {
        v: 1,
        offerId: commandId,
        session,
        seq: 9,
        ts,
        phase: "FAILED",
        percent: 100,
        version: "2.5.0",
        code: "HASH_MISMATCH",
      },
    },
  ],
  firmware: [
    {
      name: "offer",
      summary: "Firmware 2.5.0, to be taken within 15 minutes",
      payload: {
        ...envelope,
        expiresAt: "2026-11-21T06:45:00.000Z",
        url: `https://suncrew.example/api/firmware/file/${commandId}?expires=1763707500&signature=${"0".repeat(64)}`,
        size: 1_048_576,
        sha256: "a".repeat(64),
        version: "2.5.0",
      },
    },
  ],
  command: [
    {
      name: "start",
      summary: "Clean until stopped, 480 minutes at most",
      payload: {
        ...envelope,
        expiresAt: "2026-11-21T06:30:05.000Z",
        verb: "START",
        seq: 1_763_706_600_000,
        runId,
        maxDurationS: 28_800,
        params: { status: "start", direction: "FWD", "main-speed": 75, "brush-speed": 60 },
      },
    },
    {
      name: "stop",
      summary: "Stand still",
      payload: { ...envelope, expiresAt: "2026-11-21T06:31:00.000Z", verb: "STOP", seq: 1_763_706_600_001 },
    },
  ],
};
