import { type FirmwareOfferMessage, PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import type { LimitFunction } from "p-limit";
import type { ServerLeaf } from "@suncrew/contract/devices/topics.ts";
import { ActiveFaults, type Fault, type FaultInput, type FaultKind, faultSchema, Garbage } from "../faults/fault.ts";
import type { Machine } from "../robot/machine.ts";
import type { UpdateWork } from "../robot/firmware-updates.ts";
import { type Condition, freshMemory, type RobotMemory } from "../robot/memory.ts";
import { instantOf, type Moment } from "../robot/moment.ts";
import type { Outgoing } from "../robot/report.ts";
import { Robot } from "../robot/robot.ts";
import type { Cancel, FleetClock } from "./clock.ts";
import type { ConnectGate } from "./connect-gate.ts";
import { downloadFirmware } from "./firmware-download.ts";
import { type Device, Link } from "./link.ts";
import { Outbox } from "./outbox.ts";
import type { MemoryStore } from "./store.ts";
import { type RobotTruth, type AcceptedStart, Watchers } from "./truth.ts";

/** What all robots of a fleet share. */
export interface FleetDependencies {
  readonly mqttUrl: string;
  readonly protocolVersion: 4 | 5;
  readonly clock: FleetClock;
  readonly store: MemoryStore;
  readonly gate: ConnectGate;
  readonly machine: Machine;
  readonly linkLossStopMs: number;
  readonly downloads: LimitFunction;
  /** How long new firmware takes, in milliseconds. */
  readonly firmware: FirmwareTimes;
  readonly onConnectFailed: (serial: string, reason: Error) => void;
}

export interface FirmwareTimes {
  /** At least; 0 adds no delay. */
  readonly downloadMs: number;
  readonly installMs: number;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** One robot with its power, its link and its faults. */
export class SimulatedRobot {
  readonly serial: string;
  readonly #device: Device;
  readonly #deps: FleetDependencies;
  readonly #faults = new ActiveFaults();
  readonly #faultEnds = new Map<FaultKind, Cancel>();
  readonly #watchers = new Watchers(() => this.truth());
  readonly #garbage = new Garbage();
  readonly #starts: AcceptedStart[] = [];
  #robot: Robot;
  #link: Link | null = null;
  /** The link that is disconnecting. */
  #closing: Link | null = null;
  #outbox: Outbox | null = null;
  #running = false;
  /** Waits at the gate, connects, or waits to retry. */
  #connectPending = false;
  /** Resolves when no connect is in progress, so that a stopped robot leaves nothing behind. */
  #connecting: Promise<void> = Promise.resolve();
  #failures = 0;
  #cancelRetry: Cancel = () => {};
  #cancelGarbage: Cancel = () => {};
  #download = new AbortController();

  constructor(device: Device, memory: RobotMemory, faults: readonly Fault[], deps: FleetDependencies) {
    this.serial = device.serial;
    this.#device = device;
    this.#deps = deps;
    for (const fault of faults) this.#faults.set(fault);
    this.#robot = this.#powerOn(memory);
  }

  /** The true physical state, whatever was reported. */
  truth(): RobotTruth {
    const robot = this.#robot;
    return {
      serial: this.serial,
      connected: this.#link !== null,
      motion: robot.motion,
      mode: robot.mode,
      status: robot.status,
      battery: robot.battery,
      charging: robot.charging,
      applied: robot.applied,
      runId: robot.runId,
      session: robot.session,
      lastSeq: robot.lastSeq,
      firmware: robot.firmware,
      update: robot.update,
      alerts: robot.alerts,
      waitingEvents: robot.waitingEvents,
      startsTaken: this.#starts.map(({ commandId }) => commandId),
      starts: [...this.#starts],
      faults: this.#faults.list(),
    };
  }

  /** Resolves with the truth as soon as it satisfies `predicate`, at once if it already does. */
  until(predicate: (truth: RobotTruth) => boolean): Promise<RobotTruth> {
    return this.#watchers.until(predicate);
  }

  start(): void {
    this.#running = true;
    for (const fault of this.#faults.list()) this.#timeFault(fault);
    this.#faultsChanged();
  }

  /** Publishes OFFLINE and disconnects. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelRetry();
    this.#cancelGarbage();
    for (const cancel of this.#faultEnds.values()) cancel();
    this.#download.abort();
    this.#closing = this.#link;
    this.#loseLink();
    this.#save();
    await this.#closing?.close(this.#connectionText("OFFLINE"));
    this.#closing = null;
    await this.#connecting;
    this.#connectPending = false;
  }

  /** Cuts a disconnect that takes too long. */
  cutClosing(): void {
    this.#closing?.cut();
  }

  tick(): void {
    this.#send(this.#robot.tick(this.#moment()));
  }

  /** Makes something go wrong; replaces a fault of the same kind. */
  inject(input: FaultInput): void {
    const fault = faultSchema.parse(input);
    this.#faults.set(fault);
    this.#timeFault(fault);
    this.#faultsChanged();
  }

  /** Ends one fault, or all. False if there was none. */
  clear(kind?: FaultKind): boolean {
    const kinds = kind === undefined ? this.#faults.list().map((fault) => fault.kind) : [kind];
    const wasHung = this.#hangs;
    let any = false;
    for (const one of kinds) {
      this.#faultEnds.get(one)?.();
      this.#faultEnds.delete(one);
      any = this.#faults.delete(one) || any;
    }
    // Somebody cuts the power of a robot that hangs.
    if (wasHung && !this.#hangs) this.powerCycle();
    this.#faultsChanged();
    return any;
  }

  setByHand(condition: Condition): void {
    this.#send(this.#robot.setByHand(condition, this.#moment()));
  }

  /** The power fails and comes back: everything but the memory is lost, and the link breaks without DISCONNECT. */
  powerCycle(): void {
    this.#cutPower(this.#robot.memory(this.#moment().wallMs));
  }

  /** The power fails and the memory is lost, so that the counters start from zero (protocol rule 14). */
  loseMemory(): void {
    this.#cutPower(freshMemory(0));
  }

  #cutPower(memory: RobotMemory): void {
    const link = this.#link;
    this.#reboot(memory);
    link?.cut();
    this.#reconnect();
    this.#watchers.check();
  }

  #reboot(memory = this.#robot.memory(this.#moment().wallMs)): void {
    this.#download.abort();
    this.#loseLink();
    this.#robot = this.#powerOn(memory);
    this.#save();
  }

  #powerOn(memory: RobotMemory): Robot {
    const { machine, linkLossStopMs, firmware } = this.#deps;
    const onMove = (commandId: string, { wallMs: atMs }: Moment): void =>
      void this.#starts.push({ commandId, atMs, session: this.#robot.session });
    const { conditions } = this.#faults;
    return new Robot(
      { memory, machine, linkLossStopMs, installMs: firmware.installMs, conditions, onMove },
      this.#moment(),
    );
  }

  #moment(): Moment {
    const { clock } = this.#deps;
    const trueMs = clock.now().getTime();
    const monotonicMs = clock.monotonicMs?.() ?? trueMs;
    return { monotonicMs, wallMs: this.#faults.wallMs(trueMs, monotonicMs) };
  }

  #connectionText(state: "OFFLINE" | "CONNECTION_BROKEN"): string {
    const ts = instantOf(this.#moment().wallMs);
    return JSON.stringify({ v: PROTOCOL_VERSION, state, session: this.#robot.session, ts });
  }

  #save(): void {
    this.#deps.store.save(this.serial, this.#robot.memory(this.#moment().wallMs));
  }

  #send(messages: readonly Outgoing[]): void {
    const unsaved = this.#robot.takeUnsaved();
    if (unsaved !== "nothing") this.#save();
    const stored = unsaved === "before-publishing" ? this.#deps.store.flush() : null;
    if (this.#outbox !== null) this.#outbox.send(messages, stored);
    else void stored?.catch(() => {});
    const work = this.#robot.takeUpdateWork();
    if (work !== null) this.#handle(work);
    this.#watchers.check();
  }

  #handle(work: UpdateWork): void {
    // On the next turn: this turn's messages are sent first, on the link that the restart closes.
    if (work.kind === "restart") setImmediate(() => void this.#restart());
    else void this.#fetch(work.offer);
  }

  /** Downloads for the robot as it runs now; if it restarts in the meantime, the result is dropped. */
  async #fetch(offer: FirmwareOfferMessage): Promise<void> {
    const robot = this.#robot;
    this.#download = new AbortController();
    const { clock, downloads, firmware } = this.#deps;
    const onPercent = (percent: number): void => {
      if (this.#robot === robot) this.#send(robot.downloadProgress(offer.id, percent, this.#moment()));
    };
    const fault = this.#faults.conditions.firmware;
    const { signal } = this.#download;
    const download = { offer, fault, durationMs: firmware.downloadMs, clock, signal, onPercent };
    const code = await downloadFirmware(download, downloads);
    if (this.#robot === robot) this.#send(robot.downloadEnded(offer.id, code, this.#moment()));
    if (this.#hangs) this.#breakLink();
  }

  /** Restarts with new firmware: publishes OFFLINE, boots from its memory, and connects in a new session. */
  async #restart(): Promise<void> {
    const link = this.#link;
    const offline = this.#connectionText("OFFLINE");
    this.#reboot();
    this.#watchers.check();
    if (link !== null) {
      this.#closing = link;
      await link.close(offline);
    }
    this.#reconnect();
  }

  /** It hangs during an installation, and sends nothing until its power is cut. */
  get #hangs(): boolean {
    return this.#faults.get("firmware")?.what === "silent" && this.#robot.update?.phase === "INSTALLING";
  }

  #receive(leaf: ServerLeaf, payload: Buffer, retained: boolean): void {
    if (this.#faults.has("deaf")) return;
    const late = this.#faults.get("late");
    const session = this.#robot.session;
    const handle = (): void => {
      if (this.#link === null || this.#robot.session !== session) return;
      const now = this.#moment();
      if (leaf === "command") this.#send(this.#robot.receive(payload, retained, now));
      else this.#send(this.#robot.receiveOffer(payload, retained, now));
    };
    if (late?.what === "commands") this.#deps.clock.after(late.ms, handle);
    else handle();
  }

  #faultsChanged(): void {
    this.#send(this.#robot.setConditions(this.#faults.conditions, this.#moment()));
    this.#cancelGarbage();
    const malformed = this.#faults.get("malformed");
    if (malformed !== undefined)
      this.#cancelGarbage = this.#deps.clock.every(malformed.everyMs, () => this.#publishGarbage());
    if (this.#faults.isOffline) this.#breakLink();
    else this.#reconnect();
    this.#watchers.check();
  }

  #timeFault({ kind, forSeconds }: Fault): void {
    this.#faultEnds.get(kind)?.();
    this.#faultEnds.delete(kind);
    if (forSeconds === undefined) return;
    this.#faultEnds.set(
      kind,
      this.#deps.clock.after(forSeconds * 1000, () => this.clear(kind)),
    );
  }

  #publishGarbage(): void {
    const { leaf, payload } = this.#garbage.next();
    this.#link?.publish(leaf, payload);
  }

  #breakLink(): void {
    const link = this.#link;
    this.#loseLink();
    link?.cut();
  }

  #loseLink(): void {
    this.#link = null;
    this.#outbox = null;
    this.#robot.disconnected(this.#moment());
    this.#watchers.check();
  }

  #reconnect(): void {
    if (!this.#wantsLink() || this.#connectPending || this.#link !== null) return;
    this.#connectPending = true;
    this.#deps.gate.enter({
      prepare: () => this.#prepare(),
      connect: () => (this.#connecting = this.#connect()),
    });
  }

  #wantsLink(): boolean {
    return this.#running && !this.#faults.isOffline && !this.#hangs;
  }

  #prepare(): void {
    this.#robot.raiseSession();
    this.#robot.takeUnsaved();
    this.#save();
  }

  async #connect(): Promise<void> {
    const robot = this.#robot;
    const { session } = robot;
    try {
      if (!this.#wantsLink()) return;
      const link: Link = await Link.open({
        mqttUrl: this.#deps.mqttUrl,
        protocolVersion: this.#deps.protocolVersion,
        device: this.#device,
        will: this.#connectionText("CONNECTION_BROKEN"),
        onMessage: (...message) => this.#receive(...message),
        onLost: () => {
          if (this.#link !== link) return;
          this.#loseLink();
          this.#retryLater();
        },
      });
      if (!this.#wantsLink() || this.#robot !== robot || robot.session !== session) {
        if (this.#running) link.cut();
        else await link.close(this.#connectionText("OFFLINE"));
        return;
      }
      this.#failures = 0;
      this.#link = link;
      this.#outbox = new Outbox((leaf, payload) => link.publish(leaf, payload), this.#faults, this.#deps.clock);
      this.#send(robot.connected(this.#moment()));
    } catch (error) {
      this.#failures += 1;
      this.#deps.onConnectFailed(this.serial, error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#connectPending = false;
      if (this.#link === null) this.#retryLater();
    }
  }

  /** Exponential backoff with jitter. */
  #retryLater(): void {
    if (!this.#wantsLink() || this.#connectPending) return;
    this.#connectPending = true;
    const maxMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 5));
    this.#cancelRetry = this.#deps.clock.after(maxMs * (0.5 + Math.random() / 2), () => {
      this.#connectPending = false;
      this.#reconnect();
    });
  }
}
