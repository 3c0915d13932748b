import { afterEach, describe, expect, test } from "vitest";
import { InterruptibleDatabase } from "../../../test/interruptible-database.ts";
import { addRobot } from "../../../test/fixtures.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { HarnessUser } from "../../../test/harness-user.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { scheduledRunReasons } from "./scheduler-messages.ts";

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
const starts = async (robotId: number) => (await harness.commands(robotId)).filter(({ verb }) => verb === "START");

/** Advances time second by second, as servers poll. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await harness.pass(SECOND_MS);
}

/** A group with a schedule at six, and no broker from before the due time until `back`. */
async function brokerOutage(robots = 1) {
  harness = await ScheduleHarness.open(BEFORE);
  const group = await harness.group(robots);
  const id = await harness.schedule(group, { startTime: SIX, frequency: "DAILY" });
  const broker = harness.servers[0]?.broker;
  broker?.setConnected(false);
  await harness.until(DUE);
  await harness.until(at(2));
  const back = async () => {
    broker?.setConnected(true);
    await harness.until(at(5));
    await seconds(40);
  };
  return { group, id, robotId: group.robotIds[0] ?? 0, back };
}

/** A person's recorded order about maintenance; the robot shows it immediately if `settled`. */
async function maintenance(robotId: number, verb: "MAINTENANCE_ON" | "MAINTENANCE_OFF", settled: boolean) {
  const robot = await harness.db.selectFrom("robots").selectAll().where("id", "=", robotId).executeTakeFirstOrThrow();
  const now = harness.clock.now();
  const seq = Math.max(robot.last_command_seq + 1, now.getTime());
  await harness.db
    .insertInto("commands")
    .values({
      id: crypto.randomUUID(),
      robot_id: robotId,
      site_id: robot.site_id,
      serial_number: robot.serial_number,
      verb,
      seq,
      session: 1,
      issued_at: now,
      expires_at: now,
      settle_by: now,
      params: "{}",
      action_type: "GROUP",
      requested_by: "Omkar Jain",
      answered_at: now,
      ...(settled && { settled_at: now, outcome: "CONFIRMED" }),
    })
    .execute();
  await harness.db.updateTable("robots").set({ last_command_seq: seq }).where("id", "=", robotId).execute();
}

describe("what a person did after the due time comes before a late start", () => {
  test("§7 Groups: both robots are stopped at +5 s, and the one that was silent until then is not started", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const [heard = 0, silent = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    harness.clock.advance(MINUTE_MS);
    await harness.robots.tick([heard]);
    await harness.poll();
    expect(await harness.runs(id)).toMatchObject([{ robot_id: heard, began_at: DUE }]);
    harness.clock.advance(5 * SECOND_MS);
    await harness.press("STOP", heard, group.siteId);
    await harness.press("STOP", silent, group.siteId);
    await seconds(40);
    expect(await outcomes(id)).toEqual([
      [heard, "STOPPED", "STOP"],
      [silent, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text],
    ]);
    expect(await starts(silent)).toEqual([]);
    const audit = await harness.db.selectFrom("audit").selectAll().where("action", "=", "HOLD_SCHEDULED_RUN").execute();
    expect(audit).toMatchObject([
      { actor: "Scheduler", reason: scheduledRunReasons.byPerson("STOP", "Anita Rao").text },
    ]);
  });

  test("protocol rule 3: a Stop pressed while the broker was unreachable is confirmed on its return, and no start follows", async () => {
    const { group, id, robotId, back } = await brokerOutage();
    await harness.press("STOP", robotId, group.siteId);
    await back();
    await harness.servers[0]?.commands.resendPending([robotId]);
    await seconds(40);
    expect(await outcomes(id)).toEqual([[robotId, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text]]);
    expect((await harness.commands(robotId)).map(({ verb }) => verb)).toEqual(["STOP"]);
    expect(await harness.scheduleRow(id)).toMatchObject({ next_run_at: at(24 * 60) });
  });

  test("protocol rule 3: a Stop from before the due time that is confirmed only after it counts too, an older one does not", async () => {
    harness = await ScheduleHarness.open(BEFORE);
    const group = await harness.group(2);
    const [early = 0, pending = 0] = group.robotIds;
    const id = await harness.schedule(group, { startTime: SIX });
    await harness.press("STOP", early, group.siteId);
    const broker = harness.servers[0]?.broker;
    broker?.setConnected(false);
    await harness.press("STOP", pending, group.siteId);
    await harness.until(DUE);
    broker?.setConnected(true);
    await harness.servers[0]?.commands.resendPending([pending]);
    await harness.deliver();
    await seconds(3);
    expect(await outcomes(id)).toEqual([
      [early, null, null],
      [pending, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text],
    ]);
  });

  test.each([
    ["was killed", "killed"],
    ["answered, but had no room on its disk", "full"],
  ] as const)(
    "protocol rule 3: after the database %s nothing starts until Stops sent in the meantime are recorded",
    async (_, fault) => {
      harness = await ScheduleHarness.open(BEFORE, { servers: 0 });
      const interruptible = await InterruptibleDatabase.open(harness.connection);
      harness.addServer(undefined, new MemoryBroker(), interruptible.database.db);
      const group = await harness.group(2);
      const [stopped = 0, other = 0] = group.robotIds;
      const id = await harness.schedule(group, { startTime: SIX });
      await interruptible.setFault(fault);
      harness.clock.advance(MINUTE_MS);
      await harness.poll();
      await interruptible.setFault(null);
      await harness.robots.tick(group.robotIds);
      await harness.poll();
      expect(await starts(other)).toEqual([]);
      // As another server records it, whose Stop went out while nothing could be stored.
      await harness.press("STOP", stopped, group.siteId);
      await seconds(12);
      expect(await outcomes(id)).toEqual([
        [stopped, "SKIPPED", scheduledRunReasons.byPerson("STOP", "Anita Rao").text],
        [other, null, null],
      ]);
      await interruptible.close();
    },
  );

  test("protocol rule 8: locked and released without a start: it stays stopped", async () => {
    const { id, robotId, back } = await brokerOutage();
    await maintenance(robotId, "MAINTENANCE_ON", true);
    await harness.until(at(3));
    await maintenance(robotId, "MAINTENANCE_OFF", true);
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", scheduledRunReasons.byPerson("MAINTENANCE_OFF", "Omkar Jain").text],
    ]);
    expect(await starts(robotId)).toEqual([]);
  });
});

