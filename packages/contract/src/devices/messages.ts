import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { travelDirectionSchema } from "../commands/commands.ts";
import { motionSchema } from "../robots/robots.ts";

/** Says what a field means, with examples; type and bounds say themselves. The documents are made from it. */
const field = <S extends z.ZodType>(schema: S, description: string, ...examples: readonly unknown[]): S =>
  schema.meta({ description, examples: [...examples] });

const ID = "01980a6e-5f00-7000-8000-000000000002";
const RUN = "01980a6e-5f00-7000-8000-000000000001";
const TIME = "2026-11-21T06:30:00Z";

/** A robot may write it in capitals too; commands and runs are found by it as the server writes it. */
const uuid = z.uuid().toLowerCase();

/**
 * Any time of RFC 3339 with its offset; read, it is the same instant in UTC, to the millisecond. No year 0000 and none
 * beyond 9999: databases have no such years.
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
/** Far beyond any time in milliseconds, and far enough below the largest exact number that commands never run out. */
const MAX_LAST_SEQ = 2 ** 52;
const percent = z.number().min(0).max(100);
const code = z.string().min(1).max(60);

const version = field(z.literal(PROTOCOL_VERSION), "Version of the protocol.", PROTOCOL_VERSION);
const session = field(
  counter,
  "The robot's session: begins at Unix seconds, is kept across power loss and raised before every connect.",
  1_763_706_000,
);
const ts = field(instant, "When the robot sent it, by the robot's clock: RFC 3339 with its offset.", TIME);
const firmwareVersion = z.string().min(1).max(60);

export const connectionMessageSchema = z.object({
  v: version,
  state: field(
    z.enum(["ONLINE", "OFFLINE", "CONNECTION_BROKEN"]),
    "ONLINE once after each connect, OFFLINE before a disconnect on purpose, CONNECTION_BROKEN as the last will.",
    "ONLINE",
  ),
  session,
  ts: field(instant, "When the robot wrote it, for a will the time of the connect: RFC 3339 with its offset.", TIME),
});
export type ConnectionMessage = z.output<typeof connectionMessageSchema>;

export const deviceModeSchema = z.enum(["AUTO", "MANUAL", "MAINTENANCE"]);
export type DeviceMode = z.output<typeof deviceModeSchema>;

export const deviceAlertSchema = z.object({
  code: field(code, "Names the kind of alert, the same each time; LOW_BATTERY is known to Suncrew.", "BRUSH_WORN"),
  severity: field(severitySchema, "How bad it is; CRITICAL where the robot cannot work.", "WARNING"),
  text: field(z.string().max(300), "What people read, in English, one sentence.", "The brush is worn."),
});
export type DeviceAlert = z.output<typeof deviceAlertSchema>;

const direction = field(travelDirectionSchema, "Direction of travel: forward or reverse.", "FWD");
const mainSpeed = field(percent, "Speed of the drive, in percent.", 75);
const brushSpeed = field(percent, "Speed of the brush, in percent.", 60);

export const appliedSettingsSchema = z.object({ direction, mainSpeed, brushSpeed });

