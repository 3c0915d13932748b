import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { testSettings } from "../../../test/test-app.ts";
import { updateLateStopAlerts } from "../commands/robot-removal.repository.ts";
import { lockRobots, readOpenCommands } from "../commands/commands.repository.ts";
import { readStillMoving } from "../commands/public.ts";
import { settleConfirmed } from "../commands/settle-by-messages.repository.ts";
import { sweepSilentRobots } from "../devices/presence.repository.ts";
import { allShares } from "../devices/shares.ts";
import { readRobots } from "../robots/robots.queries.ts";
import { closeLostRun, findLostRuns } from "../runs/run-ends.repository.ts";
import { readSites, seenAt } from "../sites/public.ts";
import { AlertWatch } from "./alert-watch.ts";

const MINUTE_MS = 60_000;
/** 05:59 at the harness's sites. */
const BEFORE = new Date("2026-06-15T00:29:00Z");

let harness: ScheduleHarness;
let broker: MemoryBroker;
/** Two servers that check at the same moment. */
let watches: AlertWatch[];

beforeEach(async () => {
  harness = await ScheduleHarness.open(BEFORE);
  broker = new MemoryBroker();
  const parts = {
    db: harness.db,
    clock: harness.clock,
    broker,
    settings: testSettings,
    log: pino({ level: "silent" }),
  };
  watches = ["A", "B"].map((serverName) => new AlertWatch({ ...parts, serverId: randomUUID(), serverName }));
});
afterEach(async () => {
  for (const watch of watches) await watch.stop();
  await harness.close();
});

/** Advances time, has robots report, and both servers check. */
async function pass(minutes: number): Promise<void> {
  await harness.pass(minutes * MINUTE_MS);
  await Promise.all(watches.map((watch) => watch.runOnce()));
}
/** Every alert with its robot, oldest first; the last element says whether it is open. */
async function alerts(): Promise<unknown[][]> {
  const rows = await harness.db.selectFrom("alerts").selectAll().orderBy("raised_at").orderBy("robot_id").execute();
  return rows.map(({ code, severity, robot_id, cleared_at }) => [code, severity, robot_id, cleared_at === null]);
}
const leave = async (robotIds: readonly number[]) => {
  for (const id of robotIds) await harness.robots.leave(id);
};
const setMode = (robotId: number, operating_mode: "auto" | "maintenance") =>
  harness.db.updateTable("robots").set({ operating_mode }).where("id", "=", robotId).execute();

describe("Alerts: offline too long", () => {
  test("a robot offline for 30 minutes has one alert however many servers check, cleared as soon as it is back", async () => {
    const { robotIds } = await harness.group(2);
    const [lost = 0] = robotIds;
    await pass(3);
    await leave([lost]);
    await pass(29.9);
    expect(await alerts()).toEqual([]);
    await pass(0.1);
    await pass(10);
    expect(await alerts()).toEqual([["OFFLINE_TOO_LONG", "WARNING", lost, true]]);
    await harness.robots.back(lost);
    expect(await alerts()).toEqual([["OFFLINE_TOO_LONG", "WARNING", lost, false]]);
    const [reported] = await harness.db.selectFrom("alerts").select(["raised_at", "cleared_at"]).execute();
    expect(reported).toEqual({
      raised_at: new Date(BEFORE.getTime() + 33 * MINUTE_MS),
      cleared_at: new Date(BEFORE.getTime() + 43 * MINUTE_MS),
    });
  });

  test("not while it is in maintenance, nor one that never connected, was retired or deleted", async () => {
    const { robotIds, siteId } = await harness.group(5);
    const [locked = 0, , retired = 0, deleted = 0, reported = 0] = robotIds;
    await harness.db
      .insertInto("devices")
      .values({ serial: "NEVER-1", secret_sha256: Buffer.alloc(32) })
      .execute();
    const never = { site_id: siteId, robot_name: "Never", serial_number: "NEVER-1", installation_date: "2026-01-01" };
    await harness.db.insertInto("robots").values(never).execute();
    await pass(3);
    await setMode(locked, "maintenance");
    await leave([locked, retired, deleted, reported]);
    const device = harness.db.selectFrom("robots").select("serial_number").where("id", "=", retired);
    await harness.db.updateTable("devices").set({ retired_at: BEFORE }).where("serial", "=", device).execute();
    await harness.db.updateTable("robots").set({ deleted_at: BEFORE }).where("id", "=", deleted).execute();
    await pass(31);
    expect(await alerts()).toEqual([["OFFLINE_TOO_LONG", "WARNING", reported, true]]);
    await setMode(reported, "maintenance");
    await pass(1);
    expect(await alerts()).toEqual([["OFFLINE_TOO_LONG", "WARNING", reported, false]]);
  });

  test("a server without its broker, or with it for less than two minutes, raises nothing", async () => {
    const { robotIds } = await harness.group(2);
    for (const watch of watches) await watch.start();
    broker.setConnected(false);
    await leave(robotIds.slice(1));
    await pass(60);
    broker.setConnected(true);
    await pass(1.9);
    expect(await alerts()).toEqual([]);
    await pass(0.1);
    expect(await alerts()).toEqual([["OFFLINE_TOO_LONG", "WARNING", robotIds[1], true]]);
  });
});

