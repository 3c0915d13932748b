import { allocateDevices, type Device, deviceList, provisionDevices } from "@suncrew/contract/devices/devices.ts";
import { createPartner, deletePartner } from "@suncrew/contract/partners/partners.ts";
import { createRobot, serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addDevice, FREE_SERIAL, partnerForm, type Person } from "../../../test/fixtures.ts";
import { untilBlocked } from "../../../test/row-locks.ts";
import { MemoryAccounts } from "../../../test/memory-accounts.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
let restorePoint: RestorePoint;
let accounts: MemoryAccounts;
beforeAll(async () => {
  accounts = new MemoryAccounts();
  server = await createTestApp({ brokerAccounts: accounts });
  for (const serial of ["SPARE-1", "SPARE-2"]) await addDevice(server.db, serial);
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(() => restorePoint.restore());
afterAll(() => server.close());

const allocate = async (serials: readonly string[], partner_id: number, who: Person = "admin") =>
  (await server.as(who)).call(allocateDevices, { body: { serials: [...serials], partner_id } });
const IN_HOUSE = 1;

async function partnersOf(...serials: string[]): Promise<(string | undefined)[]> {
  const devices = await (await server.as("admin")).ask(deviceList);
  const bySerial = new Map<string, Device>(devices.map((device) => [device.serial, device]));
  return serials.map((serial) => bySerial.get(serial)?.partner.name);
}

const freeFor = async (who: Person) =>
  (await (await server.as(who)).ask(serialNumbers)).flatMap((one) => (one.assigned ? [] : [one.serial_number]));

const audits = (action: string) =>
  server.db
    .selectFrom("audit")
    .select(["entity_id", "outcome", "reason", "before", "after", "actor"])
    .where("action", "=", action)
    .orderBy("id")
    .execute();

describe("§6 SUPER_ADMIN: devices are allocated to partners", () => {
  test("several together, visible to the partner immediately, taken back, and each recorded", async () => {
    const { strangerPartnerId } = server.fixtures;
    const given = await allocate(["SPARE-2", "SPARE-1", "SPARE-2"], strangerPartnerId);
    expect([given.status, given.body]).toEqual([200, { message: "2 devices allocated to Farcare Services" }]);
    expect(await partnersOf("SPARE-1", "SPARE-2")).toEqual(["Farcare Services", "Farcare Services"]);
    expect(await freeFor("stranger")).toEqual(["SPARE-1", "SPARE-2"]);
    const back = await allocate(["SPARE-1"], IN_HOUSE);
    expect(back.body).toEqual({ message: "Device SPARE-1 taken back to In-house" });
    expect(await freeFor("stranger")).toEqual(["SPARE-2"]);
    const [inHouse, farcare] = [
      { partner_id: IN_HOUSE, partner: "In-house" },
      { partner_id: strangerPartnerId, partner: "Farcare Services" },
    ];
    const done = { outcome: "DONE", reason: null, actor: "Anita Rao" };
    expect(await audits("ALLOCATE_DEVICE")).toEqual([
      { ...done, entity_id: "SPARE-1", before: inHouse, after: farcare },
      { ...done, entity_id: "SPARE-2", before: inHouse, after: farcare },
      { ...done, entity_id: "SPARE-1", before: farcare, after: inHouse },
    ]);
  });

  test("one that a robot uses stays with the partner of the robot's site: nothing is allocated, and that is recorded", async () => {
    const { strangerPartnerId, ownerPartnerId } = server.fixtures;
    const message =
      "A robot has the device OWN-1, so it stays with the partner of the robot's site. Nothing was allocated.";
    const { status, body } = await allocate(["SPARE-1", "OWN-1"], strangerPartnerId);
    expect([status, body]).toEqual([409, { message, code: "DEVICE_ASSIGNED" }]);
    expect(await partnersOf("OWN-1", "SPARE-1")).toEqual(["Owncare Services", "In-house"]);
    expect(await audits("ALLOCATE_DEVICE")).toMatchObject([
      { entity_id: "OWN-1", outcome: "REFUSED", reason: message },
      { entity_id: "SPARE-1", outcome: "REFUSED", reason: message },
    ]);
    // Allocating it to the partner that already has it changes nothing.
    expect((await allocate(["SPARE-1", "OWN-1"], ownerPartnerId)).status).toBe(200);
  });

  test("a retired or nonexistent device is refused, and the whole request with it", async () => {
    const { strangerPartnerId } = server.fixtures;
    expect((await allocate(["SPARE-1", "NONE-1"], strangerPartnerId)).text).toBe(
      '{"message":"Device not found","code":"DEVICE_NOT_FOUND"}',
    );
    await server.db.updateTable("devices").set({ retired_at: TEST_NOW }).where("serial", "=", "SPARE-2").execute();
    const { status, text } = await allocate(["SPARE-1", "SPARE-2"], strangerPartnerId);
    expect([status, text]).toEqual([
      409,
      '{"message":"The device SPARE-2 has been retired. Nothing was allocated.","code":"DEVICE_RETIRED"}',
    ]);
    expect(await partnersOf("SPARE-1")).toEqual(["In-house"]);
    expect((await allocate([], strangerPartnerId)).body).toMatchObject({ errors: [{ field: "serials" }] });
  });

  test("a partner cannot allocate devices, not even to itself", async () => {
    expect((await allocate(["SPARE-1"], server.fixtures.ownerPartnerId, "owner")).status).toBe(403);
    expect(await partnersOf("SPARE-1")).toEqual(["In-house"]);
  });
});

describe("protocol rule 9: devices are provisioned for a partner", () => {
  test("available to it immediately; to the operator if none is named", async () => {
    const admin = await server.as("admin");
    const { strangerPartnerId: partner_id } = server.fixtures;
    const { message } = await admin.ask(provisionDevices, {
      body: { first_serial: "SCR-1", last_serial: "SCR-2", partner_id },
    });
    expect(message).toBe("2 devices provisioned for Farcare Services");
    await admin.ask(provisionDevices, { body: { first_serial: "SCR-3" } });
    expect(await partnersOf("SCR-1", "SCR-2", "SCR-3")).toEqual(["Farcare Services", "Farcare Services", "In-house"]);
    expect(await freeFor("stranger")).toEqual(["SCR-1", "SCR-2"]);
    expect(await audits("PROVISION_DEVICE")).toMatchObject([
      { entity_id: "SCR-1", after: { partner_id, partner: "Farcare Services" } },
      { entity_id: "SCR-2", after: { partner_id, partner: "Farcare Services" } },
      { entity_id: "SCR-3", after: { partner_id: IN_HOUSE, partner: "In-house" } },
    ]);
  });

  test("for a nonexistent partner nothing is provisioned, and the broker is not contacted", async () => {
    const body = { first_serial: "SCR-4", partner_id: 999_999 };
    const { status, text } = await (await server.as("admin")).call(provisionDevices, { body });
    expect([status, text]).toEqual([404, '{"message":"Partner not found","code":"PARTNER_NOT_FOUND"}']);
    expect(accounts.secrets.has("SCR-4")).toBe(false);
    expect(await audits("PROVISION_DEVICE")).toMatchObject([{ entity_id: "SCR-4", outcome: "REFUSED" }]);
  });
});

describe("§7 Partners: delete", () => {
  test("the devices of a deleted partner return to the operator, and can be allocated to another partner", async () => {
    const admin = await server.as("admin");
    const { partnerId: id } = await admin.ask(createPartner, { body: partnerForm("Short Services") });
    await allocate(["SPARE-1", "SPARE-2"], id);
    await admin.ask(deletePartner, { params: { id } });
    expect(await partnersOf("SPARE-1", "SPARE-2")).toEqual(["In-house", "In-house"]);
    expect(await audits("DELETE_PARTNER")).toMatchObject([{ before: { name: "Short Services", devices: 2 } }]);
    expect((await allocate(["SPARE-1"], id)).status).toBe(404);
    const { ownSiteId: site_id, ownerPartnerId } = server.fixtures;
    await allocate(["SPARE-1"], ownerPartnerId);
    const form = { robot_name: "New", serial_number: "SPARE-1", installation_date: "2026-01-01" };
    await (await server.as("owner")).ask(createRobot, { body: { ...form, site_id } });
  });

  test("a device is not allocated to a partner that is being deleted concurrently", async () => {
    const admin = await server.as("admin");
    const { partnerId: id } = await admin.ask(createPartner, { body: partnerForm("Late Services") });
    const deleting = await server.db.startTransaction().execute();
    await deleting.updateTable("partners").set({ deleted_at: TEST_NOW }).where("id", "=", id).execute();
    const giving = allocate([FREE_SERIAL], id);
    await untilBlocked(server.db);
    await deleting.commit().execute();
    expect((await giving).status).toBe(404);
    expect(await partnersOf(FREE_SERIAL)).toEqual(["Owncare Services"]);
  });
});