export const stateMessageSchema = z.object({
  seq: field(counter, "Counts the robot's states within a session, from 1 on.", 42),
  ts,
  session,
  status: field(
    z.string().min(1).max(60),
    "The device's own text: start, stop, warning, offline, fault or error. Any other is shown as normal, with an alert.",
    "start",
  ),
  motion: field(motionSchema, "Whether the robot moves; what Start and Stop are judged by.", "MOVING"),
  mode: field(deviceModeSchema, "MAINTENANCE while locked; afterwards the mode it had before.", "AUTO"),
  battery: field(percent, "Charge of the battery, in percent.", 81.5),
  charging: field(z.boolean(), "Whether the battery is being charged.", false),
  applied: field(appliedSettingsSchema, "The settings that are in use, or will be at the next start.", {
    direction: "FWD",
    mainSpeed: 75,
    brushSpeed: 60,
  }),
  runId: field(uuid.nullable(), "The run under way, as its START named it; null while the robot stands.", RUN, null),
  lastSeq: field(
    counter.max(MAX_LAST_SEQ),
    "Highest `seq` of a command that the robot has taken; 0 before the first, kept across power loss.",
    1_763_706_600_000,
  ),
  lastCommandId: field(
    uuid.nullable(),
    "Id of the last command, of any verb but RECEIVED, that it answered, also of one refused; null before the first.",
    ID,
    null,
  ),
  firmware: field(firmwareVersion, "The version of the firmware that runs.", "2.4.1"),
  alerts: field(z.array(deviceAlertSchema).max(20), "Every alert that holds now, each code once.", [
    { code: "BRUSH_WORN", severity: "WARNING", text: "The brush is worn." },
  ]),
});
export type StateMessage = z.output<typeof stateMessageSchema>;

export const commandParamsSchema = z.object({
  status: field(z.enum(["start", "stop"]), "The device's text for what is ordered.", "start"),
  direction,
  "main-speed": mainSpeed,
  "brush-speed": brushSpeed,
});
export type CommandParams = z.output<typeof commandParamsSchema>;

const envelope = {
  v: version,
  id: field(uuid, "Names the message; one that comes again is the same and acts once.", ID),
  session: field(
    counter,
    "The robot's session that the server knows; fences START, SET, MAINTENANCE_OFF and offers of firmware.",
    1_763_706_000,
  ),
  issuedAt: field(instant, "When the server made it: RFC 3339 with its offset.", TIME),
  expiresAt: field(
    instant,
    "What session fences is refused from then on: RFC 3339 with its offset.",
    "2026-11-21T06:30:05Z",
  ),
  by: field(z.string().max(200), "Who asked, in words; for the robot's own log.", "Asha Rao"),
};
const ordered = {
  ...envelope,
  seq: field(counter, "Number of the command: higher is newer, across all sessions.", 1_763_706_600_000),
};
const verb = <V extends string>(name: V, description: string) => field(z.literal(name), description, name);

