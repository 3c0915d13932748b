import { afterEach, describe, expect, test } from "vitest";
import { InterruptibleDatabase } from "../../../test/interruptible-database.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { BenchUser } from "../../../test/bench-user.ts";
import { ScheduleBench } from "../../../test/schedule-bench.ts";
import { scheduledRunReasons, WAITING_FOR_BROKER } from "./scheduler-messages.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
let bench: ScheduleBench;
afterEach(() => bench.close());

/** 05:59 at the bench's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const SIX = "2026-06-15 06:00:00";
const at = (minutes: number, seconds = 0) => new Date(DUE.getTime() + minutes * MINUTE_MS + seconds * SECOND_MS);

const outcomes = async (id: number) =>
  (await bench.runs(id)).map(({ robot_id, outcome, reason }) => [robot_id, outcome, reason]);
const commandsOf = async (robotId: number) =>
  (await bench.commands(robotId)).map(({ verb, outcome }) => `${verb} ${outcome}`);
const waiting = async (id: number) => (await bench.scheduleRow(id)).waiting;

/** Advances time second by second, as servers poll. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await bench.pass(SECOND_MS);
}

/** A group whose schedule is due in a minute. */
async function dueSoon(robots: number, { servers = 1 } = {}) {
  bench = await ScheduleBench.open(BEFORE, { servers });
  const group = await bench.group(robots);
  const id = await bench.schedule(group, { startTime: SIX });
  const [robotId = 0, other = 0] = group.robotIds;
  return { group, id, robotId, other };
}

/** The broker dies with every connection; robots reconnect one by one, later than the server. */
async function brokerKilled(robotIds: readonly number[]) {
  const [server] = bench.servers;
  const broker = server?.broker;
  broker?.setConnected(false);
  bench.robots.unheard = true;
  for (const robotId of robotIds) await bench.robots.leave(robotId);
  return async () => {
    bench.robots.unheard = false;
    broker?.setConnected(true);
    await bench.poll();
  };
}

describe("decision 45: the broker comes back", () => {
  test("protocol rule 2: no start goes to a robot known only from before, however fresh; it begins once the robot is back", async () => {
    const { group, id, robotId, other } = await dueSoon(2);
    await bench.until(at(0, -10));
    const brokerBack = await brokerKilled(group.robotIds);
    bench.clock.advance(25 * SECOND_MS);
    await bench.poll();
    expect(await waiting(id)).toBe(WAITING_FOR_BROKER);
    await brokerBack();
    expect(await bench.commands(robotId)).toEqual([]);
    expect(await waiting(id)).toMatch(/^Waiting for the state of S1-1, S1-2: not heard from since/);
    await bench.robots.back(robotId);
    await bench.poll();
    expect(await bench.runs(id)).toMatchObject([{ robot_id: robotId, began_at: at(0, 15), stop_due_at: at(30) }]);
    expect(await waiting(id)).toMatch(/^Waiting for the state of S1-2: not heard from since/);
    await seconds(45);
    await bench.robots.back(other);
    await bench.poll();
    expect(await outcomes(id)).toEqual([
      [robotId, null, null],
      [other, null, null],
    ]);
    expect(await bench.scheduleRow(id)).toMatchObject({ status: "COMPLETED", next_run_at: null });
    for (const each of group.robotIds) expect(bench.robots.motions(each)).toHaveLength(1);
  });

  test("protocol rule 2: one that does not return is skipped with its reason after 10 minutes, and not later", async () => {
    const { group, id, robotId, other } = await dueSoon(2);
    await bench.until(at(0, -10));
    const brokerBack = await brokerKilled(group.robotIds);
    bench.clock.advance(25 * SECOND_MS);
    await brokerBack();
    await bench.robots.back(robotId);
    await bench.until(at(9, 59));
    expect(await outcomes(id)).toEqual([[robotId, null, null]]);
    await bench.until(at(10));
    expect(await outcomes(id)).toEqual([
      [robotId, null, null],
      [other, "SKIPPED", expect.stringMatching(/^Robot S1-2 /)],
    ]);
    await bench.robots.back(other);
    await seconds(3);
    expect(await commandsOf(other)).toEqual([]);
  });

  test("protocol rule 2: no robot is waited for past the end of its run", async () => {
    bench = await ScheduleBench.open(BEFORE);
    const group = await bench.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await bench.schedule(group, { startTime: SIX, minutes: 2 });
    await bench.robots.leave(robotId);
    await bench.until(at(1, 59));
    expect(await bench.runs(id)).toEqual([]);
    await bench.until(at(2));
    expect(await outcomes(id)).toEqual([[robotId, "SKIPPED", expect.stringContaining("is offline")]]);
    await bench.robots.back(robotId);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual([]);
  });
});

