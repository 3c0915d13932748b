import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CommandMessage,
  connectionMessageSchema,
  stateMessageSchema,
} from "@suncrew/contract/devices/messages.ts";
import { leaves } from "@suncrew/contract/devices/topics.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrokerHarness, type Received } from "../../test/broker-harness.ts";
import { createFleet, type Fleet, type FleetOptions } from "./fleet.ts";
import type { SimulatedRobot } from "./simulated-robot.ts";
import { openFileStore, storeFileSchema } from "./store.ts";

const SERIAL = "SCR-1001";
let broker: BrokerHarness;
let folder: string;
const fleets: Fleet[] = [];

beforeEach(async () => {
  broker = await BrokerHarness.open();
  folder = mkdtempSync(join(tmpdir(), "suncrew-simulator-"));
});

afterEach(async () => {
  await Promise.all(fleets.splice(0).map((fleet) => fleet.stop()));
  await broker.close();
  rmSync(folder, { recursive: true, force: true });
});

function openFleet(options: Partial<FleetOptions> = {}): Fleet {
  const fleet = createFleet({ mqttUrl: broker.url, devices: [{ serial: SERIAL, secret: "the secret" }], ...options });
  fleets.push(fleet);
  fleet.start();
  return fleet;
}

async function openRobot(options: Partial<FleetOptions> = {}): Promise<SimulatedRobot> {
  const fleet = openFleet(options);
  await fleet.untilConnected();
  await broker.first(({ leaf }) => leaf === "state");
  return fleet.robot(SERIAL);
}

let seq = 0;

function orderTo(robot: SimulatedRobot, verb: "START" | "STOP" | "MAINTENANCE_ON"): CommandMessage {
  seq += 1;
  const common = {
    v: 1,
    id: randomUUID(),
    session: robot.truth().session,
    seq,
    issuedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 5_000).toISOString(),
    by: "a test",
  } as const;
  if (verb !== "START") return { ...common, verb };
  const params = { status: "start", direction: "FWD", "main-speed": 50, "brush-speed": 50 } as const;
  return { ...common, verb, runId: randomUUID(), maxDurationS: 600, params };
}

function memoryIn(path: string) {
  return storeFileSchema.parse(JSON.parse(readFileSync(path, "utf8"))).robots[SERIAL];
}