export const commandMessageSchema = z.discriminatedUnion("verb", [
  z.object({
    ...ordered,
    verb: verb("START", "Clean: apply `params` and move."),
    runId: field(uuid, "Names the run that begins; `state` and events repeat it.", RUN),
    maxDurationS: field(
      z.int().min(1).max(86_400),
      "Seconds after which the robot stops by itself, by its monotonic clock.",
      28_800,
    ),
    params: field(commandParamsSchema, "The settings of the run.", {
      status: "start",
      direction: "FWD",
      "main-speed": 75,
      "brush-speed": 60,
    }),
  }),
  z.object({ ...ordered, verb: verb("STOP", "Stand still; taken whatever its session or age.") }),
  z.object({
    ...ordered,
    verb: verb("SET", "Apply the settings that are given, also while moving."),
    params: field(commandParamsSchema.omit({ status: true }).partial(), "What is left out stays.", {
      direction: "REV",
    }),
  }),
  z.object({
    ...ordered,
    verb: verb("MAINTENANCE_ON", "Stop, and be locked across power loss; taken whatever its session, seq or age."),
  }),
  z.object({ ...ordered, verb: verb("MAINTENANCE_OFF", "Return to the mode before the lock, standing.") }),
  z.object({ ...envelope, verb: verb("STATUS", "Publish `state` now; no ack.") }),
  z.object({
    ...envelope,
    verb: verb("RECEIVED", "The event is on record: forget it; no ack."),
    eventSeq: field(counter, "The event that is meant.", 1_763_706_012),
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
  id: field(uuid, "The command that is answered.", ID),
  status: field(
    z.enum(["ACCEPTED", "DONE", "REJECTED"]),
    "ACCEPTED: taken and begun, as a START; DONE: taken and done; REJECTED: not taken.",
    "ACCEPTED",
  ),
  code: field(rejectCodeSchema.nullable(), "Why it was REJECTED; null otherwise.", "BUSY", null),
  ts,
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

const eventEnvelope = {
  eventSeq: field(
    counter,
    "Names the event: begins at Unix seconds, grows by each event, is kept across power loss.",
    1_763_706_012,
  ),
  session: field(counter, "The robot's session when it happened.", 1_763_706_000),
  ts: field(instant, "When the robot noticed it, by its clock: RFC 3339 with its offset. A repetition keeps it.", TIME),
  at: field(instant, "When it happened, by the robot's clock: RFC 3339 with its offset.", TIME),
};
const kind = <K extends string>(name: K, description: string) => field(z.literal(name), description, name);
const ofRun = {
  runId: field(uuid, "The run, as its START named it.", RUN),
  battery: field(percent, "Charge of the battery then, in percent.", 64),
};

export const eventMessageSchema = z.discriminatedUnion("kind", [
  z.object({ ...eventEnvelope, kind: kind("RUN_BEGAN", "The robot began to move."), ...ofRun }),
  z.object({
    ...eventEnvelope,
    kind: kind("RUN_ENDED", "The robot stands again."),
    ...ofRun,
    reason: field(
      runEndReasonSchema,
      "What ended it: a STOP, `maxDurationS`, all is clean, a fault or lost power, an empty battery, no broker, the lock.",
      "STOP",
    ),
  }),
  z.object({
    ...eventEnvelope,
    kind: kind("ALERT_RAISED", "An alert began to hold."),
    alert: field(deviceAlertSchema, "The alert, as `state` lists it.", {
      code: "BRUSH_WORN",
      severity: "WARNING",
      text: "The brush is worn.",
    }),
  }),
  z.object({
    ...eventEnvelope,
    kind: kind("ALERT_CLEARED", "An alert holds no more."),
    code: field(code, "The code that its ALERT_RAISED gave.", "BRUSH_WORN"),
  }),
]);
export type EventMessage = z.output<typeof eventMessageSchema>;

/**
 * New firmware for one robot. It downloads the file, compares its SHA-256, installs it and starts anew with it; it does
 * not move meanwhile. An offer that is repeated by its `id` is taken once.
 */
export const firmwareOfferMessageSchema = z.object({
  ...envelope,
  url: field(
    z.url({ protocol: /^https?$/ }).max(1_000),
    "Where the file is, over HTTP or HTTPS; signed for this robot, good until `expiresAt`.",
    `https://suncrew.example/api/firmware/file/${ID}?expires=1763707500&signature=0f`,
  ),
  size: field(z.int().min(1), "Bytes of the file.", 1_048_576),
  sha256: field(
    z.string().regex(/^[0-9a-f]{64}$/),
    "SHA-256 of the file, in small hexadecimal digits.",
    "0f".repeat(32),
  ),
  version: field(firmwareVersion, "The version that `state` shows once it runs.", "2.5.0"),
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
  v: version,
  offerId: field(uuid, "The `id` of the offer.", ID),
  session,
  seq: field(
    counter,
    "Counts the robot's reports about firmware within a session, from 1 on; a count of its own, not that of `state` or of commands.",
    5,
  ),
  ts,
  phase: field(firmwarePhaseSchema, "How far it is; INSTALLED, FAILED and REJECTED are ends.", "DOWNLOADING"),
  percent: field(percent, "Of the download, in percent.", 50),
  version: field(firmwareVersion, "The version that was offered.", "2.5.0"),
  code: field(firmwareCodeSchema.nullable(), "Why it FAILED or was REJECTED; null otherwise.", "HASH_MISMATCH", null),
});
export type FirmwareStateMessage = z.output<typeof firmwareStateMessageSchema>;

/** The verbs that are rows before they are messages; STATUS and RECEIVED only ask and acknowledge. */
export const commandVerbs = ["START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF"] as const;
export type CommandVerb = (typeof commandVerbs)[number];
export type AppliedSettings = z.output<typeof appliedSettingsSchema>;
