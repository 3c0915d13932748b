import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { seededFirmware, seedFirmware } from "../../../test/firmware-fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { addMonthlyReports, monthlyReportId } from "../../../test/monthly-report-fixtures.ts";
import { createEmptyDatabase } from "../../../test/test-database.ts";
import { databaseNow, type Db, type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { enqueueMail } from "../../platform/mail-outbox.ts";
import { claimAll } from "../commands/public.ts";
import { planReports } from "../monthly-reports/monthly-reports.repository.ts";
import { readFailedStarts } from "../runs/public.ts";
import { restoreBackup, writeBackup } from "./public.ts";

let harness: CommandHarness;
let folder: string;
let path: string;
let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let restored: OpenDatabase | null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-restored-"));
  path = join(folder, "backup.tar");
  empty = await createEmptyDatabase();
  restored = null;
  harness = await CommandHarness.open();
  await harness.live();
});
afterEach(async () => {
  await harness.close();
  await restored?.close();
  await empty.drop();
  await rm(folder, { recursive: true, force: true });
});

async function backUp(): Promise<void> {
  const { connection } = harness;
  const none = { dataDir: null, files: [], secretKey: null, notIncluded: [] };
  await writeBackup({ connection, mode: "production", path, ...none });
}

/** The backup in a database of its own, without a server. */
async function restore(): Promise<OpenDatabase> {
  const { connection } = empty;
  await restoreBackup({ connection, serverAccount: null, mode: "production", path, dataDir: null, secretKey: null });
  restored = openDatabase(connection);
  return restored;
}