describe("Alerts: a whole site going dark is one alert, not twenty", () => {
  test("twenty robots go offline and come back", async () => {
    const { robotIds, siteId } = await harness.group(20);
    // Others are online all the time.
    await harness.group(2);
    const [first = 0, ...others] = robotIds;
    await pass(3);
    await leave(robotIds);
    await pass(4.9);
    expect(await alerts()).toEqual([]);
    await pass(0.1);
    await pass(120);
    expect(await alerts()).toEqual([["SITE_DARK", "CRITICAL", null, true]]);
    const [dark] = await harness.db.selectFrom("alerts").selectAll().execute();
    expect(dark).toMatchObject({ site_id: siteId, serial_number: null, robot_name: null });
    expect(dark?.text).toBe("All 20 robots of the site are offline. Its network or power may be down.");
    // The first to return ends it; the others have five minutes to follow.
    await harness.robots.back(first);
    expect(await alerts()).toEqual([["SITE_DARK", "CRITICAL", null, false]]);
    for (const id of others.slice(0, 17)) await harness.robots.back(id);
    await pass(4.9);
    expect(await alerts()).toHaveLength(1);
    await pass(0.1);
    expect(await alerts()).toEqual([
      ["SITE_DARK", "CRITICAL", null, false],
      ...others.slice(17).map((id) => ["OFFLINE_TOO_LONG", "WARNING", id, true]),
    ]);
  });

  test("a robot that returns in maintenance does not end it; putting the last robot in maintenance does", async () => {
    const { robotIds } = await harness.group(2);
    const [one = 0, two = 0] = robotIds;
    await pass(3);
    await leave(robotIds);
    await pass(5);
    await setMode(one, "maintenance");
    await harness.robots.back(one);
    await pass(1);
    expect(await alerts()).toEqual([["SITE_DARK", "CRITICAL", null, true]]);
    await setMode(two, "maintenance");
    await pass(1);
    expect(await alerts()).toEqual([["SITE_DARK", "CRITICAL", null, false]]);
  });
});

