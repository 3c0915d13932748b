import pLimit from "p-limit";
import { type FaultInput, faultSchema } from "../faults/fault.ts";
import { SimulatedSensor } from "../sensor/simulated-sensor.ts";
import { machineAtSpeed } from "../robot/machine.ts";
import { type Condition, freshMemory } from "../robot/memory.ts";
import { type Cancel, type FleetClock, systemFleetClock } from "./clock.ts";
import { ConnectGate } from "./connect-gate.ts";
import { type FirmwareTimes, type FleetDependencies, SimulatedRobot } from "./simulated-robot.ts";
import type { Device } from "./link.ts";
import { createMemoryStore, type MemoryStore } from "./store.ts";

export interface InitialState {
  /** Applied only to a robot that is not in the store yet. */
  readonly condition?: Condition;
  readonly faults?: readonly FaultInput[];
}

export interface FleetOptions {
  readonly mqttUrl: string;
  readonly devices: readonly Device[];
  /** Devices of weather sensors. */
  readonly sensors?: readonly Device[];
  /** MQTT 3.1.1 (4) by default. */
  readonly protocolVersion?: 4 | 5;
  /** In memory by default. */
  readonly store?: MemoryStore;
  readonly clock?: FleetClock;
  /** Speed-up of batteries and cleaning over real robots. */
  readonly speed?: number;
  /** Protocol rule 4: stops after this long without a broker, in milliseconds; 300 s. */
  readonly linkLossStopMs?: number;
  /** As short as possible by default. */
  readonly firmware?: FirmwareTimes;
  /** How many robots connect at the same time. */
  readonly maxConnecting?: number;
  readonly initial?: Readonly<Record<string, InitialState>>;
  /** Receives messages for people. */
  readonly log?: (message: string) => void;
}

export interface Fleet {
  readonly serials: readonly string[];
  /** Begins to connect; does not wait for the broker. */
  start(): void;
  /** Every robot publishes OFFLINE and disconnects; after 1.5 s the remaining connections are cut. */
  stop(): Promise<void>;
  /** Throws if the fleet has no such robot. */
  robot(serial: string): SimulatedRobot;
  find(serial: string): SimulatedRobot | undefined;
  readonly sensors: readonly SimulatedSensor[];
  /** Resolves once every robot is connected. */
  untilConnected(): Promise<void>;
}

const TICK_MS = 500;
const SLOTS = 10;
const STOP_LIMIT_MS = 1_500;
const MAX_DOWNLOADS = 8;

/** Robots that share a broker address, a clock and one process. */
export function createFleet(options: FleetOptions): Fleet {
  const clock = options.clock ?? systemFleetClock;
  const store = options.store ?? createMemoryStore();
  const log = options.log ?? (() => {});
  const onStoreError = (error: unknown): void => log(`The robots' memory cannot be stored: ${String(error)}.`);
  const gate = new ConnectGate({
    flush: () => store.flush(),
    maxConcurrent: options.maxConnecting ?? 100,
    clock,
    onError: onStoreError,
  });
  const loggedReasons = new Set<string>();
  const deps: FleetDependencies = {
    mqttUrl: options.mqttUrl,
    protocolVersion: options.protocolVersion ?? 4,
    clock,
    store,
    gate,
    machine: machineAtSpeed(options.speed ?? 1),
    linkLossStopMs: options.linkLossStopMs ?? 300_000,
    downloads: pLimit(MAX_DOWNLOADS),
    firmware: options.firmware ?? { downloadMs: 0, installMs: 0 },
    onConnectFailed: (serial, reason) => {
      // A thousand robots without a broker are one message.
      if (loggedReasons.has(reason.message)) return;
      loggedReasons.add(reason.message);
      log(`${serial} cannot connect: ${reason.message} It will retry; this is not repeated for other robots.`);
    },
  };
  const robots = new Map<string, SimulatedRobot>();
  for (const device of options.devices) {
    if (robots.has(device.serial)) throw new Error(`The serial number ${device.serial} appears twice.`);
    const initial = options.initial?.[device.serial] ?? {};
    const memory = store.load(device.serial) ?? freshMemory(clock.now().getTime(), initial.condition);
    const faults = (initial.faults ?? []).map((fault) => faultSchema.parse(fault));
    robots.set(device.serial, new SimulatedRobot(device, memory, faults, deps));
  }
  const { mqttUrl, protocolVersion } = deps;
  const sensors = (options.sensors ?? []).map((device) => {
    if (robots.has(device.serial)) throw new Error(`The serial number ${device.serial} appears twice.`);
    return new SimulatedSensor(device, { mqttUrl, protocolVersion, clock });
  });
  let cancelTicks: Cancel = () => {};

  /** One timer for all: each tick advances a tenth of the robots by half a second. */
  function startTicks(): void {
    const slots: SimulatedRobot[][] = Array.from({ length: SLOTS }, () => []);
    [...robots.values()].forEach((robot, index) => slots[index % SLOTS]?.push(robot));
    let count = 0;
    cancelTicks = clock.every(TICK_MS / SLOTS, () => {
      for (const robot of slots[count % SLOTS] ?? []) robot.tick();
      count += 1;
    });
  }

  return {
    serials: [...robots.keys()],
    start() {
      cancelTicks();
      startTicks();
      for (const robot of robots.values()) robot.start();
      for (const sensor of sensors) sensor.start();
    },
    async stop() {
      cancelTicks();
      gate.clear();
      const all = [...robots.values()];
      const closed = Promise.all([...all, ...sensors].map((each) => each.stop()));
      const { promise: timeout, resolve: expire } = Promise.withResolvers<void>();
      const timer = setTimeout(expire, STOP_LIMIT_MS);
      await Promise.race([closed, timeout]);
      clearTimeout(timer);
      for (const robot of all) robot.cutClosing();
      await store.flush().catch(onStoreError);
    },
    robot(serial) {
      const robot = robots.get(serial);
      if (robot === undefined) throw new Error(`There is no robot ${serial}.`);
      return robot;
    },
    find: (serial) => robots.get(serial),
    sensors,
    async untilConnected() {
      await Promise.all([...robots.values()].map((robot) => robot.until((truth) => truth.connected)));
    },
  };
}
