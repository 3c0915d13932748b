import type { ConnectionMessage } from "@suncrew/contract/devices/messages.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";

/** Histories of four robots each. */
const RUNS = 30 * inject("soak").factor;
const ROBOTS = 4;

let harness: BridgeHarness;
beforeAll(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterAll(() => harness.close());

type Step =
  | {
      readonly kind: "state";
      readonly robot: number;
      readonly session: number;
      readonly seq: number;
      readonly retained: boolean;
    }
  | {
      readonly kind: "connection";
      readonly robot: number;
      readonly session: number;
      readonly state: ConnectionMessage["state"];
      readonly retained: boolean;
    }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "restart" }
  | { readonly kind: "crash" };

/** Rule 7 again, as simply as possible, for one robot: the newest (session, seq) wins. */
class Reference {
  session = 0;
  seq = -1;
  battery: number | null = null;
  online = false;
  greeted = false;
  lastSignMs = 0;

  take(step: Step, nowMs: number): void {
    if (step.kind !== "state" && step.kind !== "connection") return;
    if (step.session < this.session) return;
    if (step.kind === "state" && step.session === this.session && step.seq <= this.seq) return;
    if (step.session > this.session)
      Object.assign(this, { session: step.session, seq: -1, online: false, greeted: false });
    if (step.kind === "state") {
      this.seq = step.seq;
      this.battery = batteryOf(step.session, step.seq);
      if (!step.retained) this.sign(nowMs);
    } else if (step.state !== "ONLINE") {
      this.online = false;
      this.greeted = true;
    } else if (!this.greeted) this.sign(nowMs);
  }

  sign(nowMs: number): void {
    this.online = true;
    this.greeted = true;
    this.lastSignMs = nowMs;
  }
}

/** Distinguishes states. */
const batteryOf = (session: number, seq: number): number => session * 10 + seq;

const robot = fc.nat(ROBOTS - 1);
const session = fc.integer({ min: 1, max: 5 });
const retained = fc.boolean();
const stateStep = fc.record({
  kind: fc.constant("state" as const),
  robot,
  session,
  seq: fc.integer({ min: 0, max: 9 }),
  retained,
});
const connectionStep = fc.record({
  kind: fc.constant("connection" as const),
  robot,
  session,
  state: fc.constantFrom("ONLINE" as const, "OFFLINE" as const, "CONNECTION_BROKEN" as const),
  retained,
});
const passStep = fc.record({
  kind: fc.constant("pass" as const),
  ms: fc.constantFrom(100, 100, 100, 3_000, 30_000, 95_000),
});

/** A robot's real history, in order. */
const life = fc
  .array(
    fc.record({ states: fc.nat(4), end: fc.constantFrom("OFFLINE" as const, "CONNECTION_BROKEN" as const, null) }),
    {
      maxLength: 4,
    },
  )
  .chain((sessions) =>
    robot.map((of) =>
      sessions.flatMap(({ states, end }, index): Step[] => {
        const about = { robot: of, session: index + 1, retained: false };
        const shown = Array.from({ length: states }, (_, seq): Step => ({ kind: "state", ...about, seq }));
        const ended: Step[] = end === null ? [] : [{ kind: "connection", ...about, state: end }];
        return [{ kind: "connection", ...about, state: "ONLINE" }, ...shown, ...ended];
      }),
    ),
  );

/** A real history with messages repeated, delayed and out of order, and noise from other sessions. */
const history = fc
  .tuple(
    life,
    fc.array(fc.oneof(stateStep, connectionStep), { maxLength: 10 }),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: passStep },
        fc.constant({ kind: "restart" as const }),
        fc.constant({ kind: "crash" as const }),
      ),
      {
        minLength: 3,
        maxLength: 8,
      },
    ),
    fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  )
  .map(([told, noise, happenings, places]) => {
    const steps: Step[] = [...told];
    const others: Step[] = [...told.filter((_, index) => (places[index] ?? 0) % 4 === 0), ...noise, ...happenings];
    others.forEach((step, index) => steps.splice((places[index] ?? 0) % (steps.length + 1), 0, step));
    return steps;
  });

let serialCount = 0;

test(`protocol rule 7: whether late, repeated or out of order, the newest (session, seq) wins and silence is offline (${RUNS} histories)`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const robots = await Promise.all(
        Array.from({ length: ROBOTS }, async () => {
          const serial = `FUZZ-${(serialCount += 1)}`;
          return { serial, id: await harness.robot(serial), reference: new Reference(), told: [] as Step[] };
        }),
      );
      for (const step of steps) await play(step, robots);
      await play({ kind: "pass", ms: 15_000 }, robots);
      for (const { id, reference } of robots) {
        const row = await harness.stateOf(id);
        const { session: current, seq, battery } = reference;
        expect(row).toMatchObject({ session: current, state_seq: seq < 0 ? null : seq, battery });
        const silentMs = harness.clock.now().getTime() - reference.lastSignMs;
        // Silence is checked every 5 s: until then either answer is right.
        const either = silentMs >= 90_000 && silentMs < 95_000;
        expect(row.online).toBe(either ? row.online : reference.online);
        await expectHistoryInOrder(id);
      }
    }),
    { numRuns: RUNS },
  );
});

type Played = { readonly serial: string; readonly id: number; readonly reference: Reference; told: Step[] };

async function play(step: Step, robots: readonly Played[]): Promise<void> {
  const { clock } = harness;
  if (step.kind === "state" || step.kind === "connection") {
    const of = robots[step.robot];
    if (of === undefined) return;
    of.told.push(step);
    if (step.kind === "state") {
      const battery = batteryOf(step.session, step.seq);
      harness.says(of.serial, "state", stateMessage(clock.now(), step.session, step.seq, { battery }), step.retained);
    } else
      harness.says(of.serial, "connection", connectionMessage(clock.now(), step.session, step.state), step.retained);
    return;
  }
  // What was queued when the server died is lost, as if it had never been sent.
  if (step.kind === "crash") await harness.loseLock();
  const toldAtMs = clock.now().getTime();
  if (step.kind === "restart") await harness.bridge.stop();
  for (const { told, reference } of robots) {
    if (step.kind !== "crash") for (const message of told) reference.take(message, toldAtMs);
    told.length = 0;
  }
  if (step.kind === "restart") await harness.bridge.start();
  // Queued messages are stored first, then time passes in the bridge's steps.
  await harness.pass(step.kind === "crash" ? 1_000 : 100);
  await harness.pass(step.kind === "pass" ? step.ms : 100);
  // Long enough for a new bridge to have queried every robot, and for the next check for silence.
  await harness.pass(15_000);
  await harness.pass(5_000);
  const nowMs = clock.now().getTime();
  for (const { reference } of robots) if (nowMs - reference.lastSignMs >= 95_000) reference.online = false;
}

/** Readings only ever advance, and each (session, seq) occurs once. */
async function expectHistoryInOrder(robotId: number): Promise<void> {
  const readings = await harness.database.db
    .selectFrom("readings")
    .select(["session", "seq"])
    .where("robot_id", "=", robotId)
    .orderBy("received_at")
    .orderBy("session")
    .orderBy("seq")
    .execute();
  const order = readings.map(({ session: of, seq }) => of * 100 + seq);
  expect(order).toEqual([...new Set(order)].toSorted((one, other) => one - other));
}
