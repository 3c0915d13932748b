import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import {
  createRobot,
  createRobots,
  deleteRobot,
  robotTypes,
  serialNumbers,
} from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings, robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addDevice, FREE_SERIAL, type Person, setState, type TestRobot } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const form = { robot_name: "Row 7", installation_date: "2024-02-29", motor_type: "BLDC", control_type: "PLC" };

async function create(change: Record<string, unknown> = {}, who: Person = "owner") {
  const body = { site_id: server.fixtures.ownSiteId, serial_number: FREE_SERIAL, ...form, ...change };
  return (await server.as(who)).raw(createRobot.path, { method: "POST", body });
}

async function update(robot: TestRobot, change: Record<string, unknown> = {}, who: Person = "owner") {
  const body = { site_id: robot.siteId, serial_number: robot.serial, ...form, ...change };
  return (await server.as(who)).raw(`/api/robots/update/${robot.id}`, { method: "PUT", body });
}

const remove = async (robot: Pick<TestRobot, "id">, who: Person = "owner") =>
  (await server.as(who)).call(deleteRobot, { params: { id: robot.id } });

const robotsAt = async (siteId: number) => (await server.as("admin")).ask(robotsList, { params: { siteId } });

async function audits(action: string) {
  return server.db
    .selectFrom("audit")
    .select(["outcome", "entity_id", "site_id", "reason", "actor"])
    .where("action", "=", action)
    .orderBy("id")
    .execute();
}

describe("§7 Robots: create", () => {
  test("a robot exists with its initial values, offline until it reports, and counts at its site", async () => {
    const { status, body } = await create({ battery_level: "64", operating_mode: "MANUAL", firmware_version: "2.1.0" });
    expect([status, body]).toEqual([201, { message: "Robot created successfully", robotId: expect.any(Number) }]);
    const robot = (await robotsAt(server.fixtures.ownSiteId)).find(
      ({ serial_number }) => serial_number === FREE_SERIAL,
    );
    expect(robot).toMatchObject({
      ...form,
      status: "offline",
      battery_level: 64,
      operating_mode: "manual",
      firmware_version: "2.1.0",
      version: 1,
    });
    const [site] = (await (await server.as("owner")).ask(siteDetails)).filter(({ name }) => name === "Ownfield Park");
    expect(site?.robot_count).toBe(3);
    expect(await audits("CREATE_ROBOT")).toMatchObject([{ outcome: "DONE", actor: "Omkar Jain" }]);
  });

  test("§9 New robot defaults: battery 100, mode auto, firmware 1.0.0; motor and control type are optional", async () => {
    await create({ motor_type: "", control_type: undefined });
    const robot = (await robotsAt(server.fixtures.ownSiteId)).find(
      ({ serial_number }) => serial_number === FREE_SERIAL,
    );
    expect(robot).toMatchObject({
      battery_level: 100,
      operating_mode: "auto",
      firmware_version: "1.0.0",
      motor_type: null,
      control_type: null,
    });
  });

  test.each([
    ["robot_name", "  ", "Robot name is required"],
    ["robot_name", undefined, "Robot name is required"],
    ["serial_number", "", "Serial number is required"],
    ["installation_date", "", "Installation date must be a date, YYYY-MM-DD"],
    ["installation_date", "2025-02-29", "Installation date must be a date, YYYY-MM-DD"],
    ["serial_number", "NONE-1", "NONE-1 is not the serial number of a device that is allocated to your company."],
  ])("§5 Robot form: %s as %j is refused at its field", async (field, value, message) => {
    const code = value === "NONE-1" ? "SERIAL_UNKNOWN" : "VALIDATION_FAILED";
    const { status, body } = await create({ [field]: value });
    expect([status, body]).toEqual([400, { message: expect.any(String), code, errors: [{ field, message }] }]);
  });

  test("a retired device is refused", async () => {
    await server.db.updateTable("devices").set({ retired_at: TEST_NOW }).where("serial", "=", FREE_SERIAL).execute();
    const { status, body } = await create();
    expect([status, body]).toMatchObject([400, { errors: [{ field: "serial_number" }] }]);
  });

  test("a serial number that another partner's robot uses is refused like a nonexistent one", async () => {
    const { status, text } = await create({ serial_number: "FAR-1" });
    const unknown = await create({ serial_number: "NONE-1" });
    expect([status, text]).toEqual([400, unknown.text.replaceAll("NONE-1", "FAR-1")]);
    await server.db.deleteFrom("audit").where("reason", "like", "NONE-1%").execute();
    expect(await audits("CREATE_ROBOT")).toMatchObject([{ outcome: "REFUSED", entity_id: null }]);
  });

  test.each([
    ["OWN-1", 409],
    ["O W N - 1", 409],
    ["OWN\u00a0-\u20031", 409],
    ["own-1", 201],
    ["FAR-1", 201],
  ])(
    "§5 Robot form: the name %j beside OWN-1: spaces are ignored, case is not, other sites do not matter",
    async (robot_name, status) => {
      const answer = await create({ robot_name });
      const message = "Robot name already exists for this site";
      const refusal = JSON.stringify({ message, code: "ROBOT_NAME_TAKEN", errors: [{ field: "robot_name", message }] });
      expect([answer.status, answer.text === refusal]).toEqual([status, status === 409]);
    },
  );

  test("a name and serial number of a deleted robot are free again", async () => {
    await remove(server.fixtures.ownRobot);
    expect((await create({ robot_name: "OWN-1", serial_number: "OWN-1" })).status).toBe(201);
  });

  test("a partner cannot add a robot at another's site", async () => {
    const { foreignSiteId: site_id } = server.fixtures;
    await addDevice(server.db, "SPARE-1");
    expect((await create({ site_id })).status).toBe(404);
    expect((await create({ site_id, serial_number: "SPARE-1" }, "admin")).status).toBe(201);
  });

  test("of many created concurrently with one serial number, or one name, exactly one is", async () => {
    const many = Array.from({ length: 6 }, (_, nth) => nth);
    const bySerial = await Promise.all(many.map((nth) => create({ robot_name: `Row ${nth}` })));
    for (const nth of many) await addDevice(server.db, `MORE-${nth}`, server.fixtures.ownerPartnerId);
    const byName = await Promise.all(
      many.map((nth) => create({ robot_name: nth % 2 === 0 ? "One name" : "Onename", serial_number: `MORE-${nth}` })),
    );
    for (const answers of [bySerial, byName]) {
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
    }
  });
});

