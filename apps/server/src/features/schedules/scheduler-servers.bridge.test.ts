import { afterEach, describe, expect, test } from "vitest";
import { StubClockCheck, TROUBLE } from "../../../test/stub-clock-check.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { HarnessUser } from "../../../test/harness-user.ts";
import { ScheduleHarness, type SchedulingServer } from "../../../test/schedule-harness.ts";

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
let harness: ScheduleHarness;
afterEach(() => harness.close());

const BEFORE = new Date("2026-06-15T00:29:00Z");
const DUE = new Date("2026-06-15T00:30:00Z");
const SIX = "2026-06-15 06:00:00";
const at = (minutes: number, seconds = 0) => new Date(DUE.getTime() + minutes * MINUTE_MS + seconds * SECOND_MS);

/** What it publishes is lost: the server was killed between claiming and publishing. */
class LosingBroker extends MemoryBroker {
  override async publish(): Promise<void> {}
}

/** Advances time second by second, as every server polls. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await harness.pass(SECOND_MS);
}

/** A group of one robot with a schedule at six, and a server that dies at its first start. */
async function dyingServer(make: () => SchedulingServer) {
  harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
  const group = await harness.group(1);
  const [robotId = 0] = group.robotIds;
  const id = await harness.schedule(group, { startTime: SIX });
  const dying = make();
  await harness.until(DUE);
  harness.removeServer(dying);
  return { group, robotId, id };
}

const neverSent = () => harness.addServer(async () => {});
const claimedAndLost = () => harness.addServer(undefined, new LosingBroker());
type Made = Awaited<ReturnType<typeof dyingServer>>;
const commandsOf = async (robotId: number) =>
  (await harness.commands(robotId)).map(({ verb, outcome }) => `${verb} ${outcome}`);

describe("stack, due work: with several servers", () => {
  test("each due time has exactly one run and one START of each robot, and one STOP", async () => {
    harness = await ScheduleHarness.open(BEFORE, { servers: 3 });
    const groups = [await harness.group(3), await harness.group(2), await harness.group(2)];
    for (const group of groups) await harness.schedule(group, { startTime: SIX, frequency: "DAILY" });
    for (const days of [0, 1, 2]) {
      await harness.until(at(days * 1_440));
      await harness.until(at(days * 1_440 + 29));
      await harness.until(at(days * 1_440 + 30));
    }
    const robotIds = groups.flatMap((group) => group.robotIds);
    expect(await harness.runs()).toHaveLength(3 * robotIds.length);
    for (const robotId of robotIds) {
      const starts = (await harness.commands(robotId)).filter(({ verb }) => verb === "START");
      expect(starts).toHaveLength(3);
      expect(harness.robots.motions(robotId)).toHaveLength(3);
    }
  });

  test("one without the broker leaves what is due to another; if none has it, the run starts late or is missed", async () => {
    harness = await ScheduleHarness.open(BEFORE, { servers: 2 });
    const group = await harness.group(1);
    const first = await harness.schedule(group, { startTime: SIX });
    const second = await harness.schedule(await harness.group(1), { startTime: "2026-06-15 07:00:00" });
    for (const { broker } of harness.servers) broker.setConnected(false);
    await harness.until(DUE);
    await seconds(3);
    expect(await harness.runs()).toEqual([]);
    harness.servers[1]?.broker.setConnected(true);
    await harness.robots.back(group.robotIds[0] ?? 0);
    await seconds(1);
    expect(await harness.runs(first)).toMatchObject([{ began_at: at(0, 4) }]);
    await harness.until(at(30));
    harness.servers[1]?.broker.setConnected(false);
    await harness.until(at(60));
    await harness.until(at(70));
    expect(await harness.runs(second)).toMatchObject([{ outcome: "MISSED" }]);
  });
});

describe("protocol rule 12: a server that cannot rely on its clock does not schedule", () => {
  test("another one runs what is due, once; alone it does nothing, and its robots stop by themselves", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const clocks = new StubClockCheck();
    clocks.trouble = TROUBLE;
    const wrong = harness.addServer(undefined, new MemoryBroker(), harness.db, clocks);
    const group = await harness.group(2);
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(DUE);
    await seconds(2);
    expect(await harness.runs(id)).toMatchObject([{ began_at: at(0, 0) }, { began_at: at(0, 0) }]);
    // Alone now: it stops no robot either; for that each has its own clock (rule 4).
    harness.servers.splice(0, harness.servers.length, wrong);
    await harness.until(at(29));
    await harness.until(at(30));
    for (const robotId of group.robotIds) {
      expect(await commandsOf(robotId)).toEqual(["START CONFIRMED"]);
      expect(harness.robots.motions(robotId)).toMatchObject([{ endedAt: at(30) }]);
    }
  });

  test("alone it misses nothing: what was due begins once its clock agrees and the robots have been heard since", async () => {
    const clocks = new StubClockCheck();
    harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
    harness.addServer(undefined, new MemoryBroker(), harness.db, clocks);
    const group = await harness.group(1);
    const id = await harness.schedule(group, { startTime: SIX });
    clocks.trouble = TROUBLE;
    await harness.until(DUE);
    await seconds(40);
    expect(await harness.runs(id)).toEqual([]);
    clocks.trouble = null;
    // Nothing heard under a wrong clock is good enough.
    await seconds(14);
    expect(await harness.runs(id)).toEqual([]);
    await harness.robots.back(group.robotIds[0] ?? 0);
    await seconds(1);
    expect(await harness.runs(id)).toMatchObject([{ due_at: DUE, began_at: expect.any(Date), outcome: null }]);
  });
});

