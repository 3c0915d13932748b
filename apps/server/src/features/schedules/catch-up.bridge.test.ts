import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { InterruptibleDatabase } from "../../../test/interruptible-database.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { holdLock } from "../../../test/row-locks.ts";
import { HarnessUser } from "../../../test/harness-user.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { scheduledRunReasons, WAITING_FOR_BROKER } from "./scheduler-messages.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
let harness: ScheduleHarness;
afterEach(() => harness.close());

/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const SIX = "2026-06-15 06:00:00";
const at = (minutes: number, seconds = 0) => new Date(DUE.getTime() + minutes * MINUTE_MS + seconds * SECOND_MS);

const outcomes = async (id: number) =>
  (await harness.runs(id)).map(({ robot_id, outcome, reason }) => [robot_id, outcome, reason]);
const commandsOf = async (robotId: number) =>
  (await harness.commands(robotId)).map(({ verb, outcome }) => `${verb} ${outcome}`);
const waiting = async (id: number) => (await harness.scheduleRow(id)).waiting;

/** Advances time second by second, as servers poll. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await harness.pass(SECOND_MS);
}

/** A group whose schedule is due in a minute. */
async function dueSoon(robots: number, { servers = 1 } = {}) {
  harness = await ScheduleHarness.open(BEFORE, { servers });
  const group = await harness.group(robots);
  const id = await harness.schedule(group, { startTime: SIX });
  const [robotId = 0, other = 0] = group.robotIds;
  return { group, id, robotId, other };
}

/** The broker dies with every connection; robots reconnect one by one, later than the server. */
async function brokerKilled(robotIds: readonly number[]) {
  const [server] = harness.servers;
  const broker = server?.broker;
  broker?.setConnected(false);
  harness.robots.unheard = true;
  for (const robotId of robotIds) await harness.robots.leave(robotId);
  return async () => {
    harness.robots.unheard = false;
    broker?.setConnected(true);
    await harness.poll();
  };
}

describe("decision 45: the broker comes back", () => {
  test("protocol rule 2: no start goes to a robot known only from before, however fresh; it begins once the robot is back", async () => {
    const { group, id, robotId, other } = await dueSoon(2);
    await harness.until(at(0, -10));
    const brokerBack = await brokerKilled(group.robotIds);
    harness.clock.advance(25 * SECOND_MS);
    await harness.poll();
    expect(await waiting(id)).toBe(WAITING_FOR_BROKER);
    await brokerBack();
    expect(await harness.commands(robotId)).toEqual([]);
    expect(await waiting(id)).toMatch(/^Waiting for the state of S1-1, S1-2: not heard from since/);
    await harness.robots.back(robotId);
    await harness.poll();
    expect(await harness.runs(id)).toMatchObject([{ robot_id: robotId, began_at: at(0, 15), stop_due_at: at(30) }]);
    expect(await waiting(id)).toMatch(/^Waiting for the state of S1-2: not heard from since/);
    await seconds(45);
    await harness.robots.back(other);
    await harness.poll();
    expect(await outcomes(id)).toEqual([
      [robotId, null, null],
      [other, null, null],
    ]);
    expect(await harness.scheduleRow(id)).toMatchObject({ status: "COMPLETED", next_run_at: null });
    for (const each of group.robotIds) expect(harness.robots.motions(each)).toHaveLength(1);
  });

  test("protocol rule 2: one that does not return is skipped with its reason after 10 minutes, and not later", async () => {
    const { group, id, robotId, other } = await dueSoon(2);
    await harness.until(at(0, -10));
    const brokerBack = await brokerKilled(group.robotIds);
    harness.clock.advance(25 * SECOND_MS);
    await brokerBack();
    await harness.robots.back(robotId);
    await harness.until(at(9, 59));
    expect(await outcomes(id)).toEqual([[robotId, null, null]]);
    await harness.until(at(10));
    expect(await outcomes(id)).toEqual([
      [robotId, null, null],
      [other, "SKIPPED", expect.stringMatching(/^Robot S1-2 /)],
    ]);
    await harness.robots.back(other);
    await seconds(3);
    expect(await commandsOf(other)).toEqual([]);
  });

  test("protocol rule 5: a start that met the end of its broker was never sent: its run waits for the robot as others do", async () => {
    harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
    const broker = new MemoryBroker();
    const server = harness.addServer(async (commandIds) => {
      // Only the first: it was connected when the run was decided.
      if (harness.clock.now() < at(0, 1)) broker.setConnected(false);
      await server.commands.dispatch(commandIds);
    }, broker);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(at(0, -1));
    await seconds(1);
    await harness.robots.leave(robotId);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT"]);
    await seconds(20);
    broker.setConnected(true);
    await seconds(60);
    await harness.robots.back(robotId);
    await seconds(1);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT", "START CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: null, due_at: DUE, stop_due_at: at(30) }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 2: no robot is waited for past the end of its run", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX, minutes: 2 });
    await harness.robots.leave(robotId);
    await harness.until(at(1, 59));
    expect(await harness.runs(id)).toEqual([]);
    await harness.until(at(2));
    expect(await outcomes(id)).toEqual([[robotId, "SKIPPED", expect.stringContaining("is offline")]]);
    await harness.robots.back(robotId);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual([]);
  });
});