describe("decision 45: the database comes back", () => {
  test.each(["killed", "paused"] as const)(
    "protocol rule 2: %s for 105 s: robots are waited for until they are heard again, and then begin",
    async (fault) => {
      bench = await ScheduleBench.open(BEFORE, { servers: 0 });
      const interruptible = await InterruptibleDatabase.open(bench.connection);
      const server = bench.addServer(undefined, new MemoryBroker(), interruptible.database.db);
      const group = await bench.group(2);
      const [robotId = 0, other = 0] = group.robotIds;
      const id = await bench.schedule(group, { startTime: SIX });
      await interruptible.setFault(fault);
      bench.robots.unheard = true;
      bench.clock.advance(105 * SECOND_MS);
      await server.scheduler.runOnce();
      await interruptible.setFault(null);
      // It counts as back from its first answer on; earlier Stops are recorded within 12 s.
      bench.clock.advance(SECOND_MS);
      await bench.poll();
      bench.clock.advance(12 * SECOND_MS);
      await bench.poll();
      expect(await bench.runs(id)).toEqual([]);
      expect(await waiting(id)).toMatch(/^Waiting for the state of/);
      bench.robots.unheard = false;
      await bench.robots.tick([robotId]);
      await bench.poll();
      expect(await bench.runs(id)).toMatchObject([{ robot_id: robotId, began_at: at(0, 58), stop_due_at: at(30) }]);
      bench.clock.advance(50 * SECOND_MS);
      await bench.poll();
      expect(await bench.runs(id)).toHaveLength(1);
      await bench.robots.tick([other]);
      await bench.poll();
      expect(await outcomes(id)).toEqual([
        [robotId, null, null],
        [other, null, null],
      ]);
      await interruptible.close();
    },
  );
});

describe("decision 45: the robots' network was frozen", () => {
  test("protocol rule 2: one that fell silent before its run was due begins when it is heard again", async () => {
    const { id, robotId } = await dueSoon(1);
    bench.robots.unheard = true;
    await bench.until(DUE);
    await seconds(15);
    expect(await bench.runs(id)).toEqual([]);
    expect(await waiting(id)).toBe("Waiting for the state of S1-1: not heard from for a while.");
    bench.robots.unheard = false;
    await seconds(30);
    expect(await bench.runs(id)).toMatchObject([{ robot_id: robotId, outcome: null }]);
    expect(bench.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 1: a start that was delayed on its way is retried once a state proves that it was never accepted", async () => {
    const { id, robotId } = await dueSoon(1);
    await bench.until(at(0, -1));
    await bench.robots.leave(robotId);
    // The broker still considers it connected.
    await bench.db.updateTable("robot_state").set({ online: true, connection: "ONLINE" }).execute();
    await seconds(40);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP null"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    await bench.robots.back(robotId);
    expect((await bench.commands(robotId))[0]?.not_taken_at).not.toBe(null);
    await bench.servers[0]?.commands.resendPending([robotId]);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: null, due_at: DUE, stop_due_at: at(30) }]);
    expect(bench.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 5: a start that the robot may have accepted is not retried: its state shows a number as high", async () => {
    const { id, robotId } = await dueSoon(1);
    await bench.until(at(0, -1));
    bench.robots.unheard = true;
    await seconds(12);
    // It accepted its START, lost its link, and had stopped when it was back: none of it was heard.
    expect(bench.robots.motions(robotId)).toHaveLength(1);
    await bench.servers[0]?.commands.resendPending([robotId]);
    await bench.deliver();
    await bench.robots.leave(robotId);
    await seconds(20);
    bench.robots.unheard = false;
    await bench.robots.back(robotId);
    await bench.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    const starts = (await bench.commands(robotId)).filter(({ verb }) => verb === "START");
    expect(starts).toMatchObject([{ outcome: "UNCONFIRMED", not_taken_at: null }]);
    expect(bench.robots.motions(robotId)).toHaveLength(1);
    expect(await bench.runs(id)).toHaveLength(1);
  });
});

test("protocol rule 3: a Stop that went out without the database is respected before it is recorded", async () => {
  const { group, id, robotId, other } = await dueSoon(2);
  bench.clock.advance(MINUTE_MS + 5 * SECOND_MS);
  await bench.robots.tick();
  // As a robot that accepted such a Stop shows it; another server has it in its journal.
  await bench.db
    .updateTable("robot_state")
    .set({ last_seq: at(0, 4).getTime() })
    .where("robot_id", "=", robotId)
    .execute();
  await bench.poll();
  expect(await outcomes(id)).toEqual([[other, null, null]]);
  expect(await waiting(id)).toBe("Waiting for a Stop of S1-1 to be recorded.");
  await seconds(10);
  expect(await bench.commands(robotId)).toEqual([]);
  await bench.press("STOP", robotId, group.siteId);
  await seconds(2);
  expect((await outcomes(id))[0]).toEqual([robotId, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text]);
});

