import type { AcceptedStart } from "@suncrew/simulator/fleet/truth.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type HarnessServer, CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import type { Answer } from "../../../test/test-client.ts";

const { factor, seed } = inject("soak");
const histories = 4 * factor;
const SPEED = 20;

let harness: CommandHarness;
const brokers: InterruptibleBroker[] = [];
const clock = new FastClock(SPEED);

beforeAll(async () => {
  const wrapBroker = (inner: ConstructorParameters<typeof InterruptibleBroker>[0]) => {
    const broker = new InterruptibleBroker(inner);
    brokers.push(broker);
    return broker;
  };
  harness = await CommandHarness.open({ clock, servers: 2, wrapBroker });
  for (const robot of robots()) await harness.live(robot);
});
afterAll(() => harness.close());

const robots = (): readonly TestRobot[] => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2];
const which = fc.nat({ max: 1 });
const ms = (max: number) => fc.integer({ min: 0, max });

const forSeconds = fc.double({ min: 0.1, max: 10, noNaN: true });
const what = fc.constantFrom("answers" as const, "commands" as const);
const fault = fc.oneof(
  fc.record({ kind: fc.constantFrom("silent", "deaf", "twice", "away", "jam", "refuse", "drop-link"), forSeconds }),
  fc.record({ kind: fc.constant("late" as const), ms: ms(10_000), what, forSeconds }),
  fc.record({ kind: fc.constant("shuffle" as const), ms: ms(5_000), forSeconds }),
  fc.record({ kind: fc.constant("malformed" as const), everyMs: fc.constant(500), forSeconds }),
);

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("press" as const),
      robot: which,
      server: which,
      verb: fc.constantFrom("START", "START", "START", "STOP"),
      key: fc.option(fc.nat({ max: 2 }), { nil: null, freq: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("fault" as const), robot: which, fault }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("power-cycle" as const), robot: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), server: which, forMs: ms(6_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose" as const), server: which, forMs: ms(6_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("replay" as const), pick: fc.nat({ max: 10 }) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: ms(2_500) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: ms(11_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Pressed {
  readonly verb: "START" | "STOP";
  readonly answer: Answer;
}

let history = 0;

async function live(steps: readonly Step[]): Promise<void> {
  history += 1;
  const known = robots().map((robot) => harness.robot(robot).truth().starts.length);
  const pressed: Promise<Pressed>[] = [];
  let restarts = Promise.resolve();
  for (const each of steps) {
    switch (each.do) {
      case "press":
        pressed.push(press(each.verb, each.robot, each.server, each.key));
        break;
      case "fault":
        simulated(each.robot).inject(each.fault);
        break;
      case "power-cycle":
        simulated(each.robot).powerCycle();
        break;
      case "restart":
        restarts = restarts.then(restart);
        break;
      case "cut": {
        const broker = brokerOf(each.server);
        broker.setCut(true);
        void passed(each.forMs).then(() => broker.setCut(false));
        break;
      }
      case "lose": {
        const broker = brokerOf(each.server);
        broker.deliveryOf = () => "lose";
        void passed(each.forMs).then(() => (broker.deliveryOf = () => "pass"));
        break;
      }
      case "replay":
        await replay(each.pick);
        break;
      case "wait":
        await passed(each.ms);
    }
  }
  // All faults end; what is pending must then settle by itself.
  for (const broker of brokers) {
    broker.deliveryOf = () => "pass";
    broker.setCut(false);
  }
  for (const robot of robots()) harness.robot(robot).clear();
  const answers = await soon(Promise.all(pressed), "every press is answered");
  await soon(restarts, "a server that was told to stop has stopped");
  for (const [index, robot] of robots().entries()) {
    const starts = harness.robot(robot).truth().starts.slice(known[index]);
    await check(robot, answers, starts);
    await soon(harness.press("STOP", { robot }), "the last STOP is answered");
    await soon(
      harness.robot(robot).until(({ motion }) => motion === "STOPPED"),
      "the robot stands after the last STOP",
    );
  }
}