describe("protocol rule 12: the time is compared before anything starts", () => {
  test("a clock that was set back by half an hour costs no run: robots that have been heard since are started", async () => {
    const clocks = new StubClockCheck();
    harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
    harness.addServer(undefined, new MemoryBroker(), harness.db, clocks);
    const group = await harness.group(1);
    const id = await harness.schedule(group, { startTime: "2026-06-15 08:00:00" });
    await harness.until(at(55));
    clocks.trouble = TROUBLE;
    await seconds(2);
    harness.clock.correct(-30 * MINUTE_MS);
    clocks.trouble = null;
    await seconds(15);
    await harness.robots.back(group.robotIds[0] ?? 0);
    const nextRunAt = new Date(harness.clock.now().getTime() + 2 * SECOND_MS);
    await harness.db.updateTable("schedules").set({ next_run_at: nextRunAt }).where("id", "=", id).execute();
    await seconds(3);
    expect(await harness.runs(id)).toMatchObject([{ due_at: nextRunAt, began_at: expect.any(Date), outcome: null }]);
  });

  test("a database that does not report its time starts nothing, and delays no Stop", async () => {
    const clocks = new StubClockCheck();
    harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
    const server = harness.addServer(undefined, new MemoryBroker(), harness.db, clocks);
    const [over, due] = [await harness.group(1), await harness.group(1)];
    await harness.schedule(over, { startTime: SIX });
    await harness.schedule(due, { startTime: "2026-06-15 06:30:00" });
    await harness.until(DUE);
    await harness.until(at(29, 59));
    clocks.check = () => new Promise(() => {});
    harness.clock.advance(SECOND_MS);
    const looked = server.scheduler.runOnce();
    harness.clock.advance(2 * SECOND_MS);
    await looked;
    expect(await commandsOf(over.robotIds[0] ?? 0)).toEqual(["START CONFIRMED", "STOP null"]);
    expect(await commandsOf(due.robotIds[0] ?? 0)).toEqual([]);
  });
});