describe("protocol rule 13: a robot that is lost while moving", () => {
  const reported = async () => {
    const rows = await harness.db.selectFrom("alerts").selectAll().orderBy("id").execute();
    return rows.map(({ code, severity, text, cleared_at }) => [code, severity, text, cleared_at === null]);
  };
  /** What the console and the sites show at this moment. */
  const shown = async (robotId: number, siteId: number) => {
    const viewer = { userId: 1, name: "", email: "", role: "SUPER_ADMIN", partnerId: null, sessionId: "" } as const;
    const at = seenAt({ clock: harness.clock, broker, settings: testSettings });
    const [robot] = await readRobots(viewer, harness.db, at, { robotIds: [robotId] });
    const [site] = await readSites(viewer, harness.db, at, { ids: [siteId] });
    return { lost: robot?.lost_while_moving ?? null, sited: site?.may_be_moving_robots };
  };

  test("one Critical alert however many servers check, another text once it must have stopped, cleared when it is seen", async () => {
    const { robotIds, siteId } = await harness.group(2);
    const [lost = 0, idle = 0] = robotIds;
    await harness.press("START", lost, siteId);
    await pass(3);
    await leave([lost, idle]);
    // Within seconds, long before 30 minutes.
    await pass(2 / 60);
    const lostAt = new Date(BEFORE.getTime() + 3 * MINUTE_MS);
    const stopsBy = new Date(lostAt.getTime() + 5 * MINUTE_MS);
    const since = "Lost contact while cleaning at 06:02;";
    expect(await reported()).toEqual([
      ["LOST_WHILE_MOVING", "CRITICAL", `${since} may be moving; stops by itself by 06:07.`, true],
    ]);
    const times = { lost_at: lostAt.toISOString(), stops_by: stopsBy.toISOString() };
    expect(await shown(lost, siteId)).toEqual({ lost: { state: "MAY_BE_MOVING", ...times }, sited: 1 });
    expect(await shown(idle, siteId)).toEqual({ lost: null, sited: 1 });
    await harness.until(stopsBy);
    // It has really stopped by then, by its own clock; this is assumed a minute later.
    expect(harness.robots.motions(lost).at(-1)?.endedAt).toEqual(stopsBy);
    const surely = stopsBy.getTime() + MINUTE_MS;
    await harness.until(new Date(surely - 1));
    await pass(0);
    expect((await shown(lost, siteId)).sited).toBe(1);
    await harness.until(new Date(surely));
    await pass(0);
    expect(await reported()).toContainEqual([
      "LOST_WHILE_MOVING",
      "CRITICAL",
      `${since} must have stopped by itself by 06:07; not seen since.`,
      true,
    ]);
    // Still so when its run has been closed, long after its planned end.
    await pass(120);
    expect(await shown(lost, siteId)).toEqual({ lost: { state: "MUST_HAVE_STOPPED", ...times }, sited: 0 });
    await harness.robots.back(lost);
    expect((await reported()).filter(([code]) => code === "LOST_WHILE_MOVING")).toMatchObject([[{}, {}, {}, false]]);
    expect(await shown(lost, siteId)).toEqual({ lost: null, sited: 0 });
  });

  test("a silent one may still have its broker: it may be moving until its run is over", async () => {
    const { robotIds, siteId } = await harness.group(1);
    const [lost = 0] = robotIds;
    await harness.press("START", lost, siteId);
    await pass(3);
    harness.robots.unheard = true;
    harness.clock.advance(10 * MINUTE_MS);
    await harness.db.transaction().execute((tx) => sweepSilentRobots(tx, allShares, harness.clock.now()));
    for (const watch of watches) await watch.runOnce();
    const [alert] = await reported();
    // Its START was pressed at 05:59 and lets it move for an hour.
    expect(alert?.slice(0, 3)).toEqual([
      "LOST_WHILE_MOVING",
      "CRITICAL",
      "Lost contact while cleaning at 06:02; may be moving; stops by itself by 06:59.",
    ]);
    // Once its run was closed as lost, nothing more is known about it than before.
    harness.clock.advance(70 * MINUTE_MS);
    const at = seenAt({ clock: harness.clock, broker, settings: testSettings });
    const [run] = await findLostRuns(harness.db, at);
    await harness.db.transaction().execute((tx) => closeLostRun(tx, run?.id ?? "", at));
    expect((await shown(lost, siteId)).lost?.state).toBe("MUST_HAVE_STOPPED");
    expect(await readStillMoving(harness.db, [lost], at)).toEqual([]);
  });
});

describe("Alerts: a missed run", () => {
  test("is raised for each robot until the next one is served", async () => {
    const group = await harness.group(2);
    await harness.schedule(group, { startTime: "2026-06-15 06:00:00", frequency: "DAILY" });
    await harness.until("2026-06-15T00:41:00Z");
    const reported = (isOpen: boolean) => group.robotIds.map((id) => ["RUN_MISSED", "WARNING", id, isOpen]);
    expect(await alerts()).toEqual(reported(true));
    const { text } = await harness.db.selectFrom("alerts").select("text").limit(1).executeTakeFirstOrThrow();
    expect(text).toBe("A planned run was missed. Suncrew could not start it within 10 minutes of its time.");
    await harness.until("2026-06-16T00:30:00Z");
    expect(await alerts()).toEqual(reported(false));
  });
});

