import {
  deviceList,
  DEVICES_AT_ONCE,
  provisionDevices,
  retireDevice,
  rotateDeviceSecret,
} from "@suncrew/contract/devices/devices.ts";
import { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FREE_SERIAL } from "../../../test/fixtures.ts";
import { MemoryAccounts } from "../../../test/memory-accounts.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { deviceAccess, hashDeviceSecret } from "./public.ts";

let server: TestApp;
let accounts: MemoryAccounts;
const lines: string[] = [];

beforeEach(async () => {
  accounts = new MemoryAccounts();
  lines.length = 0;
  server = await createTestApp({ brokerAccounts: accounts, onLog: (line) => void lines.push(line) });
});
afterEach(() => server.close());

const admin = () => server.as("admin");
const device = async (serial: string) => (await (await admin()).ask(deviceList)).find((one) => one.serial === serial);
const provision = async (first_serial: string, last_serial?: string) =>
  (await admin()).call(provisionDevices, { body: { first_serial, ...(last_serial && { last_serial }) } });
const audited = (action: string) =>
  server.db.selectFrom("audit").selectAll().where("action", "=", action).orderBy("id").execute();

describe("protocol rule 9: devices are provisioned", () => {
  test("protocol rule 9: the list shows free and assigned devices in natural order, with robot and site", async () => {
    await provision("OWN-10");
    const list = await (await admin()).ask(deviceList);
    expect(list.map(({ serial }) => serial)).toEqual(["FAR-1", FREE_SERIAL, "OWN-1", "OWN-2", "OWN-10"]);
    const { id, siteId: site_id } = server.fixtures.ownRobot;
    expect(list.find(({ serial }) => serial === "OWN-1")).toMatchObject({
      retired_at: null,
      broker_pending: false,
      robot: { id, site_id, site_name: "Ownfield Park", online: false },
    });
    expect(list.at(-1)).toMatchObject({ robot: null, secret_at: TEST_NOW.toISOString() });
  });

  test("protocol rule 9: each gets a secret of 32 random bytes, shown once and stored only as its SHA-256", async () => {
    const { status, body } = await provision("SCR-1021", "SCR-1023");
    const { message, devices } = provisionDevices.response.parse(body);
    expect([status, message]).toEqual([201, "3 devices provisioned"]);
    expect(devices.map(({ serial }) => serial)).toEqual(["SCR-1021", "SCR-1022", "SCR-1023"]);
    const secrets = devices.map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(3);
    for (const { serial, secret } of devices) {
      expect(Buffer.from(secret, "base64url")).toHaveLength(32);
      expect(accounts.secrets.get(serial)).toBe(secret);
      const row = server.db.selectFrom("devices").select("secret_sha256").where("serial", "=", serial);
      expect((await row.executeTakeFirstOrThrow()).secret_sha256).toEqual(hashDeviceSecret(secret));
    }
    const recorded = `${JSON.stringify(await server.db.selectFrom("audit").selectAll().execute())}${lines.join()}`;
    for (const secret of secrets) expect(recorded).not.toContain(secret);
    expect((await audited("PROVISION_DEVICE")).map(({ entity_id }) => entity_id)).toEqual(
      devices.map(({ serial }) => serial),
    );
  });

  test.each([
    ["SCR-1", "SCR-2000"],
    ["SCR-5", "SCR-4"],
    ["SCR-1", "SCX-2"],
  ])("protocol rule 9: %s to %s is not a range of devices", async (first, last) => {
    expect(await provision(first, last)).toMatchObject({ status: 400, body: { errors: [{ field: "last_serial" }] } });
  });

  test("protocol rule 9: the contract's maximum is provisioned in one call", async () => {
    expect(await provision("BIG-0001", `BIG-${DEVICES_AT_ONCE}`)).toMatchObject({ status: 201 });
    expect(accounts.secrets.size).toBe(DEVICES_AT_ONCE);
  });

  test("protocol rule 9: if one of a range is taken, even by a retired device, none is created", async () => {
    await provision("SCR-1022");
    await (await admin()).ask(retireDevice, { params: { serial: "SCR-1022" } });
    const before = accounts.secrets.size;
    expect(await provision("SCR-1021", "SCR-1040")).toMatchObject({
      status: 409,
      body: { message: "The serial number SCR-1022 is taken. Nothing was provisioned." },
    });
    expect([await device("SCR-1021"), accounts.secrets.size]).toEqual([undefined, before]);
    // Another case of the same letters is the same serial number, and two concurrent requests make one device.
    const message = "The serial number SCR-1022 is taken. Nothing was provisioned.";
    expect(await provision("scr-1022")).toMatchObject({
      status: 409,
      body: { message, errors: [{ field: "first_serial", message }] },
    });
    const atOnce = await Promise.all(["Row-1", "ROW-1", "row-1"].map((serial) => provision(serial)));
    expect(atOnce.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409"]);
    await provision("SCR-1101", "SCR-1107");
    expect(await provision("SCR-1101", "SCR-1110")).toMatchObject({
      body: { message: expect.stringContaining("SCR-1104, SCR-1105 and 2 more. Nothing") },
    });
    expect((await audited("PROVISION_DEVICE")).filter(({ outcome }) => outcome === "REFUSED")).toHaveLength(5);
  });

  test("protocol rule 9: of two concurrent requests for the same devices one gets the secrets, and the broker has these", async () => {
    const answers = await Promise.all([provision("SCR-1021", "SCR-1060"), provision("SCR-1060", "SCR-1080")]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    const made = answers.find(({ status }) => status === 201);
    for (const { serial, secret } of provisionDevices.response.parse(made?.body).devices) {
      expect(accounts.secrets.get(serial)).toBe(secret);
    }
  });

  test("protocol rule 9: while the broker cannot be updated nothing is provisioned, and it can be tried again", async () => {
    accounts.isAway = true;
    expect(await provision("SCR-1021")).toMatchObject({
      status: 503,
      body: { message: "The robots' broker cannot be reached. Nothing was provisioned." },
    });
    expect(await device("SCR-1021")).toBeUndefined();
    accounts.isAway = false;
    expect(await provision("SCR-1021")).toMatchObject({ status: 201 });
    expect((await audited("PROVISION_DEVICE")).map(({ outcome }) => outcome)).toEqual(["REFUSED", "DONE"]);
  });

  test("protocol rule 9: a name that already exists at the broker is taken, and the other accounts are removed again", async () => {
    accounts.taken = "SCR-1023";
    expect(await provision("SCR-1021", "SCR-1024")).toMatchObject({ status: 409 });
    expect([accounts.secrets.size, await device("SCR-1021")]).toEqual([0, undefined]);
  });
});

describe("protocol rule 9: a secret is rotated", () => {
  test("protocol rule 9: the old one ends immediately, the new one is shown once", async () => {
    await server.db
      .updateTable("devices")
      .set({ secret_at: new Date(0) })
      .execute();
    const { secret } = await (await admin()).ask(rotateDeviceSecret, { params: { serial: "OWN-1" } });
    const access = deviceAccess(server.db);
    expect(await access.signIn("OWN-1", secret)).toBe(true);
    expect(await access.signIn("OWN-1", server.fixtures.ownRobot.secret)).toBe(false);
    expect([accounts.secrets.get("OWN-1"), accounts.cut]).toEqual([secret, ["OWN-1"]]);
    expect(await device("OWN-1")).toMatchObject({ secret_at: TEST_NOW.toISOString(), broker_pending: false });
    const recorded = `${JSON.stringify(await audited("ROTATE_DEVICE"))}${lines.join()}`;
    expect(recorded).not.toContain(secret);
  });

  test("protocol rule 9: while the broker cannot be updated the old one stays valid, and that is recorded", async () => {
    accounts.isAway = true;
    const answer = await (await admin()).call(rotateDeviceSecret, { params: { serial: "OWN-1" } });
    expect(answer).toMatchObject({ status: 503, body: { message: expect.stringContaining("cannot be reached") } });
    expect(await deviceAccess(server.db).signIn("OWN-1", server.fixtures.ownRobot.secret)).toBe(true);
    expect(await audited("ROTATE_DEVICE")).toMatchObject([{ outcome: "REFUSED", entity_id: "OWN-1" }]);
  });

  test("protocol rule 9: of two concurrent rotations the last one's secret is valid everywhere", async () => {
    const client = await admin();
    const rotated = await Promise.all(
      [1, 2, 3].map(() => client.ask(rotateDeviceSecret, { params: { serial: "OWN-1" } })),
    );
    const right = accounts.secrets.get("OWN-1") ?? "";
    expect(rotated.map(({ secret }) => secret)).toContain(right);
    expect(await deviceAccess(server.db).signIn("OWN-1", right)).toBe(true);
  });
});

describe("protocol rule 9: a device is retired", () => {
  const retire = async (serial: string) => (await admin()).call(retireDevice, { params: { serial } });

  test("protocol rule 9: it is cut off, stays in the list, and cannot be assigned again", async () => {
    expect(await retire(FREE_SERIAL)).toMatchObject({
      status: 200,
      body: { message: `Device ${FREE_SERIAL} retired` },
    });
    expect(accounts.cut).toEqual([FREE_SERIAL]);
    expect(await device(FREE_SERIAL)).toMatchObject({ retired_at: TEST_NOW.toISOString(), broker_pending: false });
    const form = { robot_name: "New", serial_number: FREE_SERIAL, installation_date: "2026-01-01" };
    const body = { ...form, site_id: server.fixtures.ownSiteId, motor_type: "BLDC", control_type: "PLC" };
    expect((await (await admin()).call(createRobot, { body })).status).toBeGreaterThanOrEqual(400);
    const again = await (await admin()).call(rotateDeviceSecret, { params: { serial: FREE_SERIAL } });
    expect([(await retire(FREE_SERIAL)).status, again.status]).toEqual([409, 409]);
    expect((await audited("RETIRE_DEVICE")).map(({ outcome }) => outcome)).toEqual(["DONE", "REFUSED"]);
  });

  test("protocol rule 9: if the broker cannot be updated it is retired all the same, and the broker is retried until it is", async () => {
    await server.app.start();
    accounts.isAway = true;
    expect(await retire("OWN-1")).toMatchObject({
      status: 200,
      body: { message: expect.stringContaining("Suncrew keeps trying until it succeeds") },
    });
    expect(await deviceAccess(server.db).signIn("OWN-1", server.fixtures.ownRobot.secret)).toBe(false);
    expect(await device("OWN-1")).toMatchObject({ broker_pending: true });
    accounts.isAway = false;
    const retired = Promise.withResolvers<void>();
    accounts.retire = async (serial) => {
      accounts.cut.push(serial);
      retired.resolve();
    };
    server.clock.advance(5_000);
    await retired.promise;
    expect(accounts.cut).toEqual(["OWN-1"]);
  });
});