describe("decision 45: the database comes back", () => {
  test.each(["killed", "paused"] as const)(
    "protocol rule 2: %s for 105 s: robots are waited for until they are heard again, and then begin",
    async (fault) => {
      harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
      const interruptible = await InterruptibleDatabase.open(harness.connection);
      const server = harness.addServer(undefined, new MemoryBroker(), interruptible.database.db);
      const group = await harness.group(2);
      const [robotId = 0, other = 0] = group.robotIds;
      const id = await harness.schedule(group, { startTime: SIX });
      await interruptible.setFault(fault);
      harness.robots.unheard = true;
      harness.clock.advance(105 * SECOND_MS);
      await server.scheduler.runOnce();
      await interruptible.setFault(null);
      // It counts as back from its first answer on; earlier Stops are recorded within 12 s.
      harness.clock.advance(SECOND_MS);
      await harness.poll();
      harness.clock.advance(12 * SECOND_MS);
      await harness.poll();
      expect(await harness.runs(id)).toEqual([]);
      expect(await waiting(id)).toMatch(/^Waiting for the state of/);
      harness.robots.unheard = false;
      await harness.robots.tick([robotId]);
      await harness.poll();
      expect(await harness.runs(id)).toMatchObject([{ robot_id: robotId, began_at: at(0, 58), stop_due_at: at(30) }]);
      harness.clock.advance(50 * SECOND_MS);
      await harness.poll();
      expect(await harness.runs(id)).toHaveLength(1);
      await harness.robots.tick([other]);
      await harness.poll();
      expect(await outcomes(id)).toEqual([
        [robotId, null, null],
        [other, null, null],
      ]);
      await interruptible.close();
    },
  );
});

test("protocol rule 5: a start whose server lost the database while it claimed it was never sent: its run gets another", async () => {
  harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
  const interruptible = await InterruptibleDatabase.open(harness.connection);
  const group = await harness.group(1);
  const [robotId = 0] = group.robotIds;
  const id = await harness.schedule(group, { startTime: SIX });
  const claimed = async () => (await harness.commands(robotId))[0]?.claimed_by !== null;
  // The claim is executed, but only once its server has given it up.
  const server = harness.addServer(
    async (commandIds) => {
      const letClaim = await holdLock(harness.db, (tx) => sql`select from commands for update`.execute(tx));
      await server.commands.dispatch(commandIds).catch(() => {});
      await interruptible.setFault("killed");
      await letClaim();
      while (!(await claimed()));
    },
    new MemoryBroker(),
    interruptible.database.db,
  );
  await server.commands.start();
  await harness.until(at(0, -1));
  await seconds(1);
  const other = harness.addServer();
  harness.servers.reverse();
  harness.robots.unheard = true;
  await seconds(75);
  expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP null"]);
  expect(harness.robots.motions(robotId)).toEqual([]);
  await interruptible.setFault(null);
  harness.robots.unheard = false;
  await other.commands.resendPending([robotId]);
  await seconds(30);
  expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
  expect(await harness.runs(id)).toMatchObject([{ outcome: null, due_at: DUE, stop_due_at: at(30) }]);
  expect(harness.robots.motions(robotId)).toHaveLength(1);
  await server.commands.stop();
  await interruptible.close();
});

