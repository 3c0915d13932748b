import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { allocateDevices, deviceList } from "@suncrew/contract/devices/devices.ts";
import { createRobot, deleteRobot, serialNumbers, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { importRobots } from "@suncrew/contract/robots/robot-files.ts";
import { updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addDevice, FREE_SERIAL, type Person, type TestRobot } from "../../../test/fixtures.ts";
import { holdLock, untilBlocked } from "../../../test/row-locks.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  await addDevice(server.db, "SPARE-1");
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(() => restorePoint.restore());
afterAll(() => server.close());

const form = { installation_date: "2024-02-29", motor_type: "BLDC", control_type: "PLC" };

async function create(serial_number: string, site_id: number, who: Person) {
  return (await server.as(who)).call(createRobot, {
    body: { ...form, site_id, serial_number, robot_name: serial_number },
  });
}

async function edit(robot: TestRobot, change: { serial_number?: string; site_id?: number }, who: Person) {
  const body = { ...form, robot_name: "Row 7", site_id: robot.siteId, serial_number: robot.serial, ...change };
  return (await server.as(who)).call(updateRobot, { params: { id: robot.id }, body });
}

async function remove({ id }: Pick<TestRobot, "id">, who: Person): Promise<void> {
  await (await server.as(who)).ask(deleteRobot, { params: { id } });
}

async function giveSite(id: number, partnerId: number) {
  const place = { address: "a", district: "b", state: "c", pin_code: "342301", latitude: 12.5, longitude: 77.25 };
  const body = { name: "Given Park", ...place, commissioning_date: "2023-03-31", maintenance_partner_id: partnerId };
  return (await server.as("admin")).call(updateSite, { params: { id }, body });
}

const allocate = async (serial: string, partner_id: number) =>
  (await server.as("admin")).call(allocateDevices, { body: { serials: [serial], partner_id } });

async function partnerOf(serial: string): Promise<number | undefined> {
  const devices = await (await server.as("admin")).ask(deviceList);
  return devices.find((device) => device.serial === serial)?.partner.id;
}

const serialsOf = async (who: Person) =>
  (await (await server.as(who)).ask(serialNumbers)).map(({ serial_number }) => serial_number);

/** The answers to a partner that tries to claim a machine by each possible call, with the serial number removed. */
async function claims(serial: string, who: "owner" | "stranger"): Promise<string[]> {
  const { ownSiteId, foreignSiteId, ownRobot2, foreignRobot } = server.fixtures;
  const robot = who === "owner" ? ownRobot2 : foreignRobot;
  const [siteId, site] = who === "owner" ? [ownSiteId, "Ownfield Park"] : [foreignSiteId, "Farfield Park"];
  const csv = `site,serial_number,robot_name,installation_date\n${site},${serial},Row 7,2024-02-29\n`;
  const client = await server.as(who);
  const answers = [
    await create(serial, siteId, who),
    await edit(robot, { serial_number: serial }, who),
    await client.call(importRobots, { body: { csv, apply: false } }),
    await client.call(importRobots, { body: { csv, apply: true } }),
  ];
  return answers.map(({ status, text }) => `${status} ${text.replaceAll(serial, "...")}`);
}

/** All of them are answered as for a nonexistent device. */
async function expectUnknown(serial: string, who: "owner" | "stranger"): Promise<void> {
  expect(await claims(serial, who)).toEqual(await claims("NONE-1", who));
  expect(await serialsOf(who)).not.toContain(serial);
}

describe("§6 PARTNER: a machine that is not allocated to the partner seems not to exist", () => {
  test("so it is refused with 400 at the serial number, in the preview of an import too", async () => {
    const [created, , previewed] = await claims("NONE-1", "owner");
    const message = "... is not the serial number of a device that is allocated to your company.";
    expect(created).toBe(
      `400 ${JSON.stringify({ message, code: "SERIAL_UNKNOWN", errors: [{ field: "serial_number", message }] })}`,
    );
    expect(previewed).toContain(message);
  });

  test("another's robot uses it or did a minute ago, or it is free but allocated to another partner or the operator", async () => {
    const { strangerPartnerId, foreignRobot } = server.fixtures;
    await expectUnknown("FAR-1", "owner");
    await expectUnknown("SPARE-1", "owner");
    await allocate("SPARE-1", strangerPartnerId);
    await expectUnknown("SPARE-1", "owner");
    await remove(foreignRobot, "stranger");
    await expectUnknown("FAR-1", "owner");
  });

  test("after deleting the robot, the partner can add the same machine again; after a replacement, too", async () => {
    const { ownRobot, ownRobot2, ownSiteId } = server.fixtures;
    await remove(ownRobot, "owner");
    expect((await create("OWN-1", ownSiteId, "owner")).status).toBe(201);
    expect((await edit(ownRobot2, { serial_number: FREE_SERIAL }, "owner")).status).toBe(200);
    await expectUnknown("OWN-2", "stranger");
    expect((await create("OWN-2", server.fixtures.secondSiteId, "owner")).status).toBe(201);
  });

  test("so it cannot be started: no attempt makes it a robot, and no order by its serial number is stored", async () => {
    const { foreignRobot, ownRobot, ownSiteId: siteId } = server.fixtures;
    await remove(foreignRobot, "stranger");
    await claims("FAR-1", "owner");
    const owner = await server.as("owner");
    for (const robotObjectId of [ownRobot.id, foreignRobot.id]) {
      const body = { robotId: "FAR-1", robotObjectId, siteId, command: "START" } as const;
      expect((await owner.call(sendCommand, { body })).status).toBe(404);
    }
    const rows = server.db.selectFrom("commands").select("id").where("serial_number", "=", "FAR-1");
    expect(await rows.execute()).toEqual([]);
  });

  test("its own retired one is reported as such", async () => {
    await server.db.updateTable("devices").set({ retired_at: new Date() }).where("serial", "=", FREE_SERIAL).execute();
    const { text } = await create(FREE_SERIAL, server.fixtures.ownSiteId, "owner");
    expect(text).toContain(`The device ${FREE_SERIAL} has been retired.`);
    await expectUnknown(FREE_SERIAL, "stranger");
  });
});

describe("§6: a machine belongs to the partner whose site it is at", () => {
  test("a robot that moves takes its machine along, and the former partner cannot have it back", async () => {
    const { ownRobot, foreignSiteId, strangerPartnerId } = server.fixtures;
    expect((await edit(ownRobot, { site_id: foreignSiteId }, "admin")).status).toBe(200);
    expect(await partnerOf("OWN-1")).toBe(strangerPartnerId);
    await remove(ownRobot, "stranger");
    await expectUnknown("OWN-1", "owner");
    expect((await create("OWN-1", foreignSiteId, "stranger")).status).toBe(201);
  });

  test("a site that changes partner takes its machines along; free ones last used there go to the operator", async () => {
    const { ownRobot, ownSiteId, secondSiteId, ownRobot2, strangerPartnerId } = server.fixtures;
    expect((await create(FREE_SERIAL, secondSiteId, "owner")).status).toBe(201);
    await remove(ownRobot, "owner");
    expect((await giveSite(ownSiteId, strangerPartnerId)).status).toBe(200);
    expect([await partnerOf("OWN-1"), await partnerOf("OWN-2")]).toEqual([1, strangerPartnerId]);
    expect(await partnerOf(FREE_SERIAL)).toBe(server.fixtures.ownerPartnerId);
    // Whether the machine is still there is unknown.
    for (const who of ["owner", "stranger"] as const) expect(await serialsOf(who)).not.toContain("OWN-1");
    expect((await create("OWN-1", secondSiteId, "owner")).status).toBe(400);
    await remove(ownRobot2, "stranger");
    expect((await create("OWN-2", secondSiteId, "owner")).status).toBe(400);
    expect((await create("OWN-2", ownSiteId, "stranger")).status).toBe(201);
  });

  test("a free one that was allocated by hand since stays, whatever happens to the site where it was used", async () => {
    const { ownRobot, ownSiteId, ownerPartnerId, strangerPartnerId } = server.fixtures;
    await remove(ownRobot, "owner");
    await allocate("OWN-1", 1);
    await allocate("OWN-1", ownerPartnerId);
    await giveSite(ownSiteId, strangerPartnerId);
    expect(await partnerOf("OWN-1")).toBe(ownerPartnerId);
  });
});

describe("§6 SUPER_ADMIN: the operator's devices go anywhere, a partner's to its own sites", () => {
  test("one that is allocated to another partner is refused with its name, by every call", async () => {
    const { foreignSiteId, foreignRobot } = server.fixtures;
    const message = `The device ${FREE_SERIAL} is allocated to Owncare Services, which does not maintain this site. Allocate it to the partner of this site first.`;
    const refusal = { message, code: "DEVICE_OF_OTHER_PARTNER", errors: [{ field: "serial_number", message }] };
    const created = await create(FREE_SERIAL, foreignSiteId, "admin");
    const edited = await edit(foreignRobot, { serial_number: FREE_SERIAL }, "admin");
    expect([created.status, created.body, edited.status, edited.body]).toEqual([409, refusal, 409, refusal]);
    const csv = `site,serial_number,installation_date\nFarfield Park,${FREE_SERIAL},2024-02-29\n`;
    const { text } = await (await server.as("admin")).call(importRobots, { body: { csv, apply: false } });
    expect(text).toContain(message);
    expect((await create(FREE_SERIAL, server.fixtures.ownSiteId, "admin")).status).toBe(201);
  });

  test("one of the operator's is allocated by being used", async () => {
    const { ownSiteId, ownerPartnerId } = server.fixtures;
    expect((await create("SPARE-1", ownSiteId, "admin")).status).toBe(201);
    expect(await partnerOf("SPARE-1")).toBe(ownerPartnerId);
  });
});

describe("§6: concurrent changes", () => {
  test("a device that is allocated to another partner while a partner's call waits for it is then unknown", async () => {
    const { ownSiteId, ownerPartnerId, strangerPartnerId: partner_id } = server.fixtures;
    const release = await holdLock(server.db, (tx) =>
      tx.updateTable("devices").set({ partner_id }).where("serial", "=", FREE_SERIAL).execute(),
    );
    const claim = create(FREE_SERIAL, ownSiteId, "owner");
    await untilBlocked(server.db);
    await release();
    expect([(await claim).status, (await claim).text]).toEqual([400, expect.stringContaining("your company")]);
    const back = await holdLock(server.db, (tx) =>
      tx.updateTable("devices").set({ partner_id: ownerPartnerId }).where("serial", "=", FREE_SERIAL).execute(),
    );
    const again = create(FREE_SERIAL, ownSiteId, "owner");
    await untilBlocked(server.db);
    await back();
    expect((await again).status).toBe(201);
  });

  test("one is either allocated to another partner or becomes a robot, never both", async () => {
    const { ownSiteId, ownerPartnerId, strangerPartnerId } = server.fixtures;
    for (let nth = 0; nth < 8; nth += 1) {
      const serial = `RACE-${nth}`;
      await addDevice(server.db, serial, ownerPartnerId);
      const body = { ...form, robot_name: serial, serial_number: serial, site_id: ownSiteId };
      const [made, given] = await Promise.all([
        (await server.as("owner")).call(createRobot, { body }),
        allocate(serial, strangerPartnerId),
      ]);
      const isMade = made.status === 201;
      expect([made.status, given.status]).toEqual(isMade ? [201, 409] : [400, 200]);
      expect(await partnerOf(serial)).toBe(isMade ? ownerPartnerId : strangerPartnerId);
    }
  });

  test("a robot that is added while its site changes partner is the new partner's, or is not added", async () => {
    const { ownSiteId, ownerPartnerId, strangerPartnerId } = server.fixtures;
    for (const [nth, partnerId] of [strangerPartnerId, ownerPartnerId, strangerPartnerId].entries()) {
      const serial = `SITE-${nth}`;
      const who = partnerId === strangerPartnerId ? "owner" : "stranger";
      await addDevice(server.db, serial, who === "owner" ? ownerPartnerId : strangerPartnerId);
      const body = { ...form, robot_name: serial, serial_number: serial, site_id: ownSiteId };
      const [made, given] = await Promise.all([
        (await server.as(who)).call(createRobot, { body }),
        giveSite(ownSiteId, partnerId),
      ]);
      expect(given.status).toBe(200);
      expect([404, partnerId]).toContain(made.status === 201 ? await partnerOf(serial) : made.status);
    }
  });

  test("of two partners' calls with one serial number only that of its partner succeeds", async () => {
    const { ownSiteId, foreignSiteId } = server.fixtures;
    const [own, foreign] = await Promise.all([
      create(FREE_SERIAL, ownSiteId, "owner"),
      create(FREE_SERIAL, foreignSiteId, "stranger"),
    ]);
    expect([own.status, foreign.status]).toEqual([201, 400]);
  });
});
