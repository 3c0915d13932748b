import { createGroup, groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type HarnessServer, CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import type { TestRobot } from "../../../test/fixtures.ts";
import type { Answer } from "../../../test/test-client.ts";

const { factor, seed } = inject("soak");
const histories = 4 * factor;
const SPEED = 10;

let harness: CommandHarness;
let groupId: number;
let tried = 0;
let startsOverlapped = 0;
const brokers: InterruptibleBroker[] = [];
const clock = new FastClock(SPEED);
const robots = (): readonly TestRobot[] => [harness.fixtures.ownRobot, harness.fixtures.ownRobot2];

beforeAll(async () => {
  const wrapBroker = (inner: ConstructorParameters<typeof InterruptibleBroker>[0]) => {
    const broker = new InterruptibleBroker(inner);
    brokers.push(broker);
    return broker;
  };
  harness = await CommandHarness.open({ clock, servers: 2, wrapBroker });
  for (const robot of robots()) await harness.live(robot);
  const owner = await harness.server.as("owner");
  const robot_ids = robots().map(({ id }) => id);
  const body = { site_id: harness.fixtures.ownSiteId, group_name: "Row", robot_ids };
  ({ groupId } = await owner.ask(createGroup, { body }));
});
afterAll(async () => {
  await harness.close();
  process.stdout.write(
    `lock against start: ${tried} histories tried, ${startsOverlapped} starts under way as the lock came (seed ${seed})\n`,
  );
});

const ms = (max: number) => fc.integer({ min: 0, max });
const which = fc.nat({ max: 1 });
const fault = fc.oneof(
  fc.record({
    kind: fc.constant("late" as const),
    ms: ms(4_000),
    what: fc.constantFrom("answers" as const, "commands" as const),
  }),
  fc.record({ kind: fc.constant("shuffle" as const), ms: ms(3_000) }),
  fc.record({ kind: fc.constantFrom("twice" as const, "deaf" as const, "silent" as const) }),
  fc.record({ kind: fc.constant("drop-link" as const), forSeconds: fc.integer({ min: 1, max: 6 }) }),
);
/**
 * Often at the very same moment: a robot that answers immediately is otherwise started or locked before the other order
 * arrives.
 */
const soonAfter = fc.oneof(
  { weight: 3, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: ms(300) },
  { weight: 1, arbitrary: ms(1_200) },
);
/** Who starts it: a person, a group or a schedule, before or after the lock is pressed. */
const start = fc.record({
  by: fc.constantFrom("person" as const, "group" as const, "schedule" as const),
  server: which,
  robot: which,
  afterMs: soonAfter,
});
const history = fc.record({
  faults: fc.array(fc.record({ robot: which, fault }), { maxLength: 2 }),
  losses: fc.array(which, { maxLength: 1 }),
  powerCycle: fc.option(fc.record({ robot: which, afterMs: ms(3_000) }), { nil: null, freq: 4 }),
  starts: fc.array(start, { minLength: 1, maxLength: 4 }),
  lock: fc.record({ isGroup: fc.boolean(), robot: which, server: which, afterMs: soonAfter }),
});
type History = typeof history extends fc.Arbitrary<infer H> ? H : never;

async function live({ faults, losses, powerCycle, starts, lock }: History): Promise<void> {
  tried += 1;
  for (const { robot, fault: kind } of faults) simulated(robot).inject(kind);
  // Every other message of that server is lost in transit.
  for (const server of losses) {
    let count = 0;
    brokerOf(server).deliveryOf = () => ((count += 1) % 2 === 0 ? "lose" : "pass");
  }
  const started = starts.map((each) => passed(each.afterMs).then(() => begin(each)));
  const cycled = powerCycle && passed(powerCycle.afterMs).then(() => simulated(powerCycle.robot).powerCycle());
  const locked = lock.isGroup ? robots() : robots().filter((_, index) => index === lock.robot);
  await passed(lock.afterMs);
  const answer = await set(true, lock);
  expect(answer.status).toBe(200);
  await Promise.all([...started, cycled]);
  // All faults end; then each lock is confirmed by its robot, and from there on nothing moves it.
  for (const broker of brokers) broker.deliveryOf = () => "pass";
  for (const robot of robots()) harness.robot(robot).clear();
  for (const robot of locked) await soon(untilConfirmed(robot), "the lock is confirmed");
  const before = locked.map((robot) => harness.robot(robot).truth().startsTaken.length);
  for (const robot of locked)
    expect(harness.robot(robot).truth()).toMatchObject({ motion: "STOPPED", mode: "MAINTENANCE" });
  // Everything the servers have ever sent arrives once more, and everybody tries again.
  for (const { topic, payload } of brokers.flatMap(({ published }) => published.slice(-12))) {
    await harness.observer.publish(topic, payload);
  }
  await Promise.all(starts.map((each) => begin(each, locked)));
  for (const [index, robot] of locked.entries()) {
    // Once every order is settled, what a schedule might have sent has reached the robot as well.
    await check(robot);
    expect(harness.robot(robot).truth()).toMatchObject({ motion: "STOPPED", mode: "MAINTENANCE" });
    expect(harness.robot(robot).truth().startsTaken.length).toBe(before[index]);
    // What the device reported while the lock was being set is not shown.
    expect((await harness.state(robot)).robot_status).toBe("offline");
  }
  await cleanUp(locked);
}

/** According to the records: no START was confirmed under the lock, and every one in progress is settled. */
async function check(robot: TestRobot): Promise<void> {
  const commands = await soon(
    harness.until(async () => {
      const all = await harness.commands(robot);
      return all.every(({ settled_at }) => settled_at !== null) && all;
    }),
    "every command is settled",
  );
  const lockRow = await harness.db
    .selectFrom("maintenance_locks")
    .selectAll()
    .where("robot_id", "=", robot.id)
    .where("released_at", "is", null)
    .executeTakeFirstOrThrow();
  const { locked_at: lockedAt } = lockRow;
  for (const { verb, issued_at, settled_at, outcome } of commands) {
    if (verb !== "START") continue;
    expect(issued_at.getTime()).toBeLessThanOrEqual(lockedAt.getTime());
    if (settled_at && settled_at >= lockedAt) startsOverlapped += 1;
    if (outcome === "CONFIRMED") expect(settled_at?.getTime()).toBeLessThanOrEqual(lockedAt.getTime());
  }
}

async function cleanUp(locked: readonly TestRobot[]): Promise<void> {
  for (const robot of locked) {
    await soon(untilReleased(robot), "the robot is released");
    // It begins the next history without a past: its commands stay recorded, and none of them acts any more.
    expect(harness.robot(robot).truth().motion).toBe("STOPPED");
  }
  for (const robot of robots()) {
    await soon(harness.press("STOP", { robot }), "the last STOP is answered");
    await soon(
      harness.robot(robot).until(({ motion }) => motion === "STOPPED"),
      "the robot stands after the last STOP",
    );
    await soon(
      harness.until(async () => (await harness.commands(robot)).every(({ settled_at }) => settled_at !== null)),
      "nothing is pending",
    );
  }
  await harness.db.deleteFrom("maintenance_locks").execute();
  await harness.db.deleteFrom("schedules").execute();
  await harness.db.deleteFrom("runs").execute();
  await harness.db.deleteFrom("activity").execute();
  await harness.db.updateTable("commands").set({ follows_id: null }).execute();
  await harness.db.deleteFrom("commands").execute();
}

async function untilReleased(robot: TestRobot): Promise<void> {
  for (;;) {
    const owner = await harness.server.as("owner");
    const params = { robotId: robot.id };
    const answer = await owner.call(robotMaintenance, { params, body: { enabled: false } });
    if (answer.status === 200) return;
    await passed(1_000);
  }
}

async function untilConfirmed(robot: TestRobot): Promise<void> {
  await harness.until(async () => {
    const row = await harness.db
      .selectFrom("maintenance_locks")
      .select("confirmed_at")
      .where("robot_id", "=", robot.id)
      .where("released_at", "is", null)
      .executeTakeFirst();
    return row?.confirmed_at && harness.robot(robot).truth().mode === "MAINTENANCE";
  });
}

/** Resolves once a schedule's start was due; a robot that is `locked` must not be started by anybody. */
async function begin(
  { by, server, robot }: History["starts"][number],
  locked: readonly TestRobot[] = [],
): Promise<void> {
  const target = robots()[robot];
  if (target === undefined) return;
  if (by === "person") {
    const { status } = await harness.press("START", { robot: target, on: serverOf(server) });
    expect(locked.includes(target) ? [409] : [200, 409, 502, 503, 504]).toContain(status);
    return;
  }
  const siteId = target.siteId;
  if (by === "group") {
    const owner = await serverOf(server).as("owner");
    const { results } = await owner.ask(groupSendCommand, { body: { siteId, groupId, command: "START" } });
    const ofLocked = results.filter(({ robotObjectId }) => locked.some(({ id }) => id === robotObjectId));
    expect(ofLocked.map(({ outcome }) => outcome)).toEqual(locked.map(() => "SKIPPED"));
    return;
  }
  // The group's schedule is due now, and one of the servers finds it.
  const now = clock.now();
  const { date, time } = localTimeOf(now, "Asia/Kolkata");
  const due = { start_time: `${date} ${time}`, status: "ACTIVE" as const, next_run_at: now };
  await harness.db
    .insertInto("schedules")
    .values({ group_id: groupId, site_id: siteId, frequency: "ONCE", duration_minutes: 30, ...due })
    .onConflict((conflict) => conflict.column("group_id").doUpdateSet(due))
    .execute();
  await harness.until(async () => {
    const found = await harness.db
      .selectFrom("schedules")
      .select("next_run_at")
      .where("group_id", "=", groupId)
      .executeTakeFirst();
    return found?.next_run_at === null || (found?.next_run_at ?? now) > now;
  });
}

async function set(enabled: boolean, { isGroup, robot, server }: History["lock"]): Promise<Answer> {
  const owner = await serverOf(server).as("owner");
  const body = { enabled, reason: "The row is washed" };
  if (isGroup) return owner.call(groupMaintenance, { params: { groupId }, body });
  return owner.call(robotMaintenance, { params: { robotId: robots()[robot]?.id ?? 0 }, body });
}

function simulated(index: number) {
  return harness.robot(robots()[index]);
}

function serverOf(index: number): HarnessServer {
  return harness.servers[index] ?? harness.server;
}

function brokerOf(index: number): InterruptibleBroker {
  const { broker } = serverOf(index);
  if (!(broker instanceof InterruptibleBroker)) throw new Error("The server's broker connection cannot be cut.");
  return broker;
}

function passed(waitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(waitMs, resolve);
  return promise;
}

/** Once all faults have ended, this happens within ten minutes of the test's clock. */
async function soon<T>(event: Promise<T>, expected: string): Promise<T> {
  const late = Symbol(expected);
  const outcome = await Promise.race([event, passed(600_000).then(() => late)]);
  if (outcome === late) throw new Error(`Not so, though everything is healed: ${expected}.`);
  return outcome as T;
}

test(
  `protocol rule 8: in ${histories} random histories a lock wins over every start, by hand or scheduled (seed ${seed})`,
  { timeout: 120_000 + histories * 30_000 },
  async () => {
    await fc.assert(fc.asyncProperty(history, live), { numRuns: histories, seed, endOnFailure: true });
  },
);
