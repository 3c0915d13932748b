import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { travelSchema } from "../commands/commands.ts";
import { instantSchema } from "../http/values.ts";
import { motionSchema } from "../robots/robots.ts";

/** A robot may write it in capitals too; commands and runs are found by it as the server writes it. */
const uuid = z.uuid().toLowerCase();

export const PROTOCOL_VERSION = 1;

const counter = z.int().min(0);
/** Far beyond any time in milliseconds, and far enough below the largest exact number that commands never run out. */
const MAX_LAST_SEQ = 2 ** 52;
const percent = z.number().min(0).max(100);

export const connectionMessageSchema = z.object({
  v: z.literal(PROTOCOL_VERSION),
  state: z.enum(["ONLINE", "OFFLINE", "CONNECTION_BROKEN"]),
  /** Raised by the robot before every connect and kept across power loss. */
  session: counter,
  ts: instantSchema,
});
export type ConnectionMessage = z.output<typeof connectionMessageSchema>;

export const deviceModeSchema = z.enum(["AUTO", "MANUAL", "MAINTENANCE"]);
export type DeviceMode = z.output<typeof deviceModeSchema>;

export const deviceAlertSchema = z.object({
  code: z.string().min(1).max(60),
  severity: severitySchema,
  text: z.string().max(300),
});
export type DeviceAlert = z.output<typeof deviceAlertSchema>;

export const appliedSettingsSchema = z.object({
  direction: travelSchema,
  mainSpeed: percent,
  brushSpeed: percent,
});

export const stateMessageSchema = z.object({
  /** Counts the robot's reports within a session. */
  seq: counter,
  ts: instantSchema,
  session: counter,
  /** The device's own text; start, stop, warning, offline, fault and error are known. */
  status: z.string().min(1).max(60),
  motion: motionSchema,
  mode: deviceModeSchema,
  battery: percent,
  charging: z.boolean(),
  applied: appliedSettingsSchema,
  runId: uuid.nullable(),
  /** Highest `seq` of a command that the robot has taken. */
  lastSeq: counter.max(MAX_LAST_SEQ),
  /** Id of the last command of any verb but RECEIVED that it answered. */
  lastCommandId: uuid.nullable(),
  firmware: z.string().min(1).max(60),
  alerts: z.array(deviceAlertSchema).max(20),
});
export type StateMessage = z.output<typeof stateMessageSchema>;

export const commandParamsSchema = z.object({
  status: z.enum(["start", "stop"]),
  direction: travelSchema,
  "main-speed": percent,
  "brush-speed": percent,
});
export type CommandParams = z.output<typeof commandParamsSchema>;

const envelope = {
  v: z.literal(PROTOCOL_VERSION),
  id: uuid,
  /** The robot's session that the server knows; fences every verb that could move it. */
  session: counter,
  issuedAt: instantSchema,
  expiresAt: instantSchema,
  /** Who asked, in words. */
  by: z.string().max(200),
};
const ordered = { ...envelope, seq: counter };

export const commandMessageSchema = z.discriminatedUnion("verb", [
  z.object({
    ...ordered,
    verb: z.literal("START"),
    runId: uuid,
    maxDurationS: z.int().min(1).max(86_400),
    params: commandParamsSchema,
  }),
  z.object({ ...ordered, verb: z.literal("STOP") }),
  z.object({ ...ordered, verb: z.literal("SET"), params: commandParamsSchema.omit({ status: true }).partial() }),
  z.object({ ...ordered, verb: z.literal("MAINTENANCE_ON") }),
  z.object({ ...ordered, verb: z.literal("MAINTENANCE_OFF") }),
  z.object({ ...envelope, verb: z.literal("STATUS") }),
  z.object({ ...envelope, verb: z.literal("RECEIVED"), eventSeq: counter }),
]);
export type CommandMessage = z.output<typeof commandMessageSchema>;

