import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { travelDirectionSchema } from "../commands/commands.ts";
import { deviceModeSchema } from "../robots/robot-mode.ts";
import { motionSchema } from "../robots/robots.ts";

/** Documents a field's meaning with examples (the generated docs take type and bounds from the schema). */
const field = <S extends z.ZodType>(schema: S, description: string, ...examples: readonly unknown[]): S =>
  schema.meta({ description, examples: [...examples] });

const ID = "01980a6e-5f00-7000-8000-000000000002";
const RUN = "01980a6e-5f00-7000-8000-000000000001";
const TIME = "2026-11-21T06:30:00Z";

/** Robots may send upper case too; lower-cased, it matches the id that the server issued. */
const uuid = z.uuid().toLowerCase();

/**
 * An RFC 3339 time with an offset, normalised to UTC with milliseconds. Years 0000 and after 9999 are rejected because
 * databases cannot store them.
 */
const instant = z.iso
  .datetime({ offset: true })
  .overwrite((text) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : at.toISOString();
  })
  .refine((text) => /^(?!0000)\d{4}-/.test(text), "must be a year from 1 to 9999");

export const PROTOCOL_VERSION = 1;

const counter = z.int().min(0);
/** Far above any time in milliseconds, yet far enough below 2^53 that sequence numbers never run out. */
const MAX_LAST_SEQ = 2 ** 52;
const percent = z.number().min(0).max(100);
const code = z.string().min(1).max(60);

const version = field(z.literal(PROTOCOL_VERSION), "Protocol version.", PROTOCOL_VERSION);
const session = field(
  counter,
  "The robot's session: starts at Unix seconds, survives power loss and is incremented before every connect.",
  1_763_706_000,
);
const ts = field(instant, "When the robot sent it, by the robot's clock: RFC 3339 with offset.", TIME);
const firmwareVersion = z.string().min(1).max(60);

export const connectionMessageSchema = z.object({
  v: version,
  state: field(
    z.enum(["ONLINE", "OFFLINE", "CONNECTION_BROKEN"]),
    "ONLINE once after each connect, OFFLINE before a deliberate disconnect, CONNECTION_BROKEN as the last will.",
    "ONLINE",
  ),
  session,
  ts: field(instant, "When the robot wrote it; for a will, the time of the connect: RFC 3339 with offset.", TIME),
});
export type ConnectionMessage = z.output<typeof connectionMessageSchema>;
export type ConnectionState = ConnectionMessage["state"];

export const deviceAlertSchema = z.object({
  code: field(code, "Stable identifier of the kind of alert; LOW_BATTERY has a meaning to Suncrew.", "BRUSH_WORN"),
  severity: field(severitySchema, "Severity; CRITICAL when the robot cannot work.", "WARNING"),
  text: field(z.string().max(300), "One English sentence for people to read.", "The brush is worn."),
});
export type DeviceAlert = z.output<typeof deviceAlertSchema>;

const direction = field(travelDirectionSchema, "Direction of travel: forward or reverse.", "FWD");
const mainSpeed = field(percent, "Drive speed, in percent.", 75);
const brushSpeed = field(percent, "Brush speed, in percent.", 60);

export const appliedSettingsSchema = z.object({ direction, mainSpeed, brushSpeed });

export const stateMessageSchema = z.object({
  seq: field(counter, "Counts the robot's state messages within a session, starting at 1.", 42),
  ts,
  session,
  status: field(
    z.string().min(1).max(60),
    "The device's own text: start, stop, warning, offline, fault or error. Anything else is shown as normal, with an alert.",
    "start",
  ),
  motion: field(motionSchema, "Whether the robot is moving; Start and Stop are confirmed by this.", "MOVING"),
  mode: field(deviceModeSchema, "MAINTENANCE while locked; after release, the previous mode.", "AUTO"),
  battery: field(percent, "Battery charge, in percent.", 81.5),
  charging: field(z.boolean(), "Whether the battery is charging.", false),
  applied: field(appliedSettingsSchema, "The settings in use, or those of the next start.", {
    direction: "FWD",
    mainSpeed: 75,
    brushSpeed: 60,
  }),
  runId: field(uuid.nullable(), "The current run, as named by its START; null while the robot is stopped.", RUN, null),
  lastSeq: field(
    counter.max(MAX_LAST_SEQ),
    "Highest `seq` of any command the robot has accepted; 0 before the first; survives power loss.",
    1_763_706_600_000,
  ),
  lastCommandId: field(
    uuid.nullable(),
    "Id of the last command answered, rejected ones included, of any verb but RECEIVED; null before the first.",
    ID,
    null,
  ),
  firmware: field(firmwareVersion, "The running firmware version.", "2.4.1"),
  alerts: field(z.array(deviceAlertSchema).max(20), "Every active alert, each code once.", [
    { code: "BRUSH_WORN", severity: "WARNING", text: "The brush is worn." },
  ]),
});
export type StateMessage = z.output<typeof stateMessageSchema>;