describe("decision 45: the robots' network was frozen", () => {
  test("protocol rule 2: one that fell silent before its run was due begins when it is heard again", async () => {
    const { id, robotId } = await dueSoon(1);
    harness.robots.unheard = true;
    await harness.until(DUE);
    await seconds(15);
    expect(await harness.runs(id)).toEqual([]);
    expect(await waiting(id)).toBe("Waiting for the state of S1-1: not heard from for a while.");
    harness.robots.unheard = false;
    await seconds(30);
    expect(await harness.runs(id)).toMatchObject([{ robot_id: robotId, outcome: null }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 1: a start that was delayed on its way is retried once a state proves that it was never accepted", async () => {
    const { id, robotId } = await dueSoon(1);
    await harness.until(at(0, -1));
    await harness.robots.leave(robotId);
    // The broker still considers it connected.
    await harness.db.updateTable("robot_state").set({ online: true, connection: "ONLINE" }).execute();
    await seconds(40);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP null"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    await harness.robots.back(robotId);
    expect((await harness.commands(robotId))[0]?.not_taken_at).not.toBe(null);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: null, due_at: DUE, stop_due_at: at(30) }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 1: a start that was lost, and whose robot nobody heard for a minute, is retried: before its STOP the robot is asked", async () => {
    const { id, robotId } = await dueSoon(1);
    await harness.until(at(0, -1));
    const [server] = harness.servers;
    harness.clock.advance(SECOND_MS);
    await server?.scheduler.runOnce();
    expect(server?.broker.published.splice(0)).toHaveLength(1);
    server?.broker.setConnected(false);
    harness.robots.unheard = true;
    await seconds(90);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP null"]);
    harness.robots.unheard = false;
    server?.broker.setConnected(true);
    await server?.commands.resendPending([robotId]);
    await harness.deliver();
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: null, due_at: DUE, stop_due_at: at(30) }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 5: a start that the robot may have accepted is not retried: its state shows a number as high", async () => {
    const { id, robotId } = await dueSoon(1);
    await harness.until(at(0, -1));
    harness.robots.unheard = true;
    await seconds(12);
    // It accepted its START, lost its link, and had stopped when it was back: none of it was heard.
    expect(harness.robots.motions(robotId)).toHaveLength(1);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await harness.deliver();
    await harness.robots.leave(robotId);
    await seconds(20);
    harness.robots.unheard = false;
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    const starts = (await harness.commands(robotId)).filter(({ verb }) => verb === "START");
    expect(starts).toMatchObject([{ outcome: "UNCONFIRMED", not_taken_at: null }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
    expect(await harness.runs(id)).toHaveLength(1);
  });
});

test("protocol rule 3: a Stop that went out without the database is respected before it is recorded", async () => {
  const { group, id, robotId, other } = await dueSoon(2);
  harness.clock.advance(MINUTE_MS + 5 * SECOND_MS);
  await harness.robots.tick();
  // As a robot that accepted such a Stop shows it; another server has it in its journal.
  await harness.db
    .updateTable("robot_state")
    .set({ last_seq: at(0, 4).getTime() })
    .where("robot_id", "=", robotId)
    .execute();
  await harness.poll();
  expect(await outcomes(id)).toEqual([[other, null, null]]);
  expect(await waiting(id)).toBe("Waiting for a Stop of S1-1 to be recorded.");
  await seconds(10);
  expect(await harness.commands(robotId)).toEqual([]);
  await harness.press("STOP", robotId, group.siteId);
  await seconds(2);
  expect((await outcomes(id))[0]).toEqual([robotId, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text]);
});

describe("decision 45: what people did in the meantime comes first", () => {
  /** A robot whose run waits for its state, since its network froze. */
  async function waits() {
    const made = await dueSoon(2);
    for (const robotId of made.group.robotIds) await harness.robots.leave(robotId);
    await harness.until(at(0, 20));
    expect(await harness.runs(made.id)).toEqual([]);
    const back = async () => {
      for (const robotId of made.group.robotIds) await harness.robots.back(robotId);
      await harness.servers[0]?.commands.resendPending(made.group.robotIds);
      await seconds(40);
    };
    return { ...made, back };
  }

  test("protocol rule 3: stopped while its run waited: it does not begin, but its group does", async () => {
    const { group, id, robotId, other, back } = await waits();
    await harness.press("STOP", robotId, group.siteId);
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text],
      [other, null, null],
    ]);
    expect(await commandsOf(robotId)).toEqual(["STOP CONFIRMED"]);
  });

  test("protocol rule 8: in maintenance since: it does not begin", async () => {
    const { id, robotId, other, back } = await waits();
    await harness.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robotId).execute();
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", expect.stringContaining("is in maintenance")],
      [other, null, null],
    ]);
    expect((await commandsOf(robotId)).filter((command) => command.startsWith("START"))).toEqual([]);
  });

  test("§7 Groups and schedules: switched off while it waited: nothing begins", async () => {
    const { group, id, robotId, other, back } = await waits();
    await (await HarnessUser.at(harness)).edit(id, group, { status: "INACTIVE" });
    await back();
    const reason = scheduledRunReasons.switchedOff("Anita Rao").text;
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", reason],
      [other, "SKIPPED", reason],
    ]);
    expect([...(await harness.commands(robotId)), ...(await harness.commands(other))]).toEqual([]);
  });

  test("protocol rule 2: one that was switched off by hand while its run waited does not begin when it is switched on", async () => {
    const { id, robotId, other, back } = await waits();
    await harness.robots.back(robotId);
    await harness.robots.leave(robotId, { goodbye: true });
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", scheduledRunReasons.saidGoodbye("S1-1").text],
      [other, null, null],
    ]);
    expect(await commandsOf(robotId)).toEqual([]);
  });

  test("protocol rule 3: a Stop after the start failed, and before its robot was back, is respected", async () => {
    const { group, id, robotId } = await dueSoon(1);
    await harness.until(at(0, -1));
    await harness.robots.leave(robotId);
    await harness.db.updateTable("robot_state").set({ online: true, connection: "ONLINE" }).execute();
    await seconds(12);
    await harness.press("STOP", robotId, group.siteId);
    await seconds(20);
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "STOP CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    expect(harness.robots.motions(robotId)).toEqual([]);
  });

  test("protocol rule 14: one whose state was reset while its run waited does not begin when it is heard again", async () => {
    const { id, robotId } = await dueSoon(1);
    await harness.until(at(0, -20));
    await harness.robots.leave(robotId);
    harness.robots.loseMemory(robotId, "counts from nothing");
    await harness.robots.back(robotId);
    await harness.until(at(4));
    await seconds(5);
    expect(await commandsOf(robotId)).toEqual([]);
    expect(await (await HarnessUser.at(harness)).forget(robotId)).toBe(true);
    await harness.robots.leave(robotId);
    await harness.robots.back(robotId);
    await seconds(20);
    expect(await outcomes(id)).toEqual([[robotId, "SKIPPED", scheduledRunReasons.saidGoodbye("S1-1").text]]);
    expect(await commandsOf(robotId)).toEqual([]);
  });

  test("protocol rule 14: one that accepted its start and lost its memory does not prove that it never accepted it", async () => {
    const { robotId } = await dueSoon(1);
    await harness.until(at(0, -1));
    harness.robots.unheard = true;
    await seconds(12);
    await harness.robots.leave(robotId);
    harness.robots.loseMemory(robotId, "counts from the time");
    await seconds(20);
    harness.robots.unheard = false;
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    expect((await commandsOf(robotId)).filter((command) => command.startsWith("START"))).toEqual(["START UNCONFIRMED"]);
    expect(harness.robots.motions(robotId).length).toBeLessThanOrEqual(1);
  });
});