describe("protocol rule 5: a server that dies does not cost a run", () => {
  test("killed between the commit and sending: another one retries it once the START has expired", async () => {
    const { robotId, id } = await dyingServer(neverSent);
    expect(await harness.runs(id)).toMatchObject([{ began_at: null, outcome: null }]);
    harness.addServer();
    await seconds(4);
    expect(await commandsOf(robotId)).toEqual(["START null"]);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT", "START CONFIRMED"]);
    const [run] = await harness.runs(id);
    expect(run).toMatchObject({ due_at: DUE, stop_due_at: at(30), outcome: null });
    expect(run?.began_at?.getTime()).toBeLessThanOrEqual(at(0, 7).getTime());
    await harness.until(at(29));
    await harness.until(at(30));
    expect(await harness.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
    expect(harness.robots.motions(robotId)).toMatchObject([{ endedAt: at(30) }]);
    const audit = await harness.db
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "START_SCHEDULED_RUN_ANEW")
      .execute();
    expect(audit).toMatchObject([{ actor: "Scheduler", entity_id: String(robotId) }]);
  });

  test("killed between claiming and publishing: it is retried once the robot has confirmed the STOP that followed", async () => {
    const { robotId, id } = await dyingServer(claimedAndLost);
    harness.addServer();
    await seconds(11);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: null, stop_due_at: at(30) }]);
    await harness.until(at(29));
    await harness.until(at(30));
    expect(await harness.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
    expect(harness.robots.motions(robotId)).toMatchObject([{ endedAt: at(30) }]);
  });

  test("protocol rule 6: killed after publishing, with nobody to hear the robot: a run that moved stays as it ended", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.pass(30 * SECOND_MS);
    harness.robots.unheard = true;
    await harness.until(DUE);
    await seconds(9);
    harness.robots.unheard = false;
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP null"]);
    await seconds(30);
    // It may as well have been stopped by hand at the machine: there is no way to tell.
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED"]);
    const [motion] = harness.robots.motions(robotId);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
    expect(await harness.runs()).toMatchObject([
      { id: motion?.runId, schedule_id: id, began_at: DUE, outcome: "STOPPED", reason: "STOP" },
    ]);
  });

  test("killed with the planned STOP unsent: another one sends it", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.until(DUE);
    await harness.until(at(29));
    harness.removeServer(harness.servers[0] ?? neverSent());
    const dying = neverSent();
    harness.clock.advance(MINUTE_MS);
    await dying.scheduler.runOnce();
    harness.removeServer(dying);
    expect(await commandsOf(robotId)).toEqual(["START CONFIRMED", "STOP null"]);
    const { commands } = harness.addServer();
    await commands.resendPending([robotId]);
    await harness.deliver();
    expect(await commandsOf(robotId)).toEqual(["START CONFIRMED", "STOP CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "COMPLETED", ended_at: at(30) }]);
  });

  test("a person's Stop in between is respected: the run is not retried", async () => {
    const { group, robotId, id } = await dyingServer(neverSent);
    harness.addServer();
    await seconds(4);
    await harness.press("STOP", robotId, group.siteId);
    await seconds(30);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    expect(harness.robots.motions(robotId)).toEqual([]);
  });

  test.each<[string, (person: HarnessUser, made: Made) => Promise<unknown>]>([
    ["its schedule was deleted", (person, { id }) => person.deleteSchedule(id)],
    ["its schedule was switched off", (person, { id, group }) => person.edit(id, group, { status: "INACTIVE" })],
    ["its schedule was changed", (person, { id, group }) => person.edit(id, group, { frequency: "DAILY" })],
    ["its group was deleted", (person, { group }) => person.deleteGroup(group)],
    ["the robot left its group", (person, { group }) => person.regroup(group, [])],
    [
      "the robot left its group and came back",
      async (person, { group, robotId }) => {
        await person.regroup(group, []);
        await person.regroup(group, [robotId]);
      },
    ],
  ])("people decide: nothing is retried if, in the meantime, %s", async (_title, act) => {
    for (const make of [neverSent, claimedAndLost]) {
      const made = await dyingServer(make);
      harness.addServer();
      await seconds(4);
      await act(await HarnessUser.at(harness), made);
      await seconds(30);
      expect((await commandsOf(made.robotId)).filter((command) => command.startsWith("START"))).toHaveLength(1);
      expect(await harness.runs(made.id)).toMatchObject([{ outcome: "FAILED", due_at: DUE }]);
      expect(harness.robots.motions(made.robotId)).toEqual([]);
      if (make === neverSent) await harness.close();
    }
  });

  test("protocol rule 1: a robot that was disconnected since is started when it returns, because its state proves that it accepted nothing", async () => {
    const { robotId, id } = await dyingServer(claimedAndLost);
    harness.addServer();
    await seconds(4);
    await harness.robots.leave(robotId);
    await seconds(15);
    await harness.robots.back(robotId);
    // As the bridge does once a robot returns.
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(3);
    expect(await commandsOf(robotId)).toEqual(["START UNCONFIRMED", "STOP CONFIRMED", "START CONFIRMED"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: null, stop_due_at: at(30) }]);
    expect(harness.robots.motions(robotId)).toHaveLength(1);
  });

  test("protocol rule 2: one that reconnected is started within a minute after its START failed, not later", async () => {
    for (const [awayS, starts] of [
      [40, 2],
      [70, 1],
    ] as const) {
      const { robotId } = await dyingServer(neverSent);
      harness.addServer();
      await seconds(1);
      await harness.robots.leave(robotId);
      await seconds(awayS);
      await harness.robots.back(robotId);
      await seconds(20);
      expect((await commandsOf(robotId)).filter((command) => command.startsWith("START"))).toHaveLength(starts);
      await harness.close();
    }
    harness = await ScheduleHarness.open(BEFORE);
  });

  test.each([
    ["never sent", neverSent],
    ["sent and lost", claimedAndLost],
  ])("one that was switched off since is not started when it returns: its START was %s", async (_title, make) => {
    const { robotId, id } = await dyingServer(make);
    harness.addServer();
    await seconds(4);
    await harness.robots.leave(robotId, { goodbye: true });
    await seconds(10);
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(30);
    expect((await commandsOf(robotId)).filter((command) => command.startsWith("START"))).toHaveLength(1);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
    expect(harness.robots.motions(robotId)).toEqual([]);
  });

  test("no later than a minute after it failed, though its time is not over", async () => {
    const { robotId, id } = await dyingServer(neverSent);
    await seconds(75);
    harness.addServer();
    await seconds(5);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
  });

  test("no later than 10 minutes, and never past its end", async () => {
    const { robotId, id } = await dyingServer(neverSent);
    harness.addServer();
    await harness.until(at(10, 1));
    await seconds(5);
    expect(await commandsOf(robotId)).toEqual(["START NEVER_SENT"]);
    expect(await harness.runs(id)).toMatchObject([{ outcome: "FAILED" }]);
  });
});