export const commandParamsSchema = z.object({
  status: field(z.enum(["start", "stop"]), "The device's text for the command.", "start"),
  direction,
  "main-speed": mainSpeed,
  "brush-speed": brushSpeed,
});
export type CommandParams = z.output<typeof commandParamsSchema>;

const envelope = {
  v: version,
  id: field(uuid, "Message id; a repeated message has the same id and is executed once.", ID),
  session: field(
    counter,
    "The robot's session as known to the server; fences START, SET, MAINTENANCE_OFF and firmware offers.",
    1_763_706_000,
  ),
  issuedAt: field(instant, "When the server created it: RFC 3339 with offset.", TIME),
  expiresAt: field(
    instant,
    "Messages fenced by session are rejected from this time on: RFC 3339 with offset.",
    "2026-11-21T06:30:05Z",
  ),
  by: field(z.string().max(200), "Who sent it, as readable text, for the robot's own log.", "Asha Rao"),
};
const ordered = {
  ...envelope,
  seq: field(counter, "Command sequence number: higher is newer, across all sessions.", 1_763_706_600_000),
};
const verb = <V extends string>(name: V, description: string) => field(z.literal(name), description, name);

export const commandMessageSchema = z.discriminatedUnion("verb", [
  z.object({
    ...ordered,
    verb: verb("START", "Clean: apply `params` and move."),
    runId: field(uuid, "Id of the run this starts; `state` and events repeat it.", RUN),
    maxDurationS: field(
      z.int().min(1).max(86_400),
      "Seconds after which the robot stops on its own, by its monotonic clock.",
      28_800,
    ),
    params: field(commandParamsSchema, "The settings of the run.", {
      status: "start",
      direction: "FWD",
      "main-speed": 75,
      "brush-speed": 60,
    }),
  }),
  z.object({ ...ordered, verb: verb("STOP", "Stop moving; accepted regardless of session or age.") }),
  z.object({
    ...ordered,
    verb: verb("SET", "Apply the settings included, even while moving."),
    params: field(commandParamsSchema.omit({ status: true }).partial(), "Omitted settings stay unchanged.", {
      direction: "REV",
    }),
  }),
  z.object({
    ...ordered,
    verb: verb("MAINTENANCE_ON", "Stop and lock, surviving power loss; accepted regardless of session, seq or age."),
  }),
  z.object({ ...ordered, verb: verb("MAINTENANCE_OFF", "Return to the mode before the lock, without moving.") }),
  z.object({ ...envelope, verb: verb("STATUS", "Publish `state` now; no ack.") }),
  z.object({
    ...envelope,
    verb: verb("RECEIVED", "The event is stored and can be deleted; no ack."),
    eventSeq: field(counter, "The stored event.", 1_763_706_012),
  }),
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
  id: field(uuid, "The command being answered.", ID),
  status: field(
    z.enum(["ACCEPTED", "DONE", "REJECTED"]),
    "ACCEPTED: accepted and begun, as for a START; DONE: executed; REJECTED: not executed.",
    "ACCEPTED",
  ),
  code: field(rejectCodeSchema.nullable(), "Why it was REJECTED; null otherwise.", "BUSY", null),
  ts,
});
export type AckMessage = z.output<typeof ackMessageSchema>;
export type AckStatus = AckMessage["status"];

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

const eventEnvelope = {
  eventSeq: field(
    counter,
    "Event id: starts at Unix seconds, increases with each event, survives power loss.",
    1_763_706_012,
  ),
  session: field(counter, "The robot's session when it happened.", 1_763_706_000),
  ts: field(instant, "When the robot noticed it, by its clock: RFC 3339 with offset. Unchanged in repeats.", TIME),
  at: field(instant, "When it happened, by the robot's clock: RFC 3339 with offset.", TIME),
};
const kind = <K extends string>(name: K, description: string) => field(z.literal(name), description, name);
const ofRun = {
  runId: field(uuid, "The run, as named by its START.", RUN),
  battery: field(percent, "Battery charge at that time, in percent.", 64),
};