/** The message as the server would parse it, or null if it would drop it. */
function read({ leaf, text }: Received): { state?: unknown; session?: unknown; motion?: unknown; id?: unknown } | null {
  try {
    const parsed = leaves[leaf].schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

describe("a robot at a real broker", () => {
  it("protocol rule 9: signs in as itself with its own secret and a retained last will", async () => {
    const robot = await openRobot();
    const [connect] = broker.connects;
    expect(connect).toMatchObject({ id: SERIAL, username: SERIAL, password: "the secret", willRetained: true });
    expect(JSON.parse(connect?.will ?? "")).toMatchObject({
      state: "CONNECTION_BROKEN",
      session: robot.truth().session,
    });
    const said = broker.received.map(({ leaf, retained }) => [leaf, retained]);
    expect(said.slice(0, 2)).toEqual([
      ["connection", true],
      ["state", true],
    ]);
  });

  it("moves on START, stops on STOP, and publishes OFFLINE when it disconnects", async () => {
    const robot = await openRobot();
    const start = orderTo(robot, "START");
    await broker.send(SERIAL, start);
    await robot.until(({ motion }) => motion === "MOVING");
    await broker.first((heard) => heard.leaf === "state" && read(heard)?.motion === "MOVING");
    await broker.send(SERIAL, orderTo(robot, "STOP"));
    const { startsTaken } = await robot.until(({ motion }) => motion === "STOPPED");
    expect(startsTaken).toEqual([start.id]);
    const offline = broker.next((heard) => heard.leaf === "connection" && read(heard)?.state === "OFFLINE");
    await fleets[0]?.stop();
    expect(read(await offline)).toMatchObject({ session: robot.truth().session });
  });

  it("protocol rule 1: ignores an order that the broker retained for it", async () => {
    const fleet = createFleet({ mqttUrl: broker.url, devices: [{ serial: SERIAL, secret: "s" }] });
    fleets.push(fleet);
    const robot = fleet.robot(SERIAL);
    const start = orderTo(robot, "START");
    await broker.send(SERIAL, { ...start, session: start.session + 1 }, true);
    fleet.start();
    await fleet.untilConnected();
    const stop = orderTo(robot, "STOP");
    await broker.send(SERIAL, stop);
    await broker.first((heard) => heard.leaf === "ack" && read(heard)?.id === stop.id);
    expect(robot.truth().startsTaken).toEqual([]);
  });

  it("protocol rule 1: no connect uses a session that is not on the disk yet", async () => {
    const path = join(folder, "state.json");
    const stored: unknown[] = [];
    broker.onConnect = () => stored.push(memoryIn(path)?.session);
    const robot = await openRobot({ store: openFileStore(path, () => {}) });
    robot.powerCycle();
    await robot.until(({ connected }) => connected);
    const used = broker.connects.map(({ will }) => connectionMessageSchema.parse(JSON.parse(will)).session);
    expect(used).toHaveLength(2);
    expect(stored).toEqual(used);
    expect(used[1]).toBeGreaterThan(used[0] ?? Number.POSITIVE_INFINITY);
  });

  it("protocol rule 8: MAINTENANCE is stored on disk before it is reported, and a new process restores it", async () => {
    const path = join(folder, "state.json");
    const robot = await openRobot({ store: openFileStore(path, () => {}) });
    const shown = broker.next(({ leaf, text }) => leaf === "state" && text.includes("MAINTENANCE"));
    await broker.send(SERIAL, orderTo(robot, "MAINTENANCE_ON"));
    await shown;
    expect(memoryIn(path)).toMatchObject({ maintenance: true });
    const { session } = robot.truth();
    await fleets.pop()?.stop();
    const again = await openRobot({ store: openFileStore(path, () => {}) });
    expect(again.truth()).toMatchObject({ mode: "MAINTENANCE", session: session + 1 });
  });
});

/** A clock that is stopped unless the test advances it. */
function stoppedClock() {
  const repeated = new Set<() => void>();
  let nowMs = Date.now();
  return {
    now: () => new Date(nowMs),
    after: () => () => {},
    every(_ms: number, fn: () => void) {
      repeated.add(fn);
      return () => void repeated.delete(fn);
    },
    advance(ms: number) {
      nowMs += ms;
      // Ten ticks reach every robot of a fleet once.
      for (let beat = 0; beat < 10; beat += 1) for (const fn of repeated) fn();
    },
  };
}

describe("a fleet", () => {
  it("protocol rule 4: uses the clock that it was given", async () => {
    const clock = stoppedClock();
    const robot = await openRobot({ clock });
    await broker.send(SERIAL, orderTo(robot, "START"));
    await robot.until(({ motion }) => motion === "MOVING");
    clock.advance(599_000);
    expect(robot.truth().motion).toBe("MOVING");
    const ended = broker.next(({ leaf, text }) => leaf === "event" && text.includes("RUN_ENDED"));
    clock.advance(1_000);
    expect(robot.truth().motion).toBe("STOPPED");
    expect((await ended).text).toContain("MAX_DURATION");
  });

  it("goes offline and comes back, in a higher session, with its memory", async () => {
    const robot = await openRobot();
    const { session } = robot.truth();
    await fleets[0]?.stop();
    fleets[0]?.start();
    await robot.until(({ connected }) => connected);
    expect(robot.truth().session).toBe(session + 1);
  });

  it("protocol rule 1: a hundred robots in a storm of power cuts never use a session twice or a lower one", async () => {
    const devices = Array.from({ length: 100 }, (_, index) => ({ serial: `SIM-${index}`, secret: "s" }));
    const path = join(folder, "state.json");
    const fleet = openFleet({ devices, store: openFileStore(path, () => {}) });
    await fleet.untilConnected();
    for (let round = 0; round < 5; round += 1) {
      for (const { serial } of devices) fleet.robot(serial).powerCycle();
      await fleet.untilConnected();
    }
    const last = new Map<string, number>();
    for (const { id, will } of broker.connects) {
      const { session } = connectionMessageSchema.parse(JSON.parse(will));
      expect(session).toBeGreaterThan(last.get(id) ?? 0);
      last.set(id, session);
    }
    expect(broker.connects).toHaveLength(600);
  }, 60_000);
});

describe("faults", () => {
  it("drop-link: the will fires, and the robot returns by itself in a higher session", async () => {
    const robot = await openRobot();
    const { session } = robot.truth();
    const broken = broker.next((heard) => read(heard)?.state === "CONNECTION_BROKEN");
    robot.inject({ kind: "drop-link", forSeconds: 0.05 });
    expect(read(await broken)).toMatchObject({ session });
    const online = await broker.next((heard) => read(heard)?.state === "ONLINE");
    expect(read(online)).toMatchObject({ session: session + 1 });
  });

  it("away: does not connect until cleared", async () => {
    const fleet = openFleet({ initial: { [SERIAL]: { faults: [{ kind: "away" }] } } });
    expect(fleet.robot(SERIAL).truth().connected).toBe(false);
    fleet.robot(SERIAL).clear("away");
    await fleet.untilConnected();
    expect(broker.connects).toHaveLength(1);
  });

  it("twice: publishes everything twice", async () => {
    const robot = await openRobot();
    robot.inject({ kind: "twice" });
    const start = orderTo(robot, "START");
    const said = broker.received.length;
    await broker.send(SERIAL, start);
    await broker.next(({ leaf, text }) => leaf === "event" && text.includes("RUN_BEGAN"));
    await robot.until(({ motion }) => motion === "MOVING");
    const acks = broker.received.slice(said).filter((heard) => heard.leaf === "ack" && read(heard)?.id === start.id);
    expect(acks).toHaveLength(2);
  });

  it("silent: acts but publishes nothing", async () => {
    const robot = await openRobot();
    robot.inject({ kind: "silent" });
    const said = broker.received.length;
    await broker.send(SERIAL, orderTo(robot, "START"));
    await robot.until(({ motion }) => motion === "MOVING");
    robot.clear("silent");
    robot.setByHand({ battery: 50 });
    const state = await broker.next(({ leaf }) => leaf === "state");
    expect(broker.received.slice(said)).toEqual([state]);
  });

  it("late: acts at once and answers later, in order", async () => {
    const robot = await openRobot();
    robot.inject({ kind: "late", ms: 60 });
    const start = orderTo(robot, "START");
    const ack = broker.next(({ leaf }) => leaf === "ack");
    await broker.send(SERIAL, start);
    await robot.until(({ motion }) => motion === "MOVING");
    expect(broker.received.some(({ leaf }) => leaf === "ack")).toBe(false);
    expect(read(await ack)).toMatchObject({ id: start.id });
  });

  it("refuse: rejects with the code and does not move; STOP is accepted", async () => {
    const robot = await openRobot();
    robot.inject({ kind: "refuse", code: "FAULT" });
    const ack = broker.next(({ leaf }) => leaf === "ack");
    await broker.send(SERIAL, orderTo(robot, "START"));
    expect(read(await ack)).toMatchObject({ status: "REJECTED", code: "FAULT" });
    const stopped = broker.next(({ leaf }) => leaf === "ack");
    await broker.send(SERIAL, orderTo(robot, "STOP"));
    expect(read(await stopped)).toMatchObject({ status: "DONE" });
    expect(robot.truth().startsTaken).toEqual([]);
  });

  it("malformed: publishes what no schema accepts, in addition to its proper messages", async () => {
    const robot = await openRobot();
    robot.inject({ kind: "malformed", everyMs: 50 });
    await broker.next((heard) => heard.leaf === "state" && read(heard) === null);
    expect(robot.truth().connected).toBe(true);
  });

  it("wrong-clock: its own times are off, or count from 1970 if it was never set", async () => {
    const robot = await openRobot();
    const nextState = (): Promise<Received> => broker.next(({ leaf }) => leaf === "state");
    robot.inject({ kind: "wrong-clock", offset: -3_600_000 });
    const behind = nextState();
    robot.setByHand({ battery: 50 });
    const state = stateMessageSchema.parse(JSON.parse((await behind).text));
    expect(Date.now() - Date.parse(state.ts)).toBeGreaterThan(3_599_000);
    robot.inject({ kind: "wrong-clock", offset: "unset" });
    const ack = broker.next(({ leaf }) => leaf === "ack");
    await broker.send(SERIAL, orderTo(robot, "START"));
    expect(read(await ack)).toMatchObject({ code: "CLOCK_NOT_SET" });
  });

  it("a fault with a time ends by itself", async () => {
    const robot = await openRobot();
    robot.inject({ kind: "jam", forSeconds: 0.05 });
    expect(robot.truth()).toMatchObject({ status: "fault", alerts: [{ code: "JAMMED" }] });
    await robot.until(({ faults }) => faults.length === 0);
    expect(robot.truth().status).toBe("stop");
  });
});