describe("§7 Robots: update", () => {
  test("the form is stored and its version counted; an edit of an older version changes nothing", async () => {
    const { ownRobot } = server.fixtures;
    const change = { robot_name: "East", motor_type: "AC", installation_date: "2025-01-01", version: 1 };
    expect((await update(ownRobot, change)).body).toEqual({ message: "Robot updated successfully" });
    const late = await update(ownRobot, { robot_name: "West", version: 1 });
    const message = "Somebody else has changed this robot in the meantime.";
    expect([late.status, late.body]).toEqual([
      409,
      { message, code: "EDIT_CONFLICT", errors: [{ field: "version", message }] },
    ]);
    const robot = (await robotsAt(ownRobot.siteId)).find(({ id }) => id === ownRobot.id);
    expect(robot).toMatchObject({ robot_name: "East", motor_type: "AC", installation_date: "2025-01-01", version: 2 });
    expect((await audits("UPDATE_ROBOT")).map(({ outcome }) => outcome)).toEqual(["DONE", "REFUSED"]);
  });

  test("a robot whose device was retired can be renamed, and given another device", async () => {
    const { ownRobot } = server.fixtures;
    await server.db.updateTable("devices").set({ retired_at: TEST_NOW }).where("serial", "=", "OWN-1").execute();
    expect((await update(ownRobot, { robot_name: "East" })).status).toBe(200);
    expect((await update(ownRobot, { serial_number: FREE_SERIAL })).status).toBe(200);
    expect((await update(ownRobot, { serial_number: "OWN-1" })).status).toBe(400);
  });

  test("an edit that changes nothing succeeds and counts as none", async () => {
    const { ownRobot } = server.fixtures;
    await update(ownRobot);
    expect((await update(ownRobot)).status).toBe(200);
    expect((await robotsAt(ownRobot.siteId)).find(({ id }) => id === ownRobot.id)?.version).toBe(2);
  });

  test("§5 Robot form: its own name and serial number are no duplicates, another's are", async () => {
    const { ownRobot } = server.fixtures;
    expect((await update(ownRobot, { robot_name: "OWN-1" })).status).toBe(200);
    expect((await update(ownRobot, { robot_name: "OWN-2" })).status).toBe(409);
    expect((await update(ownRobot, { serial_number: "OWN-2" })).status).toBe(409);
  });

  test("another serial number is another machine: its state starts afresh, open commands and alerts end", async () => {
    const { ownRobot } = server.fixtures;
    // Without its broker for long enough to have stopped, so the pending Stop no longer blocks it.
    const longAgo = new Date(TEST_NOW.getTime() - 360_000);
    await setState(server.db, ownRobot.id, {
      session: 41,
      battery: 12,
      status: "stop",
      motion: "STOPPED",
      live_at: longAgo,
      connection: "CONNECTION_BROKEN",
      connection_at: longAgo,
    });
    const admin = await server.as("admin");
    const body = { robotId: "OWN-1", robotObjectId: ownRobot.id, siteId: ownRobot.siteId, command: "STOP" } as const;
    expect((await admin.call(sendCommand, { body })).status).toBe(504);
    await server.db
      .insertInto("alerts")
      .values({
        robot_id: ownRobot.id,
        site_id: ownRobot.siteId,
        source: "ROBOT",
        code: "X",
        severity: "INFO",
        text: "X",
        raised_at: TEST_NOW,
      })
      .execute();
    expect((await update(ownRobot, { serial_number: FREE_SERIAL })).status).toBe(200);
    const state = await server.db
      .selectFrom("robot_state")
      .selectAll()
      .where("robot_id", "=", ownRobot.id)
      .executeTakeFirstOrThrow();
    expect(state).toMatchObject({ session: 0, battery: null, live_at: null, online: false, site_id: ownRobot.siteId });
    expect(await server.db.selectFrom("commands").select("outcome").execute()).toEqual([{ outcome: "UNCONFIRMED" }]);
    const robots = await admin.ask(robotDetailsWithSettings, { params: { siteId: ownRobot.siteId } });
    expect(robots.robots.find(({ robot_id }) => robot_id === ownRobot.id)).toMatchObject({
      serial_number: FREE_SERIAL,
      battery_level: 100,
      alerts: [],
      open_command: null,
    });
    const numbers = await admin.ask(serialNumbers);
    expect(numbers.find(({ serial_number }) => serial_number === "OWN-1")).toEqual({
      serial_number: "OWN-1",
      assigned: false,
    });
  });

  test("a robot moves to another site of the viewer's with its state; history stays where it was", async () => {
    const { ownRobot, secondSiteId, foreignSiteId } = server.fixtures;
    await setState(server.db, ownRobot.id, { session: 41, battery: 12, live_at: TEST_NOW });
    await server.db
      .insertInto("readings")
      .values({
        robot_id: ownRobot.id,
        site_id: ownRobot.siteId,
        received_at: TEST_NOW,
        robot_ts: TEST_NOW,
        session: 41,
        seq: 1,
        status: "stop",
        robot_status: "idle",
        motion: "STOPPED",
        mode: "AUTO",
        battery: 12,
        charging: false,
      })
      .execute();
    expect((await update(ownRobot, { site_id: foreignSiteId })).status).toBe(404);
    expect((await update(ownRobot, { site_id: secondSiteId })).status).toBe(200);
    expect(await robotsAt(secondSiteId)).toMatchObject([{ id: ownRobot.id, battery_level: 12, site_id: secondSiteId }]);
    expect(await server.db.selectFrom("readings").select("site_id").execute()).toEqual([{ site_id: ownRobot.siteId }]);
  });

  test.each([
    ["in a group", 'Robot OWN-1 is in the group "Ownfield East". Take it out of the group first.'],
    ["cleaning", "Robot OWN-1 is cleaning. Stop it first."],
    ["in maintenance", "Robot OWN-1 is in maintenance. Exit maintenance first."],
  ])("a robot %s keeps its serial number, the answer says why, and its name can be changed", async (how, reason) => {
    const { ownRobot } = server.fixtures;
    await bind(how);
    const { status, body } = await update(ownRobot, { serial_number: FREE_SERIAL });
    const message = `The serial number cannot be changed now. ${reason}`;
    expect([status, body]).toEqual([
      409,
      { message, code: "ROBOT_NOT_REPLACEABLE", errors: [{ field: "serial_number", message }] },
    ]);
    expect((await update(ownRobot)).status).toBe(200);
  });

  test.each(["in a group", "cleaning"])(
    "a robot %s keeps its site; one in maintenance may move with its lock",
    async (how) => {
      const { ownRobot, ownRobot2, secondSiteId } = server.fixtures;
      await bind(how);
      expect((await update(ownRobot, { site_id: secondSiteId })).body).toMatchObject({
        errors: [{ field: "site_id" }],
      });
      await bind("in maintenance", ownRobot2);
      expect((await update(ownRobot2, { site_id: secondSiteId })).status).toBe(200);
    },
  );

  test("another partner's and a nonexistent one look the same", async () => {
    const { foreignRobot } = server.fixtures;
    const answers = [
      await update(foreignRobot),
      await update({ ...foreignRobot, id: 999_999 }),
      await remove(foreignRobot),
    ];
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array.from({ length: 3 }, () => '404 {"message":"Robot not found","code":"ROBOT_NOT_FOUND"}'),
    );
  });
});

