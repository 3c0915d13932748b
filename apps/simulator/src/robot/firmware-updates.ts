import {
  type FirmwareCode,
  type FirmwareOfferMessage,
  type FirmwareStateMessage,
  PROTOCOL_VERSION,
} from "@suncrew/contract/devices/messages.ts";
import { FIRMWARE_MIN_BATTERY_PERCENT } from "@suncrew/contract/firmware/firmware.ts";
import type { Conditions } from "./conditions.ts";
import { instantOf, isClockSet, type Moment } from "./moment.ts";
import type { Outgoing } from "./report.ts";

/** The progress of one offer, as reported and stored across power loss. */
export type UpdateReport = Pick<FirmwareStateMessage, "offerId" | "version" | "phase" | "percent" | "code">;

/** The part of a robot's state that decides whether it accepts an offer. */
export interface OfferedRobot {
  readonly session: number;
  readonly maintenance: boolean;
  readonly moving: boolean;
  /** Whole percent, as it is reported. */
  readonly battery: number;
  readonly conditions: Conditions;
}

/** Work for the caller, which also reports the end of a download. */
export type UpdateWork =
  | { readonly kind: "download"; readonly offer: FirmwareOfferMessage }
  /** Restarts from its memory. */
  | { readonly kind: "restart" };

const MAX_REMEMBERED = 20;
/** Progress is reported at least this often, in percent of the download. */
const STEP_PERCENT = 10;

/**
 * The robot's side of firmware updates: checks offers, downloads, installs and restarts. One update at a time; a power loss
 * fails a download or an installation.
 */
export class FirmwareUpdates {
  readonly #installMs: number;
  /** Earlier offers and their outcomes, newest last. */
  #ended: UpdateReport[];
  #current: UpdateReport | null = null;
  /** Monotonic; infinite until the download ends, and for an installation that hangs. */
  #installEndsAtMs = Number.POSITIVE_INFINITY;
  #work: UpdateWork | null = null;
  #seq = 0;
  #unsent: UpdateReport[] = [];

  constructor(persisted: readonly UpdateReport[], installMs: number) {
    this.#installMs = installMs;
    this.#ended = persisted.map(endedByPowerLoss);
  }

  /** While it downloads or installs the robot does not move. */
  get isBusy(): boolean {
    return this.#current !== null;
  }

  /** The current update, otherwise the newest. */
  get last(): UpdateReport | null {
    return this.persisted.at(-1) ?? null;
  }

  get persisted(): readonly UpdateReport[] {
    return this.#current === null ? this.#ended : [...this.#ended, this.#current];
  }

  /** A new session counts its reports from one and repeats the last report, which may never have arrived. */
  beginSession(): void {
    this.#seq = 0;
    this.#unsent = this.last === null ? [] : [this.last];
  }

  /** Accepts or refuses an offer; a repeated one gets the same answer and acts once (rule 5). */
  receive(offer: FirmwareOfferMessage, robot: OfferedRobot, wallMs: number): void {
    const { id: offerId, version } = offer;
    const earlier = this.persisted.find((report) => report.offerId === offerId);
    if (earlier !== undefined) {
      this.#unsent.push(earlier);
      return;
    }
    const code = this.#refusalOf(offer, robot, wallMs);
    if (code !== null) {
      this.#end({ offerId, version, phase: "REJECTED", percent: 0, code });
      return;
    }
    this.#change({ offerId, version, phase: "DOWNLOADING", percent: 0, code: null });
    this.#work = { kind: "download", offer };
  }

  /** The download has reached this percentage. */
  progress(offerId: string, percent: number): void {
    const current = this.#downloading(offerId);
    const floored = Math.min(100, Math.floor(percent));
    if (current !== null && floored >= current.percent + STEP_PERCENT) this.#change({ ...current, percent: floored });
  }

  /** The download is complete and correct (null), or has failed. `hangs`: the installation never ends. */
  downloadEnded(offerId: string, code: FirmwareCode | null, hangs: boolean, nowMs: number): void {
    const current = this.#downloading(offerId);
    if (current === null) return;
    if (code !== null) {
      this.#current = null;
      this.#end({ ...current, phase: "FAILED", code });
      return;
    }
    this.#change({ ...current, phase: "INSTALLING", percent: 100 });
    this.#installEndsAtMs = hangs ? Number.POSITIVE_INFINITY : nowMs + this.#installMs;
  }

  /** The version just installed, which runs after the restart; returned once, otherwise null. */
  advance(nowMs: number, conditions: Conditions): string | null {
    const current = this.#current;
    if (current === null || nowMs < this.#installEndsAtMs) return null;
    this.#installEndsAtMs = Number.POSITIVE_INFINITY;
    this.#current = null;
    if (conditions.firmware?.what === "install") {
      this.#end({ ...current, phase: "FAILED", code: "INSTALL_FAILED" });
      return null;
    }
    this.#end({ ...current, phase: "INSTALLED" });
    // Reported after the restart, together with the version that runs then.
    this.#unsent = [];
    this.#work = { kind: "restart" };
    return current.version;
  }

  /** What the caller must do now; returned once. */
  takeWork(): UpdateWork | null {
    const work = this.#work;
    this.#work = null;
    return work;
  }

  due(session: number, { wallMs }: Moment): Outgoing[] {
    const unsent = this.#unsent;
    this.#unsent = [];
    return unsent.map((report) => {
      this.#seq += 1;
      const message = { v: PROTOCOL_VERSION, session, seq: this.#seq, ts: instantOf(wallMs), ...report } as const;
      return { leaf: "firmware/state", message };
    });
  }

  #refusalOf(offer: FirmwareOfferMessage, robot: OfferedRobot, wallMs: number): FirmwareCode | null {
    if (offer.session !== robot.session) return "OLD_SESSION";
    if (!isClockSet(wallMs)) return "CLOCK_NOT_SET";
    if (wallMs >= Date.parse(offer.expiresAt)) return "EXPIRED";
    if (robot.conditions.firmware?.what === "refuse") return "REFUSED";
    if (robot.maintenance) return "MAINTENANCE";
    if (robot.moving || this.isBusy) return "BUSY";
    return robot.battery < FIRMWARE_MIN_BATTERY_PERCENT ? "BATTERY_LOW" : null;
  }

  #downloading(offerId: string): UpdateReport | null {
    const current = this.#current;
    return current?.offerId === offerId && current.phase === "DOWNLOADING" ? current : null;
  }

  #change(report: UpdateReport): void {
    this.#current = report;
    this.#unsent.push(report);
  }

  #end(report: UpdateReport): void {
    this.#ended = [...this.#ended, report].slice(-MAX_REMEMBERED);
    this.#unsent.push(report);
  }
}

function endedByPowerLoss(report: UpdateReport): UpdateReport {
  if (report.phase === "DOWNLOADING") return { ...report, phase: "FAILED", code: "DOWNLOAD_FAILED" };
  return report.phase === "INSTALLING" ? { ...report, phase: "FAILED", code: "INSTALL_FAILED" } : report;
}
