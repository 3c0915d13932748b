import { deviceList, provisionDevices, retireDevice, rotateDeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FREE_SERIAL } from "../../../test/fixtures.ts";
import { MemoryAccounts } from "../../../test/memory-accounts.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { BrokerUpdateError } from "../../platform/broker-accounts/broker-accounts.ts";
import { ChangeSignal } from "../../platform/change-signal.ts";
import { Commands } from "../commands/public.ts";
import { DeviceAccounts } from "./devices.service.ts";
import { deviceAccess } from "./public.ts";

let server: TestApp;
let accounts: MemoryAccounts;

beforeEach(async () => {
  accounts = new MemoryAccounts();
  server = await createTestApp({ brokerAccounts: accounts });
});
afterEach(() => server.close());

const admin = () => server.as("admin");
const device = async (serial: string) => (await (await admin()).ask(deviceList)).find((one) => one.serial === serial);
const rotate = async (serial: string) => (await admin()).call(rotateDeviceSecret, { params: { serial } });
const retire = async (serial: string) => (await admin()).call(retireDevice, { params: { serial } });
const provision = async (first_serial: string, last_serial: string) =>
  (await admin()).call(provisionDevices, { body: { first_serial, last_serial } });
const audited = async (action: string) => {
  const rows = server.db.selectFrom("audit").select("outcome").where("action", "=", action).orderBy("id");
  return (await rows.execute()).map(({ outcome }) => outcome);
};

/** Open transactions on this database, apart from the one that counts them. */
async function openTransactions(): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (state like 'idle in transaction%' or backend_xid is not null)`.execute(server.db);
  return rows[0]?.open ?? Number.NaN;
}

/** What a server does every 5 s: send all due changes to the broker again. */
async function retryPending(): Promise<void> {
  const { deps } = server;
  const changes = new ChangeSignal(deps);
  const service = new DeviceAccounts(deps, new Commands(deps, changes));
  await service.retries.start();
  await service.retries.stop();
}

/** Ends the connections that hold the locks of work in progress, as the death of their process would. */
async function killLockHolders(): Promise<void> {
  const { rows } = await sql<{ pid: number }>`
    select pid, pg_terminate_backend(pid, 5000) from pg_locks
    where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(server.db);
  expect(rows).toHaveLength(1);
}

