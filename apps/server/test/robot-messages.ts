import type { ConnectionMessage, EventMessage, StateMessage } from "@suncrew/contract/devices/messages.ts";

/** A robot's message as it would be sent at `at`. */
export function connectionMessage(
  at: Date,
  session: number,
  state: ConnectionMessage["state"] = "ONLINE",
): ConnectionMessage {
  return { v: 1, state, session, ts: at.toISOString() };
}

/** The state of an idle robot, except for `shown`. */
export function stateMessage(at: Date, session: number, seq: number, shown: Partial<StateMessage> = {}): StateMessage {
  return {
    seq,
    ts: at.toISOString(),
    session,
    status: "stop",
    motion: "STOPPED",
    mode: "AUTO",
    battery: 90,
    charging: false,
    applied: { direction: "FWD", mainSpeed: 75, brushSpeed: 80 },
    runId: null,
    lastSeq: 0,
    lastCommandId: null,
    firmware: "2.4.1",
    alerts: [],
    ...shown,
  };
}

type EventBody = EventMessage extends infer Event
  ? Event extends EventMessage
    ? Omit<Event, "eventSeq" | "session" | "ts" | "at">
    : never
  : never;

/** An event that happened and is reported at `at`. */
export function eventMessage(at: Date, session: number, eventSeq: number, body: EventBody): unknown {
  return { eventSeq, session, ts: at.toISOString(), at: at.toISOString(), ...body };
}
