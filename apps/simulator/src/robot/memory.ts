import { commandModeSchema } from "@suncrew/contract/robots/robot-mode.ts";
import {
  ackMessageSchema,
  appliedSettingsSchema,
  deviceAlertSchema,
  eventMessageSchema,
  firmwareStateMessageSchema,
} from "@suncrew/contract/devices/messages.ts";
import { z } from "zod";
import { isClockSet } from "./moment.ts";

const counter = z.int().min(0);

/** What survives a power loss. Everything else is lost. */
export const robotMemorySchema = z.object({
  session: counter,
  lastSeq: counter,
  lastCommandId: z.uuid().nullable(),
  /** The mode outside maintenance. */
  mode: commandModeSchema,
  maintenance: z.boolean(),
  applied: appliedSettingsSchema,
  battery: z.number().min(0).max(100),
  firmware: z.string().min(1).max(60),
  eventSeq: counter,
  /** Events that no RECEIVED has named yet, oldest first. */
  events: z.array(eventMessageSchema),
  /** The last answers to STOP and MAINTENANCE_ON, which no session or seq fences (rule 5). */
  answers: z.array(ackMessageSchema.omit({ ts: true })),
  /** Alerts reported as raised and not yet as cleared. */
  alerts: z.array(deviceAlertSchema),
  /** The last offers of firmware and what became of them, newest last; none in what older simulators stored. */
  updates: z
    .array(firmwareStateMessageSchema.pick({ offerId: true, version: true, phase: true, percent: true, code: true }))
    .default([]),
  /** The current run and when it was last known to be running, so that a power loss can be reported afterwards. */
  run: z.object({ runId: z.uuid(), aliveAtMs: z.number() }).nullable(),
});
export type RobotMemory = z.output<typeof robotMemorySchema>;

/** What a person at the robot could set. */
export const conditionSchema = z.strictObject(
  robotMemorySchema.pick({ battery: true, mode: true, maintenance: true, applied: true, firmware: true }).partial()
    .shape,
);
export type Condition = z.output<typeof conditionSchema>;

/**
 * Where counters start: the Unix time in seconds, which they never catch up with as they rise by less than one a second.
 * So a robot whose memory was lost, or not stored in time, still continues above what it used before.
 */
export function counterBase(wallMs: number): number {
  return isClockSet(wallMs) ? Math.floor(wallMs / 1000) : 0;
}

/** The memory of a new robot; `initial` overrides parts of it. */
export function freshMemory(wallMs: number, initial: Partial<RobotMemory> = {}): RobotMemory {
  const base = counterBase(wallMs);
  return {
    session: base,
    lastSeq: 0,
    lastCommandId: null,
    mode: "AUTO",
    maintenance: false,
    applied: { direction: "FWD", mainSpeed: 60, brushSpeed: 50 },
    battery: 90,
    firmware: "2.4.1",
    eventSeq: base,
    events: [],
    answers: [],
    alerts: [],
    updates: [],
    run: null,
    ...initial,
  };
}