/** Repeats the check after every announced change in the restored database, until it succeeds. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const listener = new pg.Client(empty.connection);
  await listener.connect();
  await listener.query("listen suncrew_changes");
  for (;;) {
    const changed = once(listener, "notification");
    if (await check()) break;
    await changed;
  }
  await listener.end();
}

const commandsOf = (db: Db) =>
  db.selectFrom("commands").selectAll().where("robot_id", "=", harness.fixtures.ownRobot.id).orderBy("seq").execute();

describe("protocol rules 1 and 3: after a restore", () => {
  test("a Stop works at once on a robot that has taken newer commands meanwhile", async () => {
    // The backup is taken while a Start is in progress.
    await Promise.all([backUp(), harness.press("START")]);
    await harness.press("STOP");
    // As if a server with a clock that is half a minute ahead had given the next one.
    const ahead = Date.now() + 30_000;
    await harness.db.updateTable("robots").set({ last_command_seq: ahead }).execute();
    await harness.press("START");
    const [newest] = (await harness.commands()).slice(-1);
    expect(newest?.seq).toBe(ahead + 1);
    await harness.server.stop();
    const taken = harness.robot().truth().startsTaken.length;

    const server = await harness.startServer(await restore());
    const answer = await harness.press("STOP", { on: server });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(harness.robot().truth()).toMatchObject({ motion: "STOPPED" });
    expect(harness.robot().truth().startsTaken).toHaveLength(taken);
    // And so does the next Start, which is a person's.
    expect(await harness.press("START", { on: server })).toMatchObject({ status: 200 });
    expect(harness.robot().truth().motion).toBe("MOVING");
  });
});

describe("notifications: after a restore", () => {
  test("nothing old is told: what waits is dropped, alerts that were open are told no more, and later ones are", async () => {
    const { db, fixtures } = harness;
    await harness.server.stop();
    const at = await databaseNow(db);
    const owner = { owner_kind: "PERSON" as const, user_id: fixtures.userIds.admin, timezone: "Asia/Kolkata" };
    const { id: contact_point_id } = await db
      .insertInto("contact_points")
      .values({ name: "Phone", ...owner, channel: "TELEGRAM", address: "7", created_at: at })
      .returning("id")
      .executeTakeFirstOrThrow();
    const base = { message_kind: "ALERTS" as const, contact_point_id, channel: "TELEGRAM" as const, address: "7" };
    const shown = { contact_point_name: "Phone", told: "Anita Rao", title: "Dust", created_at: at };
    await db
      .insertInto("deliveries")
      .values([
        { id: randomUUID(), ...base, ...shown, due_at: at },
        { id: randomUUID(), ...base, ...shown, status: "SENT", settled_at: at },
      ])
      .execute();
    const { id: rule_id } = await db
      .insertInto("notification_rules")
      .values({
        name: "All",
        enabled: true,
        filter: "{}",
        wait_seconds: 0,
        tells_cleared: true,
        steps: "[]",
        created_at: at,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { id: alert_id } = await db
      .insertInto("alerts")
      .values({
        site_id: null,
        robot_id: null,
        source: "SERVER",
        code: "SERVER_CLOCK",
        severity: "CRITICAL",
        text: "A",
        raised_at: at,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db
      .insertInto("alert_notices")
      .values({ alert_id, rule_id, severity: "CRITICAL", noticed_at: at, next_at: at })
      .execute();
    await backUp();

    const { db: past } = await restore();
    const deliveries = await past
      .selectFrom("deliveries")
      .select(["status", "reason_code"])
      .orderBy("status")
      .execute();
    expect(deliveries).toEqual([
      { status: "DROPPED", reason_code: "BEFORE_RESTORE" },
      { status: "SENT", reason_code: null },
    ]);
    expect(await past.selectFrom("alert_notices").select(["next_at", "ended"]).execute()).toEqual([
      { next_at: null, ended: true },
    ]);
    expect(await past.selectFrom("contact_points").select("name").execute()).toEqual([{ name: "Phone" }]);
    const told = () =>
      past
        .selectFrom("alerts as a")
        .innerJoin("notifier_progress as p", (join) => join.onRef("a.change_no", ">=", "p.change_no"))
        .select("a.code")
        .execute();
    expect(await told()).toEqual([]);
    await past
      .insertInto("alerts")
      .values({
        site_id: null,
        robot_id: null,
        source: "SERVER",
        code: "SITE",
        severity: "INFO",
        text: "B",
        raised_at: at,
      })
      .execute();
    expect(await told()).toEqual([{ code: "SITE" }]);
  });
});

describe("protocol rules 1 and 5: whatever a backup says is open or due", () => {
  const after = (at: Date, ms: number) => new Date(at.getTime() + ms);

  /** A planned run of a robot that was due 30 s ago, with its START. */
  async function addDueRun(
    robot: { readonly id: number; readonly siteId: number; readonly serial: string },
    now: Date,
    start: {
      readonly settled_at: Date | null;
      readonly answered_at: Date | null;
      readonly outcome: "NEVER_SENT" | null;
    },
  ): Promise<string> {
    const due_at = after(now, -30_000);
    const [command_id, run_id] = [randomUUID(), randomUUID()];
    const of = { robot_id: robot.id, site_id: robot.siteId, serial_number: robot.serial };
    const times = { issued_at: due_at, expires_at: after(now, 3_600_000), settle_by: after(now, 3_600_000) };
    const by = { action_type: "SCHEDULED", requested_by: "Scheduler", max_duration_s: 3_600 } as const;
    const { session } = await harness.state(
      robot.serial === "OWN-1" ? harness.fixtures.ownRobot : harness.fixtures.ownRobot2,
    );
    await harness.db
      .insertInto("commands")
      .values({
        ...of,
        ...times,
        ...by,
        ...start,
        id: command_id,
        run_id,
        verb: "START",
        seq: due_at.getTime(),
        session,
      })
      .execute();
    const { groupId, scheduleId } = harness.fixtures.ownGroup;
    const plan = {
      group_id: groupId,
      schedule_id: scheduleId,
      planned: true,
      due_at,
      stop_due_at: after(now, 3_600_000),
    };
    const ended = start.outcome === null ? {} : { ended_at: now, outcome: "FAILED" as const, reason: "Not sent." };
    await harness.db
      .insertInto("runs")
      .values({ ...of, ...plan, ...ended, id: run_id, command_id, started_by: "Scheduler", action_type: "SCHEDULED" })
      .execute();
    return command_id;
  }

  test("air and weather of sites are asked for at once, whatever the other servers had begun", async () => {
    const { ownSiteId: site_id } = harness.fixtures;
    await harness.db
      .insertInto("site_inputs")
      .values({
        site_id,
        kind: "AIR",
        asked_for: "",
        attempts: 3,
        failures: 2,
        next_at: new Date("2999-01-01T00:00:00Z"),
      })
      .execute();
    await backUp();
    const { db } = await restore();
    const asked = await db.selectFrom("site_inputs").selectAll().executeTakeFirstOrThrow();
    expect(asked).toMatchObject({ attempts: 4, failures: 0 });
    expect(asked.next_at <= (await databaseNow(db))).toBe(true);
  });

  test("no robot starts because of it, nothing is offered, and nothing is sent twice", async () => {
    const { db, fixtures } = harness;
    const { ownRobot, ownRobot2, ownGroup } = fixtures;
    await harness.live(ownRobot2);
    const oldClient = await harness.server.as("admin");
    await harness.server.stop();
    const now = await databaseNow(db);
    await seedGroups(db, fixtures, "planned");
    await db
      .insertInto("robot_group_members")
      .values({ robot_id: ownRobot2.id, group_id: ownGroup.groupId, site_id: ownRobot2.siteId })
      .execute();
    const openStart = await addDueRun(ownRobot, now, { settled_at: null, answered_at: null, outcome: null });
    await addDueRun(ownRobot2, now, { settled_at: now, answered_at: now, outcome: "NEVER_SENT" });
    // In the next ten minutes it would start late.
    await db
      .updateTable("schedules")
      .set({ next_run_at: after(now, -10_000) })
      .where("id", "=", ownGroup.scheduleId)
      .execute();
    await seedFirmware(db, fixtures);
    // An offer that was not sent yet.
    await db.updateTable("rollout_robots").set({ sent_at: null }).execute();
    await addMonthlyReports(db, fixtures);
    const reportId = monthlyReportId(ownRobot.siteId);
    await enqueueMail(db, "REPORT", reportId, now);
    await db
      .updateTable("kept_reports")
      .set({ mail_status: "PENDING", mail_try_at: after(now, 60_000) })
      .where("id", "=", reportId)
      .execute();
    await db
      .updateTable("report_settings")
      .set({ auto_generate_monthly: true, auto_since: new Date(0) })
      .execute();
    await backUp();
    expect(await claimAll(db, [openStart], randomUUID(), now)).toHaveLength(1);
    expect(await readFailedStarts(db, now)).toHaveLength(1);

    const database = await restore();
    expect(await claimAll(database.db, [openStart], randomUUID(), now)).toEqual([]);
    expect(await readFailedStarts(database.db, now)).toEqual([]);
    await planReports(database.db, now);
    const reports = await database.db
      .selectFrom("kept_reports")
      .select(["id", "mail_status", "mail_reason_code"])
      .execute();
    expect(reports.filter(({ id }) => id === reportId)).toEqual([
      { id: reportId, mail_status: "FAILED", mail_reason_code: "RESTORED" },
    ]);
    expect(reports).toHaveLength(2);
    const mails = await database.db.selectFrom("outgoing_mails").select(["status", "reason_code", "due_at"]).execute();
    expect(mails).toEqual([{ status: "FAILED", reason_code: "RESTORED", due_at: null }]);

    const server = await harness.startServer(database);
    const runs = () => database.db.selectFrom("runs").selectAll().orderBy("due_at", "desc").execute();
    await until(async () => {
      const missed = (await runs()).filter(({ outcome }) => outcome === "MISSED");
      const [start] = await commandsOf(database.db);
      const live = await database.db.selectFrom("robot_state").select("live_at").where("live_at", ">", now).execute();
      return missed.length === 2 && start?.settled_at !== null && live.length >= 2;
    });
    expect((await runs()).slice(0, 2)).toMatchObject([
      { outcome: "MISSED", reason_code: "RUN_BEFORE_RESTORE" },
      { outcome: "MISSED", reason_code: "RUN_BEFORE_RESTORE" },
    ]);
    // It may have been sent: the robot gets a Stop (rule 6), which it confirms, and no other Start.
    const commands = await commandsOf(database.db);
    expect(commands).toMatchObject([
      { verb: "START", outcome: "UNCONFIRMED", published_at: null },
      { verb: "STOP", follows_id: openStart },
    ]);
    for (const robot of [ownRobot, ownRobot2]) {
      expect(harness.robot(robot).truth()).toMatchObject({ motion: "STOPPED", startsTaken: [] });
    }
    const rollout = await database.db.selectFrom("rollouts").selectAll().executeTakeFirstOrThrow();
    expect(rollout).toMatchObject({ id: seededFirmware.rolloutId, state: "PAUSED", reason_code: "RESTORED" });
    const offers = await database.db.selectFrom("rollout_robots").select("sent_at").execute();
    expect(offers).toEqual([{ sent_at: null }]);
    // Sessions have ended; whoever signs in again is let in.
    const again = await server.as("admin");
    expect((await again.call(siteDetails)).status).toBe(200);
    const sent = { headers: { authorization: `Bearer ${oldClient.token}` } };
    expect((await server.app.http.inject({ url: siteDetails.path, ...sent })).statusCode).toBe(401);
  });
});