/** Brings a robot into a condition that blocks changes. */
async function bind(how: string, robot: TestRobot = server.fixtures.ownRobot): Promise<void> {
  if (how === "in a group") await seedGroups(server.db, server.fixtures, "planned");
  if (how === "cleaning") await setState(server.db, robot.id, { online: true, motion: "MOVING", live_at: TEST_NOW });
  if (how === "in maintenance") {
    await server.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", robot.id).execute();
  }
}

describe("§7 Robots: delete", () => {
  test("a stopped robot disappears everywhere, its serial number is free, its history stays", async () => {
    const { ownRobot } = server.fixtures;
    expect((await remove(ownRobot)).body).toEqual({ message: "Robot deleted successfully" });
    expect((await robotsAt(ownRobot.siteId)).map(({ id }) => id)).not.toContain(ownRobot.id);
    expect((await remove(ownRobot)).status).toBe(404);
    const numbers = await (await server.as("owner")).ask(serialNumbers);
    expect(numbers).toContainEqual({ serial_number: "OWN-1", assigned: false });
    const stored = await server.db.selectFrom("robots").select("robot_name").where("id", "=", ownRobot.id).execute();
    expect(stored).toEqual([{ robot_name: "OWN-1" }]);
    expect(await audits("DELETE_ROBOT")).toMatchObject([{ outcome: "DONE", site_id: ownRobot.siteId }]);
  });

  test.each([
    ["in a group", 'Robot OWN-1 is in the group "Ownfield East". Take it out of the group first.'],
    ["cleaning", "Robot OWN-1 is cleaning. Stop it first."],
  ])("§8 Delete robot: one %s is refused with 400 and the reason", async (how, message) => {
    await bind(how);
    const { status, body } = await remove(server.fixtures.ownRobot);
    expect([status, body]).toEqual([400, { message, code: "ROBOT_NOT_REMOVABLE" }]);
    expect(await audits("DELETE_ROBOT")).toMatchObject([{ outcome: "REFUSED", reason: message }]);
  });
});