describe("Alerts: a planned run that did not start, or not to its end", () => {
  const reported = async () => {
    const rows = await harness.db.selectFrom("alerts").select(["code", "text", "cleared_at"]).orderBy("id").execute();
    return rows.flatMap(({ code, text, cleared_at }) =>
      /^RUN_(NOT_STARTED|SKIPPED|CUT_SHORT)$/.test(code) ? [[text, cleared_at === null]] : [],
    );
  };

  test("its Start failed: it is raised with the reason until the next one is served", async () => {
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    await harness.schedule(group, { startTime: "2026-06-15 06:00:00", frequency: "DAILY" });
    harness.clock.advance(MINUTE_MS);
    await harness.robots.tick();
    await harness.servers[0]?.scheduler.runOnce();
    await harness.robots.leave(robotId);
    await harness.pass(10_000);
    const text = expect.stringMatching(/^A planned run did not start\. Robot .* did not confirm/);
    expect(await reported()).toEqual([[text, true]]);
    await harness.robots.back(robotId);
    await harness.pass(MINUTE_MS);
    await harness.until("2026-06-16T00:30:20Z");
    expect(await reported()).toEqual([[text, false]]);
  });

  test("its Start failed and was retried: it is cleared", async () => {
    const group = await harness.group(1);
    await harness.schedule(group, { startTime: "2026-06-15 06:00:00" });
    harness.clock.advance(MINUTE_MS);
    await harness.robots.tick();
    await harness.servers[0]?.scheduler.runOnce();
    harness.servers[0]?.broker.published.splice(0);
    await harness.pass(8_000);
    expect(await reported()).toEqual([[expect.any(String), true]]);
    for (let count = 0; count < 3; count += 1) await harness.pass(1_000);
    expect(await reported()).toEqual([[expect.any(String), false]]);
  });

  test("the robot was offline: raised; it was locked by a person: not raised", async () => {
    const group = await harness.group(2);
    const [offline = 0, locked = 0] = group.robotIds;
    await harness.schedule(group, { startTime: "2026-06-15 06:00:00" });
    await harness.robots.leave(offline, { goodbye: true });
    await harness.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", locked).execute();
    await harness.pass(2 * MINUTE_MS);
    expect(await reported()).toEqual([
      [expect.stringMatching(/^A planned run was skipped\. Robot .* is offline/), true],
    ]);
  });

  test("the robot never came back from it: raised as cut short until the next one is served", async () => {
    const group = await harness.group(1);
    const [robotId = 0] = group.robotIds;
    await harness.schedule(group, { startTime: "2026-06-15 06:00:00", frequency: "DAILY" });
    await harness.until("2026-06-15T00:30:00Z");
    await harness.until("2026-06-15T00:40:00Z");
    await harness.robots.leave(robotId);
    // Its Stop is due before it counts as lost, and waits for it like every Stop.
    await harness.until("2026-06-15T01:00:00Z");
    await harness.until("2026-06-15T01:10:00Z");
    expect(await reported()).toEqual([["A planned run was cut short. The robot lost its connection.", true]]);
    await harness.robots.back(robotId);
    // As the bridge has it: until a Stop is confirmed no Start is sent.
    await harness.servers[0]?.commands.resendPending([robotId]);
    await harness.deliver();
    await harness.until("2026-06-16T00:30:20Z");
    expect(await reported()).toEqual([[expect.any(String), false]]);
  });
});