async function check(robot: TestRobot, answers: readonly Pressed[], moves: readonly AcceptedStart[]): Promise<void> {
  // Protocol rule 3: what is pending is delivered.
  const commands = await soon(
    harness.until(async () => {
      const all = await harness.commands(robot);
      return all.every(({ settled_at }) => settled_at !== null) && all;
    }),
    "every command is settled",
  );
  const byId = new Map(commands.map((command) => [command.id, command]));
  const { startsTaken } = harness.robot(robot).truth();
  // Protocol rule 5: at most one motion for a START.
  expect(new Set(startsTaken).size).toBe(startsTaken.length);
  for (const move of moves) {
    // Protocol rule 1: no old START acts.
    const start = byId.get(move.commandId);
    expect(start).toMatchObject({ verb: "START", session: move.session });
    expect(move.atMs).toBeLessThan(start?.expires_at.getTime() ?? 0);
    expect(start?.outcome).not.toBe("NEVER_SENT");
  }
  for (const { verb, answer } of answers) {
    const confirmed = answer.status === 200 && byId.get((answer.body as { command_id: string }).command_id);
    if (!confirmed) continue;
    expect(confirmed).toMatchObject({ verb, outcome: "CONFIRMED" });
    if (verb === "START") expect(startsTaken).toContain(confirmed.id);
  }
  // Protocol rule 3: no START is confirmed once a later STOP was accepted.
  for (const start of commands.filter(({ verb, outcome }) => verb === "START" && outcome === "CONFIRMED")) {
    const later = commands.filter(({ verb, seq }) => verb === "STOP" && seq > start.seq);
    for (const stop of later) {
      expect(stop.issued_at.getTime()).toBeGreaterThanOrEqual(start.settled_at?.getTime() ?? Infinity);
    }
  }
  // Protocol rule 6: a START that was answered as failed does not leave the robot moving.
  const attended = harness.robot(robot).until(({ motion, runId }) => {
    const start = commands.find((command) => command.run_id === runId);
    return motion === "STOPPED" || start?.outcome === "CONFIRMED";
  });
  await soon(attended, "nothing moves on a START that has failed");
  // Protocol rule 3: nor does anything move that a later STOP was pressed for.
  const { motion, runId } = harness.robot(robot).truth();
  if (motion === "MOVING") {
    const start = commands.find((command) => command.run_id === runId);
    const later = commands.filter(({ verb, seq }) => verb === "STOP" && seq > (start?.seq ?? 0));
    expect(later).toEqual([]);
  }
  const logged = (await harness.activity(robot)).flatMap(({ command_id: id }) => (id === null ? [] : [id]));
  expect(logged.toSorted()).toEqual(commands.map(({ id }) => id).toSorted());
}

function simulated(index: number) {
  const robot = robots()[index];
  return harness.robot(robot);
}

function serverOf(index: number): HarnessServer {
  return harness.servers[index] ?? harness.server;
}

function brokerOf(index: number): InterruptibleBroker {
  const { broker } = serverOf(index);
  if (!(broker instanceof InterruptibleBroker)) throw new Error("The server's broker connection cannot be cut.");
  return broker;
}

async function press(verb: "START" | "STOP", robot: number, server: number, key: number | null): Promise<Pressed> {
  const headers: Record<string, string> =
    key === null ? {} : { "idempotency-key": `${history}-${robot}-${verb}-${key}` };
  const target = robots()[robot];
  const pressOn = (on: HarnessServer) => harness.press(verb, { headers, on, ...(target && { robot: target }) });
  // A server that is stopping takes no call; the browser's next attempt reaches another.
  const answer = await pressOn(serverOf(server)).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "FST_ERR_REOPENED_CLOSE_SERVER") {
      return pressOn(serverOf(server));
    }
    throw error;
  });
  expect([200, 409, 502, 503, 504]).toContain(answer.status);
  return { verb, answer };
}

/** A new server replaces the oldest one, which answers its callers first. One restart at a time. */
async function restart(): Promise<void> {
  const old = harness.server;
  await harness.startServer();
  await old.stop();
}

/** The network redelivers one of the newest command messages. */
async function replay(pick: number): Promise<void> {
  const sent = brokers
    .flatMap(({ published }) => published.slice(-5))
    .filter(({ payload }) => payload.includes('"seq"'));
  const again = sent[pick % Math.max(1, sent.length)];
  if (again !== undefined) await harness.observer.publish(again.topic, again.payload);
}

function passed(waitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(waitMs, resolve);
  return promise;
}

/** Once all faults have ended, this happens within five minutes of the test's clock. */
async function soon<T>(event: Promise<T>, expected: string): Promise<T> {
  const late = Symbol(expected);
  const outcome = await Promise.race([event, passed(300_000).then(() => late)]);
  if (outcome === late) throw new Error(`Not so, though everything is healed: ${expected}.`);
  return outcome as T;
}

test(
  `protocol rules 1, 3, 5, 6: in ${histories} random histories nothing acts late, twice or unattended (seed ${seed})`,
  { timeout: 120_000 + histories * 20_000 },
  async () => {
    const steps = fc.array(step, { minLength: 6, maxLength: 30, size: "max" });
    await fc.assert(fc.asyncProperty(steps, live), { numRuns: histories, seed, endOnFailure: true });
  },
);