test("§9 Assignable serial numbers: every device that is not retired, 9 before 10; a partner's own for a partner", async () => {
  const { ownerPartnerId, strangerPartnerId } = server.fixtures;
  for (const serial of ["SCR-10", "SCR-11"]) await addDevice(server.db, serial, ownerPartnerId);
  await addDevice(server.db, "SCR-9");
  await addDevice(server.db, "SCR-12", strangerPartnerId);
  await server.db.updateTable("devices").set({ retired_at: TEST_NOW }).where("serial", "=", "SCR-11").execute();
  const numbers = (...serials: string[]) =>
    serials.map((serial_number) => ({ serial_number, assigned: /^(OWN|FAR)/.test(serial_number) }));
  expect(await (await server.as("admin")).ask(serialNumbers)).toEqual(
    numbers("FAR-1", "FREE-1", "OWN-1", "OWN-2", "SCR-9", "SCR-10", "SCR-12"),
  );
  expect(await (await server.as("owner")).ask(serialNumbers)).toEqual(numbers("FREE-1", "OWN-1", "OWN-2", "SCR-10"));
  expect(await (await server.as("stranger")).ask(serialNumbers)).toEqual(numbers("FAR-1", "SCR-12"));
});

test("robot types: those in use at the viewer's sites, each once; none of another partner's or a deleted robot's", async () => {
  const { ownRobot, foreignRobot } = server.fixtures;
  const set = (id: number, motor_type: string | null, control_type: string | null) =>
    server.db.updateTable("robots").set({ motor_type, control_type }).where("id", "=", id).execute();
  await server.db.updateTable("robots").set({ motor_type: "BLDC", control_type: "" }).execute();
  await set(ownRobot.id, "Servo", "PLC");
  await set(foreignRobot.id, "Hub", null);
  const typesOf = async (who: "owner" | "stranger" | "admin") => (await server.as(who)).ask(robotTypes);
  expect(await typesOf("owner")).toEqual({ motor_types: ["BLDC", "Servo"], control_types: ["PLC"] });
  expect(await typesOf("stranger")).toEqual({ motor_types: ["Hub"], control_types: [] });
  expect(await typesOf("admin")).toEqual({ motor_types: ["BLDC", "Hub", "Servo"], control_types: ["PLC"] });
  expect((await remove(ownRobot)).status).toBe(200);
  expect(await typesOf("owner")).toEqual({ motor_types: ["BLDC"], control_types: [] });
});