export const rejectCodeSchema = z.enum([
  "BUSY",
  "MAINTENANCE",
  "OLD_SESSION",
  "OLD_SEQ",
  "EXPIRED",
  "CLOCK_NOT_SET",
  "FAULT",
  "BATTERY_LOW",
  "INVALID",
  "REFUSED",
]);
export type RejectCode = z.output<typeof rejectCodeSchema>;

export const ackMessageSchema = z.object({
  id: uuid,
  status: z.enum(["ACCEPTED", "DONE", "REJECTED"]),
  /** Set where the status is REJECTED. */
  code: rejectCodeSchema.nullable(),
  ts: instantSchema,
});
export type AckMessage = z.output<typeof ackMessageSchema>;

export const runEndReasonSchema = z.enum([
  "STOP",
  "MAX_DURATION",
  "FINISHED",
  "FAULT",
  "BATTERY",
  "LINK_LOST",
  "MAINTENANCE",
]);
export type RunEndReason = z.output<typeof runEndReasonSchema>;

const eventEnvelope = { eventSeq: counter, session: counter, ts: instantSchema };

export const eventMessageSchema = z.discriminatedUnion("kind", [
  z.object({ ...eventEnvelope, kind: z.literal("RUN_BEGAN"), runId: uuid, at: instantSchema, battery: percent }),
  z.object({
    ...eventEnvelope,
    kind: z.literal("RUN_ENDED"),
    runId: uuid,
    at: instantSchema,
    battery: percent,
    reason: runEndReasonSchema,
  }),
  z.object({ ...eventEnvelope, kind: z.literal("ALERT_RAISED"), at: instantSchema, alert: deviceAlertSchema }),
  z.object({ ...eventEnvelope, kind: z.literal("ALERT_CLEARED"), at: instantSchema, code: z.string().min(1).max(60) }),
]);
export type EventMessage = z.output<typeof eventMessageSchema>;

/**
 * New firmware for one robot. It downloads the file, compares its SHA-256, installs it and starts anew with it; it does
 * not move meanwhile. An offer that is repeated by its `id` is taken once.
 */
export const firmwareOfferMessageSchema = z.object({
  ...envelope,
  /** Where the file is, over HTTP or HTTPS; signed for this robot, good until `expiresAt`. */
  url: z.url({ protocol: /^https?$/ }).max(1_000),
  size: z.int().min(1),
  /** In hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  version: z.string().min(1).max(60),
});
export type FirmwareOfferMessage = z.output<typeof firmwareOfferMessageSchema>;

export const firmwarePhaseSchema = z.enum(["DOWNLOADING", "INSTALLING", "INSTALLED", "FAILED", "REJECTED"]);
export type FirmwarePhase = z.output<typeof firmwarePhaseSchema>;

export const firmwareCodeSchema = z.enum([
  "HASH_MISMATCH",
  "DOWNLOAD_FAILED",
  "NO_SPACE",
  "INSTALL_FAILED",
  "BUSY",
  "BATTERY_LOW",
  "MAINTENANCE",
  "EXPIRED",
  "OLD_SESSION",
  "CLOCK_NOT_SET",
  "INVALID",
  "REFUSED",
]);
export type FirmwareCode = z.output<typeof firmwareCodeSchema>;

/** How far a robot is with an offer. It reports at every phase and at least every 10 % of the download. */
export const firmwareStateMessageSchema = z.object({
  v: z.literal(PROTOCOL_VERSION),
  offerId: uuid,
  session: counter,
  /** Counts the robot's reports about firmware within a session. */
  seq: counter,
  ts: instantSchema,
  phase: firmwarePhaseSchema,
  /** Of the download. */
  percent,
  /** That was offered. */
  version: z.string().min(1).max(60),
  /** Set where the phase is FAILED or REJECTED. */
  code: firmwareCodeSchema.nullable(),
});
export type FirmwareStateMessage = z.output<typeof firmwareStateMessageSchema>;

/** The verbs that are rows before they are messages; STATUS and RECEIVED only ask and acknowledge. */
export const commandVerbs = ["START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF"] as const;
export type CommandVerb = (typeof commandVerbs)[number];
export type AppliedSettings = z.output<typeof appliedSettingsSchema>;