/** Makes PostgreSQL refuse to commit new secrets until the returned function is called. */
async function refuseCommits(): Promise<() => Promise<void>> {
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'disk full'; end $$`.execute(server.db);
  await sql`
    create constraint trigger refusing after insert or update of secret_sha256 on devices
    deferrable initially deferred for each row execute function refuse()`.execute(server.db);
  return async () => void (await sql`drop trigger refusing on devices`.execute(server.db));
}

describe("protocol rule 9: an interrupted rotation", () => {
  test("protocol rule 9: if the broker accepted a secret that was not stored, the list says so until it is rotated again", async () => {
    const accept = await refuseCommits();
    expect(await rotate("OWN-1")).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining("could not be stored. Rotate it again") },
    });
    expect(await device("OWN-1")).toMatchObject({ secret_unsure: true });
    expect(await device("OWN-2")).toMatchObject({ secret_unsure: false });
    await accept();
    const told = await rotate("OWN-1");
    expect(told.status).toBe(200);
    const { secret } = rotateDeviceSecret.response.parse(told.body);
    expect(accounts.secrets.get("OWN-1")).toBe(secret);
    expect(await deviceAccess(server.db).signIn("OWN-1", secret)).toBe(true);
    expect(await device("OWN-1")).toMatchObject({ secret_unsure: false });
    expect(await audited("ROTATE_DEVICE")).toEqual(["REFUSED", "DONE"]);
  });

  test("protocol rule 9: a server that dies in between leaves the mark, and another can rotate immediately", async () => {
    const [called, dead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    accounts.beforeAnswer = async () => {
      called.resolve();
      await dead.promise;
    };
    const first = rotate("OWN-1");
    await called.promise;
    expect(await device("OWN-1")).toMatchObject({ secret_unsure: true });
    await killLockHolders();
    accounts.beforeAnswer = async () => {};
    const second = rotateDeviceSecret.response.parse((await rotate("OWN-1")).body);
    dead.resolve();
    // Had it survived, it would store nothing more.
    expect(await first).toMatchObject({ status: 503 });
    expect(accounts.secrets.get("OWN-1")).toBe(second.secret);
    expect(await deviceAccess(server.db).signIn("OWN-1", second.secret)).toBe(true);
  });

  test.each([
    ["refused it", new BrokerUpdateError("No.", "refused", false), false, "The device keeps its secret."],
    ["did not answer", new BrokerUpdateError("No answer.", "silent", true), true, "Rotate the secret again"],
  ])("protocol rule 9: the broker %s", async (_name, error, secret_unsure, sentence) => {
    accounts.beforeAnswer = async () => {
      throw error;
    };
    expect(await rotate("OWN-1")).toMatchObject({ status: 503, body: { message: expect.stringContaining(sentence) } });
    expect(await device("OWN-1")).toMatchObject({ secret_unsure });
    accounts.beforeAnswer = async () => {
      throw new BrokerUpdateError("No.", "refused", false);
    };
    // A refusal does not clear the uncertainty left by the previous attempt.
    await rotate("OWN-1");
    expect(await device("OWN-1")).toMatchObject({ secret_unsure });
  });
});

describe("protocol rule 9: a retirement that the broker refuses", () => {
  test("protocol rule 9: the others are sent all the same, and it is retried less and less often", async () => {
    accounts.isAway = true;
    for (const serial of ["OWN-1", "OWN-2", FREE_SERIAL]) {
      await retire(serial);
      server.clock.advance(1);
    }
    accounts.isAway = false;
    accounts.refused.add("OWN-1");
    accounts.retirementRequests.length = 0;
    const sentWithin = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) {
        server.clock.advance(5_000);
        await retryPending();
      }
      return accounts.retirementRequests.splice(0);
    };
    expect(await sentWithin(5)).toEqual(["OWN-1", "OWN-2", FREE_SERIAL]);
    expect(await device("OWN-2")).toMatchObject({ broker_pending: false });
    expect(await device("OWN-1")).toMatchObject({ broker_pending: true });
    expect(await sentWithin(35)).toEqual(["OWN-1", "OWN-1"]);
    accounts.refused.clear();
    await sentWithin(300);
    expect(await device("OWN-1")).toMatchObject({ broker_pending: false });
  });
});

describe("protocol rule 9: provisioning with a slow broker", () => {
  test("protocol rule 9: no transaction is open during the calls to the broker, neither for one secret nor for 1,000 devices", async () => {
    const open: number[] = [];
    accounts.beforeAnswer = async () => void open.push(await openTransactions());
    expect(await rotate("OWN-1")).toMatchObject({ status: 200 });
    expect(await provision("BIG-0001", "BIG-1000")).toMatchObject({ status: 201 });
    expect(open.length).toBeGreaterThan(1);
    expect(new Set(open)).toEqual(new Set([0]));
  });

  test("protocol rule 9: a server that dies in between leaves nothing that a second attempt does not repair", async () => {
    const [called, dead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    accounts.beforeAnswer = async () => {
      called.resolve();
      await dead.promise;
    };
    const first = provision("BIG-0001", "BIG-0120");
    await called.promise;
    expect(await device("BIG-0001")).toBeUndefined();
    await killLockHolders();
    accounts.beforeAnswer = async () => {};
    const second = await provision("BIG-0001", "BIG-0120");
    expect(second.status).toBe(201);
    dead.resolve();
    // Had it survived, it would neither store anything nor remove the other's accounts.
    expect(await first).toMatchObject({ status: 503 });
    for (const { serial, secret } of provisionDevices.response.parse(second.body).devices) {
      expect(accounts.secrets.get(serial)).toBe(secret);
    }
  });

  test("protocol rule 9: the secrets of devices that cannot be stored are never shown, and the devices can be provisioned later", async () => {
    const accept = await refuseCommits();
    expect((await provision("BIG-1", "BIG-9")).status).toBeGreaterThanOrEqual(500);
    expect(await device("BIG-1")).toBeUndefined();
    await accept();
    const again = await provision("BIG-1", "BIG-9");
    for (const { serial, secret } of provisionDevices.response.parse(again.body).devices) {
      expect(accounts.secrets.get(serial)).toBe(secret);
    }
  });
});
