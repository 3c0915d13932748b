import { commandVerbs, rejectCodeSchema } from "@suncrew/contract/devices/messages.ts";
import { MAX_MESSAGE_BYTES, type RobotLeaf, robotLeaves } from "@suncrew/contract/devices/topics.ts";
import { z } from "zod";
import { type Conditions, firmwareFaults, healthyConditions } from "../robot/conditions.ts";

const TEN_YEARS_MS = 315_360_000_000;
const durationMs = z.int().min(0).max(3_600_000);
/** The fault clears itself after this many seconds; by default it lasts until it is cleared. */
const duration = { forSeconds: z.number().positive().max(86_400).optional() };

/** Everything that can go wrong. `drop-link` lasts 10 s by default. */
export const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("silent"), ...duration }),
  z.strictObject({ kind: z.literal("drop-link"), forSeconds: z.number().positive().max(86_400).default(10) }),
  z.strictObject({
    kind: z.literal("refuse"),
    code: rejectCodeSchema.default("REFUSED"),
    verbs: z.array(z.enum(commandVerbs)).min(1).default(["START", "SET", "MAINTENANCE_OFF"]),
    ...duration,
  }),
  z.strictObject({
    kind: z.literal("late"),
    ms: durationMs.default(5_000),
    /** `answers` are sent late; `commands` are also handled late. */
    what: z.enum(["answers", "commands"]).default("answers"),
    ...duration,
  }),
  z.strictObject({ kind: z.literal("twice"), ...duration }),
  z.strictObject({ kind: z.literal("shuffle"), ms: durationMs.default(1_000), ...duration }),
  z.strictObject({ kind: z.literal("jam"), ...duration }),
  z.strictObject({ kind: z.literal("low-battery"), percent: z.number().min(0).max(19).default(12), ...duration }),
  z.strictObject({
    kind: z.literal("warning"),
    text: z.string().min(1).max(300).default("The brush is worn and should be changed."),
    ...duration,
  }),
  z.strictObject({
    kind: z.literal("wrong-clock"),
    /** Milliseconds ahead of the true time, negative behind; or a clock that was never set. */
    offset: z.union([z.int().min(-TEN_YEARS_MS).max(TEN_YEARS_MS), z.literal("unset")]).default(120_000),
    ...duration,
  }),
  z.strictObject({
    kind: z.literal("malformed"),
    everyMs: z.int().min(50).max(3_600_000).default(2_000),
    /** Garbage replaces its proper messages instead of adding to them. */
    instead: z.boolean().default(false),
    ...duration,
  }),
  z.strictObject({ kind: z.literal("away"), ...duration }),
  z.strictObject({ kind: z.literal("deaf"), ...duration }),
  z.strictObject({
    kind: z.literal("firmware"),
    what: z.enum(firmwareFaults).default("install"),
    /** Of a slow download. */
    seconds: z.number().positive().max(86_400).default(60),
    ...duration,
  }),
  z.strictObject({ kind: z.literal("odd-status"), text: z.string().min(1).max(60).default("self-test"), ...duration }),
]);
export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type FaultKind = Fault["kind"];

export const faultKinds: readonly FaultKind[] = faultSchema.options.map((option) => option.shape.kind.value);

/** The meaning of ARG in a command line's `KIND[:ARG]`, by kind. */
const parseArgument: Record<FaultKind, (argument: string) => object> = {
  silent: seconds,
  "drop-link": seconds,
  refuse: (argument) => {
    const [code, ...verbs] = argument.split(",");
    return verbs.length > 0 ? { code, verbs } : { code };
  },
  late: (argument) => {
    const [ms, what] = argument.split(",");
    return what === undefined ? { ms: Number(ms) } : { ms: Number(ms), what };
  },
  twice: seconds,
  shuffle: (argument) => ({ ms: Number(argument) }),
  jam: seconds,
  "low-battery": (argument) => ({ percent: Number(argument) }),
  warning: (text) => ({ text }),
  "wrong-clock": (argument) => ({ offset: argument === "unset" ? "unset" : Number(argument) }),
  malformed: (argument) => (argument === "instead" ? { instead: true } : { everyMs: Number(argument) }),
  away: seconds,
  deaf: seconds,
  firmware: (argument) => {
    const [what, slow] = argument.split(",");
    return slow === undefined ? { what } : { what, seconds: Number(slow) };
  },
  "odd-status": (text) => ({ text }),
};

function seconds(argument: string): object {
  return { forSeconds: Number(argument) };
}

/** Parses `KIND[:ARG]`. Throws an Error if it is not a fault. */
export function parseFaultText(text: string): Fault {
  const [word = "", ...rest] = text.split(":");
  const kind = faultKinds.find((known) => known === word);
  if (kind === undefined) throw new Error(`"${word}" is not a fault; the faults are ${faultKinds.join(", ")}.`);
  const argument = rest.length > 0 ? parseArgument[kind](rest.join(":")) : {};
  const parsed = faultSchema.safeParse({ kind, ...argument });
  if (!parsed.success) throw new Error(`The fault "${text}" is invalid: ${issueText(parsed.error)}`);
  return parsed.data;
}

/** Describes the first issue of invalid input. */
export function issueText(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "The input is invalid.";
  return issue.path.length === 0 ? `${issue.message}.` : `${issue.path.join(".")}: ${issue.message}.`;
}

/** The faults of one robot, at most one of each kind. */
export class ActiveFaults {
  readonly #byKind = new Map<FaultKind, Fault>();

  set(fault: Fault): void {
    this.#byKind.set(fault.kind, fault);
  }

  delete(kind: FaultKind): boolean {
    return this.#byKind.delete(kind);
  }

  get<K extends FaultKind>(kind: K): Extract<Fault, { kind: K }> | undefined {
    const fault = this.#byKind.get(kind);
    return fault === undefined ? undefined : (fault as Extract<Fault, { kind: K }>);
  }

  has(kind: FaultKind): boolean {
    return this.#byKind.has(kind);
  }

  list(): Fault[] {
    return [...this.#byKind.values()];
  }

  /** The robot has no connection to its broker. */
  get isOffline(): boolean {
    return this.has("away") || this.has("drop-link");
  }

  get conditions(): Conditions {
    const refuse = this.get("refuse");
    const firmware = this.get("firmware");
    return {
      ...healthyConditions,
      jammed: this.has("jam"),
      failedChargerPercent: this.get("low-battery")?.percent ?? null,
      warning: this.get("warning")?.text ?? null,
      oddStatus: this.get("odd-status")?.text ?? null,
      firmware: firmware === undefined ? null : { what: firmware.what, seconds: firmware.seconds },
      refuses: refuse === undefined ? null : { code: refuse.code, verbs: refuse.verbs },
    };
  }

  /** What the robot takes to be the time of day, in Unix milliseconds. */
  wallMs(trueMs: number, monotonicMs: number): number {
    const clock = this.get("wrong-clock");
    if (clock === undefined) return trueMs;
    return clock.offset === "unset" ? Math.floor(monotonicMs) : trueMs + clock.offset;
  }
}

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

/** Cycles through every kind of garbage on every leaf, so that a test sees all of them in turn. */
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