describe("decision 45: what people did in the meantime comes first", () => {
  /** A robot whose run waits for its state, since its network froze. */
  async function waits() {
    const made = await dueSoon(2);
    for (const robotId of made.group.robotIds) await bench.robots.leave(robotId);
    await bench.until(at(0, 20));
    expect(await bench.runs(made.id)).toEqual([]);
    const back = async () => {
      for (const robotId of made.group.robotIds) await bench.robots.back(robotId);
      await bench.servers[0]?.commands.resendPending(made.group.robotIds);
      await seconds(40);
    };
    return { ...made, back };
  }

  test("protocol rule 3: stopped while its run waited: it does not begin, but its group does", async () => {
    const { group, id, robotId, other, back } = await waits();
    await bench.press("STOP", robotId, group.siteId);
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text],
      [other, null, null],
    ]);
    expect(await commandsOf(robotId)).toEqual(["STOP CONFIRMED"]);
  });

  test("protocol rule 8: in maintenance since: it does not begin", async () => {
    const { id, robotId, other, back } = await waits();
    await bench.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robotId).execute();
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", expect.stringContaining("is in maintenance")],
      [other, null, null],
    ]);
    expect((await commandsOf(robotId)).filter((command) => command.startsWith("START"))).toEqual([]);
  });

  test("§7 Groups and schedules: switched off while it waited: nothing begins", async () => {
    const { group, id, robotId, other, back } = await waits();
    await (await BenchUser.at(bench)).edit(id, group, { status: "INACTIVE" });
    await back();
    const reason = scheduledRunReasons.switchedOff("Anita Rao").text;
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", reason],
      [other, "SKIPPED", reason],
    ]);
    expect([...(await bench.commands(robotId)), ...(await bench.commands(other))]).toEqual([]);
  });

  test("protocol rule 2: one that was switched off by hand while its run waited does not begin when it is switched on", async () => {
    const { id, robotId, other, back } = await waits();
    await bench.robots.back(robotId);
    await bench.robots.leave(robotId, { goodbye: true });
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", scheduledRunReasons.saidGoodbye("S1-1").text],
      [other, null, null],
    ]);
    expect(await commandsOf(robotId)).toEqual([]);
  });

  test("protocol rule 3: a Stop after the start failed, and before its robot was back, is respected", async () => {
    const { group, id, robotId } = await dueSoon(1);
    await bench.until(at(0, -1));
    await bench.robots.leave(robotId);
    await bench.db.updateTable("robot_state").set({ online: true, connection: "ONLINE" }).execute();
    await seconds(12);
    await bench.press("STOP", robotId, group.siteId);
    await seconds(20);
    await bench.robots.back(robotId);
    await bench.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "STOP CONFIRMED"]);
    expect(await bench.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    expect(bench.robots.motions(robotId)).toEqual([]);
  });

  test("protocol rule 14: one whose state was reset while its run waited does not begin when it is heard again", async () => {
    const { id, robotId } = await dueSoon(1);
    await bench.until(at(0, -20));
    await bench.robots.leave(robotId);
    bench.robots.loseMemory(robotId, "counts from nothing");
    await bench.robots.back(robotId);
    await bench.until(at(4));
    await seconds(5);
    expect(await commandsOf(robotId)).toEqual([]);
    expect(await (await BenchUser.at(bench)).forget(robotId)).toBe(true);
    await bench.robots.leave(robotId);
    await bench.robots.back(robotId);
    await seconds(20);
    expect(await outcomes(id)).toEqual([[robotId, "SKIPPED", scheduledRunReasons.saidGoodbye("S1-1").text]]);
    expect(await commandsOf(robotId)).toEqual([]);
  });

  test("protocol rule 14: one that accepted its start and lost its memory does not prove that it never accepted it", async () => {
    const { robotId } = await dueSoon(1);
    await bench.until(at(0, -1));
    bench.robots.unheard = true;
    await seconds(12);
    await bench.robots.leave(robotId);
    bench.robots.loseMemory(robotId, "counts from the time");
    await seconds(20);
    bench.robots.unheard = false;
    await bench.robots.back(robotId);
    await bench.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    expect((await commandsOf(robotId)).filter((command) => command.startsWith("START"))).toEqual(["START UNCONFIRMED"]);
    expect(bench.robots.motions(robotId).length).toBeLessThanOrEqual(1);
  });
});
