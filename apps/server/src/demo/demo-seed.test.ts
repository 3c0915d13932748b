import { sql } from "kysely";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestDatabase } from "../../test/test-database.ts";
import { deviceAccess, hashDeviceSecret, storeDeviceSecrets } from "../features/devices/public.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import { demoDevicesFile, demoScenarioFile, ensureDemoDevices, writeDemoScenario } from "./demo-simulator.ts";
import { demoParks } from "./demo-parks.ts";
import { demoFleet, demoRobots, demoSerials, type FleetSize, defaultFleet } from "./demo-fleet.ts";
import { chooseFleet, seedDemo, type SeedResult } from "./demo-seed.repository.ts";

const scenarioSchema = z.object({ robots: z.record(z.string(), z.object({ faults: z.array(z.string()) })) });
let database: OpenDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "suncrew-demo-"));
});

afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function seed({ db } = database, size: FleetSize = defaultFleet): Promise<SeedResult> {
  return await seedDemo(db, size, await ensureDemoDevices(dataDir, demoFleet(size)), { history: false });
}

async function counts({ db } = database): Promise<Record<string, number>> {
  const tables = ["partners", "users", "sites", "robots", "devices", "robot_state"] as const;
  const pairs = tables.map(async (table) => {
    const { count } = await db.selectFrom(table).select(db.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
    return [table, count] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

describe("demo data", () => {
  test("six parks, four partners besides In-house, 14 robots, 21 devices, one of them a weather sensor; a second start changes nothing", async () => {
    expect(await seed()).toBe("seeded");
    const first = await counts();
    expect(first).toEqual({ partners: 5, users: 2, sites: 6, robots: 14, devices: 21, robot_state: 14 });
    expect(await seed()).toBe("unchanged");
    expect(await counts()).toEqual(first);
  });

  test("the known partner owns two parks and sees no others", async () => {
    const rows = await database.db
      .selectFrom("users")
      .innerJoin("sites", "sites.maintenance_partner_id", "users.partner_id")
      .select("sites.name")
      .where("users.username", "=", "partner")
      .orderBy("sites.name")
      .execute();
    expect(rows.map(({ name }) => name)).toEqual(["Bhadla Solar Park", "Pavagada Solar Park"]);
  });

  test("the known partner has free devices to add robots with; a robot's device is its site's partner's", async () => {
    const rows = await database.db
      .selectFrom("devices as d")
      .innerJoin("partners as p", "p.id", "d.partner_id")
      .leftJoin("robots as r", "r.serial_number", "d.serial")
      .select(["d.serial", "p.name"])
      .where("r.id", "is", null)
      .where(sql<boolean>`d.serial not in (select serial from site_sensors)`)
      .orderBy("d.serial")
      .execute();
    expect(rows.map(({ serial, name }) => `${serial} ${name}`)).toEqual([
      "SCR-1013 SunCare Services",
      "SCR-1015 SunCare Services",
      "SCR-1017 SunCare Services",
      "SCR-1018 In-house",
      "SCR-1019 In-house",
      "SCR-1020 In-house",
    ]);
    const elsewhere = await database.db
      .selectFrom("robots as r")
      .innerJoin("sites as s", "s.id", "r.site_id")
      .innerJoin("devices as d", "d.serial", "r.serial_number")
      .select("r.serial_number")
      .whereRef("d.partner_id", "<>", "s.maintenance_partner_id")
      .execute();
    expect(elsewhere).toEqual([]);
  });

  test("all parks lie in India, with six-digit pin codes; robots came after their parks opened", () => {
    for (const park of demoParks) {
      expect(park.latitude).toBeGreaterThan(8);
      expect(park.latitude).toBeLessThan(36);
      expect(park.longitude).toBeGreaterThan(68);
      expect(park.longitude).toBeLessThan(98);
      expect(park.pin_code).toMatch(/^[1-9]\d{5}$/);
    }
    for (const robot of demoRobots) {
      expect(demoSerials).toContain(robot.serial);
      expect(robot.installed > (demoParks[robot.park]?.commissioning_date ?? "9999")).toBe(true);
    }
  });

  test("one robot is offline, one has a warning, one has a fault", async () => {
    expect(demoRobots.flatMap(({ fault }) => fault ?? []).toSorted()).toEqual(["away", "jam", "low-battery:12"]);
    await writeDemoScenario(dataDir, demoFleet(defaultFleet), defaultFleet.robots);
    expect(await readFile(demoScenarioFile(dataDir), "utf8")).toContain('"SCR-1020"');
  });

  test("robots that this machine cannot simulate stay offline as well, whatever other fault they had", async () => {
    const away = async (simulated: number) => {
      await writeDemoScenario(dataDir, demoFleet(defaultFleet), simulated);
      const { robots } = scenarioSchema.parse(JSON.parse(await readFile(demoScenarioFile(dataDir), "utf8")));
      return demoRobots.flatMap(({ serial }) => (robots[serial]?.faults.includes("away") === true ? [serial] : []));
    };
    expect(await away(14)).toEqual(["SCR-1007"]);
    expect(await away(12)).toEqual(["SCR-1007", "SCR-1014", "SCR-1016"]);
    expect(await away(0)).toHaveLength(14);
  });

  test("secrets are readable by their owner only; if the file is lost or damaged, new ones are generated that the broker accepts", async () => {
    const file = demoDevicesFile(dataDir);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [before] = await ensureDemoDevices(dataDir, demoFleet(defaultFleet));
    await writeFile(file, "{ damaged");
    const devices = await ensureDemoDevices(dataDir, demoFleet(defaultFleet));
    await seedDemo(database.db, defaultFleet, devices, { history: false });
    const access = deviceAccess(database.db);
    expect(await access.signIn("SCR-1001", before?.secret ?? "")).toBe(false);
    expect(await access.signIn("SCR-1001", devices[0]?.secret ?? "")).toBe(true);
    // A rotated secret is not overwritten with the simulator's.
    const secretSha256 = hashDeviceSecret("rotated by a person");
    await storeDeviceSecrets(database.db, [{ serial: "SCR-1001", secretSha256 }], "replace");
    const again = await ensureDemoDevices(dataDir, demoFleet(defaultFleet));
    await seedDemo(database.db, defaultFleet, again, { history: false });
    expect(await access.signIn("SCR-1001", "rotated by a person")).toBe(true);
  });

  test("a database with users that are not a demo's is not touched", async () => {
    const other = await createTestDatabase();
    const person = {
      username: "asha",
      name: "Asha",
      role: "SUPER_ADMIN",
      partner_id: null,
      password_hash: "x",
    } as const;
    await other.db.insertInto("users").values(person).execute();
    expect(await seed(other)).toBe("not-a-demo");
    expect(await other.db.selectFrom("devices").select("serial").execute()).toEqual([]);
    await other.close();
  });

  test("a demo grows to the requested size, keeps people's changes, and never shrinks", async () => {
    const other = await createTestDatabase();
    const { db } = other;
    expect(await seed(other)).toBe("seeded");
    // Somebody used the name of a future park, renamed a park, and deleted a robot.
    await db.updateTable("sites").set({ name: " osian solar PARK" }).where("name", "=", "Bhadla Solar Park").execute();
    await db.updateTable("robots").set({ deleted_at: new Date() }).where("serial_number", "=", "SCR-1009").execute();
    const size = await chooseFleet(db, { sites: 30, robots: 300 });
    expect(await seed(other, size)).toBe("grown");
    expect(await counts(other)).toMatchObject({ partners: 5, users: 2, sites: 29 });
    const { robots, devices, robot_state } = await counts(other);
    expect(robots).toBeGreaterThan(260);
    expect([robot_state, devices]).toEqual([robots, 307]);
    expect(await chooseFleet(db, { sites: null, robots: null })).toEqual(size);
    expect(await seed(other, size)).toBe("unchanged");

    await expect(chooseFleet(db, { sites: 6, robots: null })).rejects.toThrow(
      "The demo's data has 30 sites and 300 robots, more than requested: add --reset to start over, or leave out --sites and --robots to keep it.",
    );
    await expect(chooseFleet(db, { sites: 400, robots: 14 })).rejects.toThrow("more than requested");
    await other.close();
  });

  test("a demo with fewer sites than the default gets more robots, but no more sites", async () => {
    const other = await createTestDatabase();
    expect(await seed(other, { sites: 2, robots: 9 })).toBe("seeded");
    expect(await chooseFleet(other.db, { sites: null, robots: 40 })).toEqual({ sites: 2, robots: 40 });
    await expect(chooseFleet(other.db, { sites: 300, robots: 40 })).rejects.toThrow(
      "The demo's data has 2 of the 6 sites that every larger demo starts with, and cannot be enlarged: add --reset to start over.",
    );
    await other.close();
  });

  test("the largest demo is seeded completely, each robot with its own secret", async () => {
    const other = await createTestDatabase();
    const size = { sites: 2_000, robots: 20_000 };
    expect(await seed(other, size)).toBe("seeded");
    const all = { partners: 5, users: 2, sites: 2_000, robots: 20_000, devices: 20_007, robot_state: 20_000 };
    expect(await counts(other)).toEqual(all);
    const devices = await ensureDemoDevices(dataDir, demoFleet(size));
    expect(new Set(devices.map(({ secret }) => secret)).size).toBe(devices.length);
    const last = devices.find(({ serial }) => serial === "SCR-21006");
    expect(await deviceAccess(other.db).signIn("SCR-21006", last?.secret ?? "")).toBe(true);
    await other.close();
  });
});
