import { randomUUID } from "node:crypto";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { activityRows, type Person, setState, type TestRobot } from "../../../test/fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";

let harness: TestApp;

beforeAll(async () => {
  harness = await createTestApp();
});
afterAll(() => harness.close());

/** An idle robot that has just reported. */
const idle = {
  online: true,
  session: 3,
  connection: "ONLINE",
  motion: "STOPPED",
  mode: "AUTO",
  robot_status: "idle",
  status: "stop",
  live_at: TEST_NOW,
  last_seq: 0,
  clock_skew_ms: 100,
} as const;

beforeEach(async () => {
  const { db, fixtures } = harness;
  await db.deleteFrom("activity").execute();
  await db.deleteFrom("audit").execute();
  await db.deleteFrom("command_requests").execute();
  await db.deleteFrom("commands").execute();
  harness.broker.published.length = 0;
  harness.broker.setConnected(true);
  await db.updateTable("robots").set({ operating_mode: "auto", last_command_seq: 0 }).execute();
  for (const { id } of [fixtures.ownRobot, fixtures.ownRobot2, fixtures.foreignRobot]) await setState(db, id, idle);
});

async function press(
  command: "START" | "STOP",
  change: Record<string, unknown> = {},
  as: Person = "owner",
  headers: Record<string, string> = {},
) {
  const { ownRobot } = harness.fixtures;
  const client = await harness.as(as);
  const body = { robotId: ownRobot.serial, robotObjectId: ownRobot.id, siteId: ownRobot.siteId, command, ...change };
  return client.raw(sendCommand.path, { method: "POST", body, headers });
}

const activity = () => activityRows(harness.db).execute();
const audit = () => harness.db.selectFrom("audit").selectAll().where("entity", "=", "robot").orderBy("id").execute();

async function insertOpen(verb: "START" | "STOP" | "MAINTENANCE_ON", robot: TestRobot): Promise<void> {
  await harness.db
    .insertInto("commands")
    .values({
      id: randomUUID(),
      robot_id: robot.id,
      site_id: robot.siteId,
      serial_number: robot.serial,
      verb,
      seq: 5,
      session: 3,
      issued_at: TEST_NOW,
      expires_at: new Date(TEST_NOW.getTime() + 5_000),
      settle_by: new Date(TEST_NOW.getTime() + 8_000),
      run_id: verb === "START" ? randomUUID() : null,
      max_duration_s: verb === "START" ? 60 : null,
      params: "{}",
      requested_by: "somebody",
    })
    .execute();
}

describe("protocol rule 2: when START is refused", () => {
  const late = new Date(TEST_NOW.getTime() - 45_001);
  test.each<[string, number, string, (robot: TestRobot) => Promise<unknown>]>([
    ["offline", 504, "is offline", ({ id }) => setState(harness.db, id, { online: false })],
    ["no live state in this session", 504, "is offline", ({ id }) => setState(harness.db, id, { live_at: null })],
    ["no state within 45 s", 504, "45 seconds", ({ id }) => setState(harness.db, id, { live_at: late })],
    ["it moves", 409, "already cleaning", ({ id }) => setState(harness.db, id, { motion: "MOVING" })],
    ["its clock is fast", 409, "clock", ({ id }) => setState(harness.db, id, { clock_skew_ms: 30_001 })],
    ["its clock is slow", 409, "clock", ({ id }) => setState(harness.db, id, { clock_skew_ms: -30_001 })],
    ["the robot says maintenance", 409, "maintenance", ({ id }) => setState(harness.db, id, { mode: "MAINTENANCE" })],
    [
      "the server says maintenance",
      409,
      "maintenance",
      ({ id }) =>
        harness.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", id).execute(),
    ],
    ["a START is open", 409, "Robot not found or already processing", (robot) => insertOpen("START", robot)],
    ["a STOP is unsettled", 409, "last Stop", (robot) => insertOpen("STOP", robot)],
    ["a MAINTENANCE_ON is unsettled", 409, "maintenance", (robot) => insertOpen("MAINTENANCE_ON", robot)],
  ])("protocol rule 2: %s", async (_why, status, words, arrange) => {
    await arrange(harness.fixtures.ownRobot);
    const before = await harness.db.selectFrom("commands").selectAll().execute();
    const answer = await press("START");
    expect(answer).toMatchObject({ status, body: { success: false, message: expect.stringContaining(words) } });
    expect(answer.body).not.toHaveProperty("pending");
    expect(harness.broker.published).toEqual([]);
    expect(await harness.db.selectFrom("commands").selectAll().execute()).toEqual(before);
    const { message: details } = answer.body as { message: string };
    expect(await activity()).toMatchObject([
      {
        action: "START",
        status: "REFUSED",
        command_id: null,
        user_name: "Omkar Jain",
        details,
        params: { robotSerial: "OWN-1", mode: "AUTO", direction: "FWD", "main-speed": 75, "brush-speed": 80 },
      },
    ]);
    expect(await audit()).toMatchObject([{ action: "START_ROBOT", outcome: "REFUSED", reason: details }]);
  });

  test("protocol rule 2: barely fresh or barely in time, and with a warning or a critical status, robots are sent their START", async () => {
    const { ownRobot } = harness.fixtures;
    const fresh = new Date(TEST_NOW.getTime() - 45_000);
    for (const robot_status of ["warning", "critical"] as const) {
      await setState(harness.db, ownRobot.id, { ...idle, live_at: fresh, clock_skew_ms: 30_000, robot_status });
      harness.broker.setConnected(false);
      expect((await press("START")).status).toBe(503);
    }
  });
});