export const eventMessageSchema = z.discriminatedUnion("kind", [
  z.object({ ...eventEnvelope, kind: kind("RUN_BEGAN", "The robot began to move."), ...ofRun }),
  z.object({
    ...eventEnvelope,
    kind: kind("RUN_ENDED", "The robot has stopped."),
    ...ofRun,
    reason: field(
      runEndReasonSchema,
      "What ended it: a STOP, `maxDurationS`, work finished, a fault or power loss, low battery, lost broker connection, or the lock.",
      "STOP",
    ),
  }),
  z.object({
    ...eventEnvelope,
    kind: kind("ALERT_RAISED", "An alert became active."),
    alert: field(deviceAlertSchema, "The alert, as `state` lists it.", {
      code: "BRUSH_WORN",
      severity: "WARNING",
      text: "The brush is worn.",
    }),
  }),
  z.object({
    ...eventEnvelope,
    kind: kind("ALERT_CLEARED", "An alert is no longer active."),
    code: field(code, "The code from its ALERT_RAISED.", "BRUSH_WORN"),
  }),
]);
export type EventMessage = z.output<typeof eventMessageSchema>;

/**
 * New firmware for one robot, which downloads the file, verifies its SHA-256, installs it and restarts, without moving
 * until it is done. A repeated offer (same `id`) is executed once.
 */
export const firmwareOfferMessageSchema = z.object({
  ...envelope,
  url: field(
    z.url({ protocol: /^https?$/ }).max(1_000),
    "Download URL (HTTP or HTTPS), signed for this robot and valid until `expiresAt`.",
    `https://suncrew.example/api/firmware/file/${ID}?expires=1763707500&signature=0f`,
  ),
  size: field(z.int().min(1), "File size in bytes.", 1_048_576),
  sha256: field(z.string().regex(/^[0-9a-f]{64}$/), "SHA-256 of the file, in lower-case hex.", "0f".repeat(32)),
  version: field(firmwareVersion, "The version `state` reports once it is running.", "2.5.0"),
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

/** A robot's progress with an offer, reported at every phase and at least every 10 % of the download. */
export const firmwareStateMessageSchema = z.object({
  v: version,
  offerId: field(uuid, "The `id` of the offer.", ID),
  session,
  seq: field(
    counter,
    "Counts the robot's firmware reports within a session, starting at 1; separate from the counters of `state` and commands.",
    5,
  ),
  ts,
  phase: field(firmwarePhaseSchema, "Current phase; INSTALLED, FAILED and REJECTED are final.", "DOWNLOADING"),
  percent: field(percent, "Download progress, in percent.", 50),
  version: field(firmwareVersion, "The offered version.", "2.5.0"),
  code: field(firmwareCodeSchema.nullable(), "Why it FAILED or was REJECTED; null otherwise.", "HASH_MISMATCH", null),
});
export type FirmwareStateMessage = z.output<typeof firmwareStateMessageSchema>;

/** What a site's weather sensor measures; a quantity that it has no instrument for is null. */
export const weatherMessageSchema = z.object({
  v: version,
  seq: field(counter, "Counts the sensor's readings within a session, starting at 1.", 42),
  session: field(
    counter,
    "The sensor's session: starts at Unix seconds, survives power loss and is incremented before every connect.",
    1_763_706_000,
  ),
  ts: field(instant, "When it measured, by the sensor's clock: RFC 3339 with offset.", TIME),
  gust_kmh: field(
    z.number().min(0).max(500).nullable(),
    "The strongest gust of the last 60 seconds, in kilometres per hour; null without an instrument.",
    31.5,
    null,
  ),
  rain_mm_h: field(
    z.number().min(0).max(2_000).nullable(),
    "Rain of the last 60 seconds, as millimetres per hour; null without an instrument.",
    0,
    null,
  ),
  temperature_c: field(
    z.number().min(-90).max(90).nullable(),
    "Air temperature, in degrees Celsius; null without an instrument.",
    34.2,
    null,
  ),
});
export type WeatherMessage = z.output<typeof weatherMessageSchema>;

/** Verbs stored as rows before they are sent; STATUS and RECEIVED only query and acknowledge. */
export const commandVerbs = ["START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF"] as const;
export type CommandVerb = (typeof commandVerbs)[number];
export type AppliedSettings = z.output<typeof appliedSettingsSchema>;