describe("Alerts: a command that was not confirmed", () => {
  test("a Start's alert stays until the robot confirms one, not just the Stop that Suncrew sends after it", async () => {
    const { robotIds, siteId } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await harness.press("START", robotId, siteId, { lost: true });
    await harness.pass(8_000);
    await harness.pass(1_000);
    const [, follows] = await harness.commands(robotId);
    expect(follows).toMatchObject({ verb: "STOP", outcome: "CONFIRMED" });
    expect(await alerts()).toEqual([["COMMAND_UNCONFIRMED", "WARNING", robotId, true]]);
    await harness.press("START", robotId, siteId);
    expect(await alerts()).toEqual([["COMMAND_UNCONFIRMED", "WARNING", robotId, false]]);
  });

  test("a Stop's is critical until the robot shows that it has stopped", async () => {
    const { robotIds, siteId } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await harness.press("START", robotId, siteId);
    await harness.press("STOP", robotId, siteId, { lost: true });
    await harness.robots.leave(robotId);
    await harness.pass(8_000);
    expect(await alerts()).toEqual([["COMMAND_UNCONFIRMED", "CRITICAL", robotId, true]]);
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await harness.deliver();
    expect(await alerts()).toEqual([["COMMAND_UNCONFIRMED", "CRITICAL", robotId, false]]);
  });

  test("the alert of a late Stop says that the robot may be moving until it must have stopped by itself", async () => {
    const { robotIds, siteId } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await harness.press("START", robotId, siteId);
    await harness.robots.leave(robotId);
    await harness.press("STOP", robotId, siteId, { lost: true });
    const at = () => seenAt({ clock: harness.clock, broker, settings: testSettings });
    const reported = async () => {
      await updateLateStopAlerts(harness.db, at());
      const late = harness.db.selectFrom("alerts").select(["severity", "text", "cleared_at"]);
      return late.where("code", "=", "COMMAND_UNCONFIRMED").executeTakeFirstOrThrow();
    };
    // Five minutes without its broker, and a minute for its clock to differ.
    const surelyStoppedAt = harness.clock.now().getTime() + 6 * MINUTE_MS;
    await harness.until(new Date(surelyStoppedAt - 1));
    expect((await reported()).text).toBe("The robot has not confirmed a Stop. It may be moving.");
    await harness.until(new Date(surelyStoppedAt));
    const stands = "The robot has not confirmed a Stop. It must have stopped by itself; not seen since.";
    expect(await reported()).toEqual({ severity: "CRITICAL", text: stands, cleared_at: null });
    // A server without its broker knows less: it changes nothing back.
    broker.setConnected(false);
    expect((await reported()).text).toBe(stands);
    broker.setConnected(true);
    await harness.robots.back(robotId);
    await harness.servers[0]?.commands.resendPending([robotId]);
    await harness.deliver();
    expect((await reported()).cleared_at).not.toBeNull();
  });

  test("new settings that were not confirmed leave nothing open, and confirmed ones clear no alert of a late Stop", async () => {
    const { robotIds, siteId } = await harness.group(1);
    const [robotId = 0] = robotIds;
    const set = async (issuedAt: Date) => {
      const now = harness.clock.now();
      const { rows } = await sql<{ id: string }>`
        insert into commands (id, robot_id, site_id, serial_number, seq, session, verb, params, issued_at, expires_at,
          settle_by, claimed_by, claimed_at, mode, action_type, requested_by)
        select gen_random_uuid(), r.id, r.site_id, r.serial_number, s.last_seq + 1000000, s.session, 'SET',
          '{"main-speed": 40}', ${issuedAt}, ${now}, ${now}, gen_random_uuid(), ${now}, 'MANUAL', 'MANUAL', 'Asha Verma'
        from robots r join robot_state s on s.robot_id = r.id where r.id = ${robotId} returning id`.execute(harness.db);
      return rows[0]?.id ?? "";
    };
    await set(harness.clock.now());
    await harness.pass(1_000);
    const [late] = await harness.commands(robotId);
    expect(late).toMatchObject({ verb: "SET", outcome: "UNCONFIRMED" });
    expect(await alerts()).toEqual([]);

    await harness.press("START", robotId, siteId);
    await harness.press("STOP", robotId, siteId, { lost: true });
    await harness.robots.leave(robotId);
    await harness.pass(8_000);
    const stop = ["COMMAND_UNCONFIRMED", "CRITICAL", robotId, true];
    expect(await alerts()).toEqual([stop]);
    const id = await set(harness.clock.now());
    await harness.db.transaction().execute(async (tx) => {
      const robot = (await lockRobots(tx, [robotId])).get(robotId);
      const command = (await readOpenCommands(tx, [robotId])).find((each) => each.id === id);
      if (robot && command) await settleConfirmed(tx, [{ robot, command }], harness.clock.now());
    });
    expect((await harness.commands(robotId)).at(-1)).toMatchObject({ verb: "SET", outcome: "CONFIRMED" });
    expect(await alerts()).toEqual([stop]);
  });

  test("a Stop for a robot that was moving when it was lost is alerted immediately", async () => {
    const { robotIds, siteId } = await harness.group(1);
    const [robotId = 0] = robotIds;
    await harness.press("START", robotId, siteId);
    await harness.robots.leave(robotId);
    await harness.press("STOP", robotId, siteId, { lost: true });
    expect(await alerts()).toEqual([["COMMAND_UNCONFIRMED", "CRITICAL", robotId, true]]);
  });
});
