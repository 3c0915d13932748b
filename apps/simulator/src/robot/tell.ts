import type { DeviceAlert, RunEndReason } from "@suncrew/contract/devices/messages.ts";
import type { NewEvent } from "./event-log.ts";
import { instantOf } from "./moment.ts";

/** When and in which session something is told. */
export interface Telling {
  readonly session: number;
  /** Whole percent. */
  readonly battery: number;
  readonly wallMs: number;
}

export function runBegan(runId: string, { session, battery, wallMs }: Telling): NewEvent {
  const at = instantOf(wallMs);
  return { kind: "RUN_BEGAN", runId, at, ts: at, session, battery };
}

/** `endedAtMs` lies before the telling where the end was noticed later. */
export function runEnded(runId: string, reason: RunEndReason, endedAtMs: number, telling: Telling): NewEvent {
  const { session, battery, wallMs } = telling;
  return { kind: "RUN_ENDED", runId, reason, at: instantOf(endedAtMs), ts: instantOf(wallMs), session, battery };
}

/** What became of the alerts, cleared ones first. */
export function alertChanges(
  before: readonly DeviceAlert[],
  after: readonly DeviceAlert[],
  { session, wallMs }: Telling,
): NewEvent[] {
  const at = instantOf(wallMs);
  const envelope = { at, ts: at, session };
  const isIn = (alerts: readonly DeviceAlert[], code: string): boolean => alerts.some((alert) => alert.code === code);
  return [
    ...before
      .filter(({ code }) => !isIn(after, code))
      .map(({ code }): NewEvent => ({ kind: "ALERT_CLEARED", code, ...envelope })),
    ...after
      .filter(({ code }) => !isIn(before, code))
      .map((alert): NewEvent => ({ kind: "ALERT_RAISED", alert, ...envelope })),
  ];
}