describe("a late run is for the robots that the group had when it was due", () => {
  test("§7 Groups: one that is added after the due time does not start moving", async () => {
    const { group, id, robotId, back } = await brokerOutage();
    const person = await HarnessUser.at(harness);
    const added = await addRobot(harness.db, group.siteId, "NEW-1");
    await harness.robots.add(added);
    await person.regroup(group, [robotId, added.id]);
    await back();
    expect(await outcomes(id)).toEqual([
      [robotId, "SKIPPED", scheduledRunReasons.groupChanged.text],
      [added.id, "SKIPPED", scheduledRunReasons.groupChanged.text],
    ]);
    expect(await starts(added.id)).toEqual([]);
  });

  test("§7 Groups: one that is removed has no run of it, and the next day's runs are of the new group", async () => {
    const { group, id, back } = await brokerOutage(2);
    const [stays = 0, leaves = 0] = group.robotIds;
    await (await HarnessUser.at(harness)).regroup(group, [stays]);
    await back();
    expect(await outcomes(id)).toEqual([[stays, "SKIPPED", scheduledRunReasons.groupChanged.text]]);
    expect(await starts(leaves)).toEqual([]);
    await harness.until(at(24 * 60));
    expect((await outcomes(id)).at(-1)).toEqual([stays, null, null]);
  });
});

describe("switched off or changed while its run waits", () => {
  test.each([
    ["switched off", { status: "INACTIVE" as const }, scheduledRunReasons.switchedOff("Anita Rao").text],
    ["changed", { duration_minutes: 45 }, scheduledRunReasons.edited("Anita Rao").text],
  ])(
    "§7 Groups and schedules: %s during a broker outage: nothing starts afterwards",
    async (_title, change, reason) => {
      const { group, id, robotId, back } = await brokerOutage();
      await (await HarnessUser.at(harness)).edit(id, group, change);
      await back();
      expect(await outcomes(id)).toEqual([[robotId, "SKIPPED", reason]]);
      expect(await harness.commands(robotId)).toEqual([]);
    },
  );
});

test("stack, due work: a year of missed runs does not delay a run that is on time", async () => {
  harness = await ScheduleHarness.open(BEFORE);
  // More than are served in one poll.
  const overdue: number[] = [];
  for (let nth = 1; nth <= 6; nth += 1) {
    overdue.push(await harness.schedule(await harness.group(1), { startTime: SIX, frequency: "DAILY" }));
  }
  await harness.db
    .updateTable("schedules")
    .set({ start_time: "2025-06-15 06:00:00", next_run_at: new Date("2025-06-15T00:30:00Z") })
    .execute();
  const { robotIds, ...group } = await harness.group(1);
  const onTime = await harness.schedule(group, { startTime: SIX });
  harness.clock.advance(MINUTE_MS);
  await harness.robots.tick();
  const look = harness.servers[0]?.scheduler.runOnce();
  const started = async () => (await starts(robotIds[0] ?? 0)).length > 0;
  while (!(await started())) continue;
  const rows = await harness.db.selectFrom("schedules").selectAll().where("id", "!=", onTime).execute();
  expect(rows.filter(({ next_run_at: next }) => next !== null && next > DUE)).toEqual([]);
  await look;
  await harness.deliver();
  for (const id of overdue) expect(await harness.runs(id)).toHaveLength(366);
  expect(await harness.runs(onTime)).toMatchObject([{ began_at: DUE }]);
});
