import type { CommandMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { DeviceAlert, EventMessage, RunEndReason, StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { Command } from "../../features/commands/public.ts";
import type { IncomingMessage } from "../../features/devices/public.ts";
import { after, MINUTE_MS } from "./past-fleet.ts";

export interface PastRobotRow {
  readonly id: number;
  readonly siteId: number;
  readonly serial: string;
  readonly firmware: string;
  readonly mode: CommandMode;
}

const DRAIN_PER_MINUTE = 0.42;
const CHARGE_PER_MINUTE = 0.7;
/** Messages take this long to the server. */
const ON_THE_WAY_MS = 120;
/** Protocol rule 4: it stands this long after its link broke. */
export const LINK_LOSS_STOP_MS = 5 * MINUTE_MS;

/**
 * One robot of the demo's past: what it did, and what it would have told the bridge. Its sessions and event numbers
 * count from 1, so that whatever the simulated robot of today says is newer.
 */
export class PastRobot {
  readonly of: PastRobotRow;
  battery = 96;
  online = false;
  /** Sent, but not stored yet. */
  #messages: IncomingMessage[] = [];
  #events: EventMessage[] = [];
  #session = 0;
  #seq = 0;
  #eventSeq = 0;
  #lastSeq = 0;
  #lastCommandId: string | null = null;
  #alerts: DeviceAlert[] = [];
  #isLocked = false;
  #applied: StateMessage["applied"] = { direction: "FWD", mainSpeed: 75, brushSpeed: 80 };
  #runId: string | null = null;
  #advancedToMs = 0;

  constructor(of: PastRobotRow) {
    this.of = of;
  }

  get isMoving(): boolean {
    return this.#runId !== null;
  }

  takeMessages(): IncomingMessage[] {
    return this.#messages.splice(0);
  }

  connect(at: Date): void {
    this.online = true;
    this.#session += 1;
    this.#seq = 0;
    this.#announce("ONLINE", at);
    this.report(at);
  }

  /** Its connection breaks, or it is switched off and announces it. */
  disconnect(at: Date, state: "CONNECTION_BROKEN" | "OFFLINE"): void {
    if (!this.online) return;
    this.online = false;
    this.#announce(state, at);
  }

  #announce(state: "ONLINE" | "CONNECTION_BROKEN" | "OFFLINE", at: Date): void {
    const message = { v: 1, state, session: this.#session, ts: at.toISOString() } as const;
    this.#messages.push({ leaf: "connection", message, receivedAt: after(at, ON_THE_WAY_MS), retained: false });
  }

  /** The server is down: nobody notices that the connection broke. */
  loseServer(): void {
    this.online = false;
  }

  /** Reports its state and pending events. */
  report(at: Date): void {
    this.#advance(at);
    if (!this.online) return;
    this.#seq += 1;
    const { isMoving } = this;
    const message: StateMessage = {
      seq: this.#seq,
      ts: at.toISOString(),
      session: this.#session,
      status: this.#status(),
      motion: isMoving ? "MOVING" : "STOPPED",
      mode: this.#isLocked ? "MAINTENANCE" : this.of.mode,
      battery: Math.round(this.battery),
      charging: !isMoving && this.battery < 100,
      applied: this.#applied,
      runId: this.#runId,
      lastSeq: this.#lastSeq,
      lastCommandId: this.#lastCommandId,
      firmware: this.of.firmware,
      alerts: this.#alerts,
    };
    const receivedAt = after(at, ON_THE_WAY_MS);
    this.#messages.push({ leaf: "state", message, receivedAt, retained: false });
    for (const event of this.#events.splice(0)) {
      this.#messages.push({ leaf: "event", message: { ...event, session: this.#session }, receivedAt });
    }
  }

  /** Carries out a command, and reports. */
  accept(command: Command, at: Date): void {
    this.#advance(at);
    this.#lastSeq = command.seq;
    this.#lastCommandId = command.id;
    if (command.verb === "START" && command.run_id !== null) this.#begin(command.run_id, command.params, at);
    if (command.verb === "STOP") this.endRun("STOP", at);
    if (command.verb === "MAINTENANCE_ON") {
      this.endRun("MAINTENANCE", at);
      this.#isLocked = true;
    }
    if (command.verb === "MAINTENANCE_OFF") this.#isLocked = false;
    this.report(at);
  }

  reject(command: Command, code: "BATTERY_LOW" | "FAULT", at: Date): void {
    const message = { id: command.id, status: "REJECTED", code, ts: at.toISOString() } as const;
    this.#messages.push({ leaf: "ack", message, receivedAt: after(at, ON_THE_WAY_MS) });
  }

  /** Stops by itself or on command; reports it as soon as it can. */
  endRun(reason: RunEndReason, at: Date): void {
    this.#advance(at);
    if (this.#runId === null) return;
    const runId = this.#runId;
    this.#runId = null;
    this.#event(at, { kind: "RUN_ENDED", runId, at: at.toISOString(), battery: Math.round(this.battery), reason });
  }

  setAlert(alert: DeviceAlert): void {
    this.#alerts = [...this.#alerts.filter(({ code }) => code !== alert.code), alert];
  }

  clearAlert(code: string): void {
    this.#alerts = this.#alerts.filter((alert) => alert.code !== code);
  }

  /** Clears all alerts and reports once more. */
  rest(at: Date): void {
    this.#alerts = [];
    this.report(at);
  }

  #begin(runId: string, params: Command["params"], at: Date): void {
    this.#runId = runId;
    this.#applied = {
      direction: params.direction ?? "FWD",
      mainSpeed: params["main-speed"] ?? 75,
      brushSpeed: params["brush-speed"] ?? 80,
    };
    this.#event(at, { kind: "RUN_BEGAN", runId, at: at.toISOString(), battery: Math.round(this.battery) });
  }

  #event(at: Date, event: EventWithoutNumber): void {
    this.#eventSeq += 1;
    this.#events.push({ ...event, eventSeq: this.#eventSeq, session: this.#session, ts: at.toISOString() });
  }

  /** Cleaning empties the battery, the dock fills it. */
  #advance(at: Date): void {
    const minutes = this.#advancedToMs === 0 ? 0 : (at.getTime() - this.#advancedToMs) / MINUTE_MS;
    this.#advancedToMs = at.getTime();
    const change = this.#runId === null ? minutes * CHARGE_PER_MINUTE : -minutes * DRAIN_PER_MINUTE;
    this.battery = Math.min(100, Math.max(5, this.battery + change));
  }

  #status(): string {
    if (this.#alerts.some(({ severity }) => severity === "CRITICAL")) return "fault";
    if (this.#alerts.some(({ severity }) => severity === "WARNING")) return "warning";
    return this.#runId === null ? "stop" : "start";
  }
}

type WithoutNumber<E> = E extends EventMessage ? Omit<E, "eventSeq" | "session" | "ts"> : never;
type EventWithoutNumber = WithoutNumber<EventMessage>;
