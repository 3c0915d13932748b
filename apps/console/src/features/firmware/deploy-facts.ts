import {
  FIRMWARE_ENDINGS,
  FIRMWARE_MAX_BYTES,
  firmwareVersionSchema,
  ROLLOUT_RANGES,
} from "@suncrew/contract/firmware/firmware.ts";
import type { Firmware } from "@suncrew/contract/firmware/firmware.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { waitingText } from "@suncrew/domain/firmware/rollout-text.ts";
import type { Question } from "../../platform/confirm/confirm.ts";
import { matchesEveryWord } from "../../ui/matches-search.ts";

/** A robot that firmware may be deployed to. */
export interface DeployRobot {
  readonly id: number;
  readonly serial: string;
  /** Empty if it is not known. */
  readonly name: string;
  readonly siteName: string;
  readonly version: string;
  /** What it would have to wait for now; null if it could start. */
  readonly waits: string | null;
}

type Reading = Pick<
  RobotLive,
  "firmware_update" | "operating_mode" | "online" | "motion" | "open_command" | "status" | "battery_level"
>;

/** What a robot would wait for before its offer: the server's own rule, as far as the console can evaluate it. */
export function waitsBefore(robot: Reading, now: Date): string | null {
  const candidate = {
    deleted: false,
    replaced: false,
    deviceRetired: false,
    // A robot that already runs the version is marked separately.
    firmware: null,
    operatingMode: robot.operating_mode,
    deviceMode: null,
    online: robot.online,
    // Only the server knows how fresh its state and how accurate its clock is.
    liveStateAt: now,
    clockSkewMs: null,
    motion: robot.motion,
    status: robot.status,
    hasOpenCommand: robot.open_command !== null,
    stillInstalling: robot.firmware_update !== null,
    batteryPercent: robot.battery_level,
    waitUntil: null,
  };
  const refusal = offerRefusal(candidate, "", now);
  return refusal?.kind === "wait" ? waitingText(refusal.why, candidate) : null;
}

export function robotsFound(robots: readonly DeployRobot[], search: string): readonly DeployRobot[] {
  if (search.trim() === "") return robots;
  return robots.filter(({ serial, name, siteName, version }) =>
    matchesEveryWord(search, [serial, name, siteName, version]),
  );
}

export interface DeployForm {
  readonly source: "file" | "uploaded";
  readonly file: File | null;
  readonly version: string;
  /** Of firmware uploaded before; empty if none is chosen. */
  readonly firmwareId: string;
  readonly batchSize: string;
  readonly threshold: string;
  readonly deadline: string;
  readonly waitLimit: string;
}

export type DeployField = "file" | "version" | "firmwareId" | NumberField;
export type NumberField = "batchSize" | "threshold" | "deadline" | "waitLimit";
export type DeployProblems = Readonly<Partial<Record<DeployField, string>>>;

const MIB = 1_048_576;

/** §5 Deploy firmware: what is wrong with a file, or null. */
export function fileProblem(file: Pick<File, "name" | "size">): string | null {
  const name = file.name.toLowerCase();
  if (!FIRMWARE_ENDINGS.some((ending) => name.endsWith(ending))) {
    return `Choose a ${FIRMWARE_ENDINGS.slice(0, -1).join(", ")} or ${FIRMWARE_ENDINGS.at(-1)} file.`;
  }
  if (file.size === 0) return "The file is empty.";
  return file.size > FIRMWARE_MAX_BYTES ? `The file is larger than ${FIRMWARE_MAX_BYTES / MIB} MiB.` : null;
}

/** The version in a file name such as robot-2.5.0.bin; empty if there is none. */
export function versionInName(name: string): string {
  return /\d+(?:\.\d+)+(?:-[0-9A-Za-z]+(?:\.[0-9]+)*)?(?=\.[A-Za-z]+$)/.exec(name)?.[0] ?? "";
}

function integerProblem(text: string, [min, max]: readonly [number, number]): string | undefined {
  const number = Number(text.trim());
  const isValid = /^\d+$/.test(text.trim()) && number >= min && number <= max;
  return isValid ? undefined : `A whole number from ${min} to ${max.toLocaleString("en-GB")}`;
}

export function deployProblems(form: DeployForm): DeployProblems {
  const problems: Partial<Record<DeployField, string | undefined>> = {
    batchSize: integerProblem(form.batchSize, ROLLOUT_RANGES.batch_size),
    threshold: integerProblem(form.threshold, ROLLOUT_RANGES.failure_threshold_percent),
    deadline: integerProblem(form.deadline, ROLLOUT_RANGES.deadline_minutes),
    waitLimit: integerProblem(form.waitLimit, ROLLOUT_RANGES.wait_limit_hours),
  };
  if (form.source === "uploaded") {
    if (form.firmwareId === "") problems.firmwareId = "Choose the firmware.";
  } else {
    problems.file = form.file === null ? "Choose a file." : (fileProblem(form.file) ?? undefined);
    const version = firmwareVersionSchema.safeParse(form.version);
    if (form.version.trim() === "") problems.version = "Version is required";
    else if (!version.success) problems.version = "1 to 40 letters, digits, dots, hyphens, plus signs or underscores";
  }
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== undefined));
}

/** Why Deploy is disabled, the robots first; null if it is not. */
export function deployBlockedReason(problems: DeployProblems, chosen: number): string | null {
  if (chosen === 0) return "Select at least one robot.";
  const [first] = Object.values(problems);
  return first === undefined ? null : first.replace(/\.?$/, ".");
}

/** The version that would be deployed; null until one is chosen. */
export function versionOf(form: DeployForm, uploaded: readonly Firmware[]): string | null {
  if (form.source === "file") return form.version.trim() === "" ? null : form.version.trim();
  return uploaded.find(({ id }) => String(id) === form.firmwareId)?.version ?? null;
}

const robots = (count: number) => `${count.toLocaleString("en-GB")} ${count === 1 ? "robot" : "robots"}`;
const countOf = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

/** experience.md Hard to hurt: what will happen to how many robots. */
export function deployQuestion(
  chosen: readonly DeployRobot[],
  version: string,
  { batchSize, deadline, waitLimit }: Pick<DeployForm, NumberField>,
): Question {
  const has = chosen.filter((robot) => robot.version === version).length;
  const waiting = chosen.filter((robot) => robot.version !== version && robot.waits !== null).length;
  const order = chosen.length === 1 ? "" : `, one first, then up to ${batchSize} at a time`;
  const sentences = [
    `${robots(chosen.length)} will install firmware ${version}${order}, ${chosen.length === 1 ? "" : "each "}within ${deadline} min of its offer. A robot does not clean while it installs.`,
    waiting > 0 &&
      `${countOf(waiting, "of them cannot update now: it waits", "of them cannot update now: they wait")} until it is possible, for ${waitLimit} h at most.`,
    has > 0 && `${countOf(has, "runs it already and is left out", "run it already and are left out")}.`,
  ];
  return {
    title: "Deploy Firmware",
    message: sentences.filter(Boolean).join(" "),
    confirmLabel: `Deploy to ${robots(chosen.length)}`,
  };
}