describe("§7 send_command: what a command names", () => {
  test("wire, Commands: robotId, robotObjectId and siteId must name the same robot", async () => {
    const { ownRobot2, secondSiteId } = harness.fixtures;
    const wrong = [{ robotId: ownRobot2.serial }, { robotObjectId: ownRobot2.id }, { siteId: secondSiteId }];
    for (const change of wrong) {
      const answer = await press("START", change);
      expect(answer).toMatchObject({ status: 400, body: { success: false, errors: [{ field: expect.any(String) }] } });
    }
    expect(await activity()).toEqual([]);
  });

  test("§6: what is out of scope answers 404, the same for another partner's and nonexistent, whichever part names it", async () => {
    const { foreignRobot, foreignSiteId } = harness.fixtures;
    const changes = [
      { robotId: foreignRobot.serial },
      { robotId: "NO-SUCH" },
      { robotObjectId: foreignRobot.id },
      { robotObjectId: 999_999 },
      { siteId: foreignSiteId },
      { siteId: 999_999 },
      { robotId: foreignRobot.serial, robotObjectId: foreignRobot.id, siteId: foreignSiteId },
    ];
    for (const command of ["START", "STOP"] as const) {
      for (const change of changes) {
        const answer = await press(command, change);
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: 404,
          body: { success: false, message: "Robot not found or already processing", code: "ROBOT_MISSING_OR_BUSY" },
        });
      }
    }
    expect(await harness.db.selectFrom("commands").selectAll().execute()).toEqual([]);
    expect(await activity()).toEqual([]);
    expect(await audit()).toEqual([]);
    expect(harness.broker.published).toEqual([]);
  });

  test("§7 send_command: digits as text are accepted as ids and speeds", async () => {
    const { ownRobot } = harness.fixtures;
    harness.broker.setConnected(false);
    const answer = await press(
      "START",
      { robotObjectId: String(ownRobot.id), siteId: String(ownRobot.siteId), params: { "main-speed": "40" } },
      "admin",
    );
    expect(answer.status).toBe(503);
    expect(await harness.db.selectFrom("commands").select("params").execute()).toEqual([
      { params: { status: "start", direction: "FWD", "main-speed": 40, "brush-speed": 80 } },
    ]);
  });

  test.each([
    ["a speed above 100", { params: { "main-speed": 101 } }],
    ["a broken speed", { params: { "main-speed": 1.5 } }],
    ["another direction", { params: { direction: "SIDEWAYS" } }],
    ["another command", { command: "SET" }],
    ["another mode", { mode: "MAINTENANCE" }],
    ["no serial number", { robotId: "#" }],
  ])("§7 send_command: %s is 400", async (_what, change) => {
    expect((await press("START", change)).status).toBe(400);
    expect(await activity()).toEqual([]);
  });

  test.each(["a".repeat(201), "line\u0001break", "ключ"])(
    "wire, Commands: a bad Idempotency-Key is 400",
    async (key) => {
      const answer = await press("START", {}, "owner", { "idempotency-key": key });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "Idempotency-Key" }] } });
    },
  );
});

describe("§6 whose speeds a START uses", () => {
  const stored = { direction: "FWD", "main-speed": 75, "brush-speed": 80 };
  test.each<[string, Person, object, object]>([
    ["a PARTNER's speeds are the stored ones", "owner", { "main-speed": 10, "brush-speed": 11 }, stored],
    [
      "a PARTNER chooses the direction",
      "owner",
      { direction: "REV", "main-speed": 10 },
      { ...stored, direction: "REV" },
    ],
    [
      "a Super Admin's params hold",
      "admin",
      { direction: "REV", "main-speed": 10, "brush-speed": 11 },
      { direction: "REV", "main-speed": 10, "brush-speed": 11 },
    ],
    [
      "what a Super Admin leaves out is the stored value",
      "admin",
      { "brush-speed": 11 },
      { ...stored, "brush-speed": 11 },
    ],
  ])("decisions, Roles: %s", async (_what, person, params, expected) => {
    harness.broker.setConnected(false);
    await press("START", { params: { status: "anything", ...params } }, person);
    expect(await harness.db.selectFrom("commands").select("params").execute()).toEqual([
      { params: { status: "start", ...expected } },
    ]);
    expect(await activity()).toMatchObject([{ params: { robotSerial: "OWN-1", mode: "AUTO", ...expected } }]);
    const robot = await harness.db
      .selectFrom("robots")
      .selectAll()
      .where("id", "=", harness.fixtures.ownRobot.id)
      .executeTakeFirst();
    expect(robot).toMatchObject({ cleaning_direction: "FORWARD", main_motor_speed: 75, brush_motor_speed: 80 });
  });
});

describe("device protocol, seq", () => {
  test("device protocol, seq: above the last one, what the robot reported and the time", async () => {
    const { ownRobot } = harness.fixtures;
    harness.broker.setConnected(false);
    const seqs: number[] = [];
    const pressOnce = async () => {
      await press("START");
      const rows = await harness.db.selectFrom("commands").select("seq").orderBy("seq", "desc").limit(1).execute();
      seqs.push(rows[0]?.seq ?? 0);
    };
    await pressOnce();
    await pressOnce();
    await setState(harness.db, ownRobot.id, { last_seq: TEST_NOW.getTime() + 500 });
    await pressOnce();
    // A restored database knows less than the robot.
    await harness.db.deleteFrom("activity").execute();
    await harness.db.deleteFrom("commands").execute();
    await harness.db.updateTable("robots").set({ last_command_seq: 0 }).where("id", "=", ownRobot.id).execute();
    await setState(harness.db, ownRobot.id, { last_seq: TEST_NOW.getTime() + 900 });
    await pressOnce();
    const at = TEST_NOW.getTime();
    expect(seqs).toEqual([at, at + 1, at + 501, at + 901]);
  });
});