describe("robots of a range", () => {
  const many = { installation_date: "2024-02-29", motor_type: "BLDC" };
  const addMany = async (serial_numbers: string[], who: Person = "owner", site_id = server.fixtures.ownSiteId) =>
    (await server.as(who)).call(createRobots, { body: { site_id, serial_numbers, ...many } });

  test("each that nothing prevents is created, named by its serial number; the others say why; both are audited", async () => {
    await addDevice(server.db, "SCR-21", server.fixtures.ownerPartnerId);
    await addDevice(server.db, "SCR-22", server.fixtures.strangerPartnerId);
    const { status, body } = await addMany(["SCR-21", "OWN-1", "SCR-22", "SCR-23", FREE_SERIAL, "SCR-21"]);
    expect(status).toBe(200);
    const unknown = (serial: string) =>
      `${serial} is not the serial number of a device that is allocated to your company.`;
    expect(body).toEqual({
      message: "2 of 5 robots were created.",
      robots: [
        { serial_number: "SCR-21", robot_id: expect.any(Number), reason: null },
        {
          serial_number: "OWN-1",
          robot_id: null,
          reason: "Another robot already has the serial number OWN-1. Robot name already exists for this site",
        },
        { serial_number: "SCR-22", robot_id: null, reason: unknown("SCR-22") },
        { serial_number: "SCR-23", robot_id: null, reason: unknown("SCR-23") },
        { serial_number: FREE_SERIAL, robot_id: expect.any(Number), reason: null },
      ],
    });
    expect(await robotsAt(server.fixtures.ownSiteId)).toContainEqual(
      expect.objectContaining({ serial_number: "SCR-21", robot_name: "SCR-21", motor_type: "BLDC", status: "offline" }),
    );
    expect((await audits("CREATE_ROBOT")).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["DONE", null],
      ["REFUSED", expect.stringContaining("OWN-1")],
      ["REFUSED", unknown("SCR-22")],
      ["REFUSED", unknown("SCR-23")],
      ["DONE", null],
    ]);
  });

  test("another partner's site is as if it did not exist, and nothing is stored; more than 500 are refused", async () => {
    expect((await addMany([FREE_SERIAL], "owner", server.fixtures.foreignSiteId)).status).toBe(404);
    const tooMany = await addMany(Array.from({ length: 501 }, (_, nth) => `R-${nth}`));
    expect([tooMany.status, tooMany.body]).toEqual([
      400,
      expect.objectContaining({
        errors: [{ field: "serial_numbers", message: expect.stringContaining("at most 500") }],
      }),
    ]);
    expect(await audits("CREATE_ROBOT")).toEqual([]);
  });
});
