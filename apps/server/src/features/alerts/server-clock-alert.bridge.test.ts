import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { unconfirmedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addFixtures } from "../../../test/fixtures.ts";
import { StubClockCheck } from "../../../test/stub-clock-check.ts";
import { holdLock } from "../../../test/row-locks.ts";
import { MemoryBroker } from "../../../test/memory-broker.ts";
import { TEST_NOW, testSettings } from "../../../test/test-app.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../platform/clock.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";
import { AlertWatch } from "./alert-watch.ts";
import { raiseAlerts } from "./alerts.repository.ts";

const AHEAD = "The database's time is 600 s ahead of the time that this server counted.";
const BEHIND = "The database's time is 90 s behind the time that this server counted.";
const ONE = "starts no robot, and is neither bridge nor scheduler, until its clocks agree.";
const SEVERAL = "2 servers start no robot, and none of them is bridge or scheduler, until their clocks agree.";

class Server {
  readonly clocks = new StubClockCheck();
  readonly watch: AlertWatch;

  constructor(serverName: string) {
    const parts = { db: database.db, clock, broker: new MemoryBroker(), settings: testSettings };
    const log = pino({ level: "silent" });
    this.watch = new AlertWatch({ ...parts, log, serverId: randomUUID(), serverName, clocks: this.clocks });
  }

  async poll(times = 1): Promise<void> {
    for (let count = 0; count < times; count += 1) await this.watch.runOnce();
  }
}

let database: OpenDatabase;
let clock: ManualClock;
let one: Server;
let two: Server;
beforeEach(async () => {
  database = await createTestDatabase();
  clock = new ManualClock(TEST_NOW);
  [one, two] = [new Server("suncrew-1"), new Server("suncrew-2")];
});
afterEach(async () => {
  await Promise.all([one.watch.stop(), two.watch.stop()]);
  await database.close();
});

const bothPoll = () => Promise.all([one.poll(), two.poll()]);
/** The text of each alert, oldest first; the second element says whether it is open. */
async function alerts(): Promise<[string, boolean][]> {
  const rows = await database.db.selectFrom("alerts").selectAll().orderBy("id").execute();
  return rows.map(({ text, cleared_at }) => [text, cleared_at === null]);
}
const names = async () => {
  const rows = await database.db.selectFrom("server_clocks").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
};

describe("a server whose clock disagrees", () => {
  test("protocol rule 12: it has one critical alert at no site, renewed when its text changes and cleared when it agrees", async () => {
    await bothPoll();
    expect([await alerts(), await names()]).toEqual([[], []]);
    one.clocks.trouble = AHEAD;
    await bothPoll();
    await bothPoll();
    const text = `Server suncrew-1 ${ONE} ${AHEAD}`;
    expect(await alerts()).toEqual([[text, true]]);
    expect(await database.db.selectFrom("alerts").selectAll().execute()).toMatchObject([
      {
        site_id: null,
        robot_id: null,
        source: "SERVER",
        code: "SERVER_CLOCK",
        severity: "CRITICAL",
        raised_at: TEST_NOW,
      },
    ]);
    one.clocks.trouble = BEHIND;
    await bothPoll();
    expect(await alerts()).toEqual([[text.replace(AHEAD, BEHIND), true]]);
    one.clocks.trouble = null;
    clock.advance(60_000);
    await bothPoll();
    expect([await alerts(), await names()]).toEqual([[[text.replace(AHEAD, BEHIND), false]], []]);
    one.clocks.trouble = AHEAD;
    await bothPoll();
    expect(await alerts()).toHaveLength(2);
  });

  test("protocol rule 12: two are one alert, which stays open while either disagrees", async () => {
    one.clocks.trouble = AHEAD;
    two.clocks.trouble = BEHIND;
    await bothPoll();
    await bothPoll();
    const both = `${SEVERAL} suncrew-1: ${AHEAD} suncrew-2: ${BEHIND}`;
    expect(await alerts()).toEqual([[both, true]]);
    one.clocks.trouble = null;
    await bothPoll();
    expect(await alerts()).toEqual([[`Server suncrew-2 ${ONE} ${BEHIND}`, true]]);
    // Even if one appears as the other disappears.
    for (let count = 0; count < 20; count += 1) {
      [one.clocks.trouble, two.clocks.trouble] = [two.clocks.trouble, one.clocks.trouble];
      await (one.clocks.trouble === null ? two : one).poll();
      await bothPoll();
    }
    expect(await alerts()).toEqual([[`Server suncrew-2 ${ONE} ${BEHIND}`, true]]);
  });

  test("protocol rule 12: servers that check concurrently raise it once", async () => {
    const crowd = [one, two, ...Array.from({ length: 3 }, (_, nth) => new Server(`suncrew-${nth + 3}`))];
    for (const server of crowd) server.clocks.trouble = AHEAD;
    await Promise.all(crowd.map((server) => server.poll(5)));
    expect((await alerts()).map(([, isOpen]) => isOpen)).toEqual([true]);
    expect(await names()).toHaveLength(5);
    await Promise.all(crowd.map((server) => server.watch.stop()));
    expect([await names(), (await alerts()).map(([, isOpen]) => isOpen)]).toEqual([[], [false]]);
  });

  test("protocol rule 12: a server that hangs in the middle of a check does not delay others for long", async () => {
    const { db } = database;
    two.clocks.trouble = BEHIND;
    await two.poll();
    const letGo = await holdLock(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(7305012)`.execute(tx);
      await sql`update server_clocks set words = 'Half done.'`.execute(tx);
      await sql`update alerts set text = 'Half done.'`.execute(tx);
    });
    const { ownRobot } = await addFixtures(db);
    await db
      .transaction()
      .execute((tx) =>
        raiseAlerts(tx, [{ robotId: ownRobot.id, siteId: ownRobot.siteId, alert: unconfirmedAlert("STOP") }], TEST_NOW),
      );
    one.clocks.trouble = AHEAD;
    // Gives up, and the next poll makes up for it.
    await one.poll();
    expect(await names()).toEqual(["suncrew-2"]);
    await letGo();
    await bothPoll();
    await bothPoll();
    expect(await names()).toEqual(["suncrew-1", "suncrew-2"]);
    const both = `${SEVERAL} suncrew-1: ${AHEAD} suncrew-2: ${BEHIND}`;
    expect(await alerts()).toEqual([
      [both, true],
      [unconfirmedAlert("STOP").text, true],
    ]);
  });

  test("protocol rule 12: one that died is forgotten after fifteen checks without an update, not before", async () => {
    one.clocks.trouble = AHEAD;
    await one.poll();
    await two.poll(15);
    expect((await alerts()).map(([, isOpen]) => isOpen)).toEqual([true]);
    // It is alive, and was only slow.
    await one.poll();
    await two.poll(15);
    expect(await names()).toEqual(["suncrew-1"]);
    await two.poll();
    expect([await names(), (await alerts()).map(([, isOpen]) => isOpen)]).toEqual([[], [false]]);
    // It comes back nevertheless.
    await one.poll();
    expect((await alerts()).map(([, isOpen]) => isOpen)).toEqual([false, true]);
  });

  test("protocol rule 12: whatever the database's time does, a server that disagrees stays recorded", async () => {
    one.clocks.trouble = AHEAD;
    for (const seen_at of ["2001-01-01T00:00:00Z", "2101-01-01T00:00:00Z"]) {
      await one.poll();
      await database.db
        .updateTable("server_clocks")
        .set({ seen_at: new Date(seen_at) })
        .execute();
      await two.poll(3);
      expect(await names()).toEqual(["suncrew-1"]);
    }
    expect(await alerts()).toHaveLength(1);
  });

  test("protocol rule 12: one that stops removes its row, and leaves another's", async () => {
    one.clocks.trouble = AHEAD;
    two.clocks.trouble = BEHIND;
    await bothPoll();
    await two.watch.stop();
    expect(await names()).toEqual(["suncrew-1"]);
    await one.watch.stop();
    expect([await names(), (await alerts()).map(([, isOpen]) => isOpen)]).toEqual([[], [false]]);
    // Started again, it polls by itself.
    await one.watch.start();
    clock.advance(2_000);
    await one.poll();
    expect(await names()).toEqual(["suncrew-1"]);
  });
});

test("protocol rule 12: an upgrade keeps every alert, and no robot's can lack its site", async () => {
  const { db } = database;
  const { ownRobot, ownSiteId } = await addFixtures(db);
  await sql`drop table server_clocks`.execute(db);
  await sql`drop index alerts_of_servers_open_once`.execute(db);
  await sql`alter table alerts drop constraint alerts_of_no_site_are_the_servers, alter column site_id set not null`.execute(
    db,
  );
  const alert = { code: "DUST", severity: "WARNING", text: "Dust.", raised_at: TEST_NOW } as const;
  const add = (of: { site_id: number | null; robot_id: number | null; source: "ROBOT" | "SERVER" }) =>
    db
      .insertInto("alerts")
      .values({ ...alert, ...of })
      .execute();
  const existing = { site_id: ownSiteId, robot_id: ownRobot.id, source: "ROBOT" } as const;
  await add(existing);
  const text = await readFile(new URL("../../../migrations/0027_alerts_of_servers.sql", import.meta.url), "utf8");
  await db.transaction().execute((tx) => sql.raw(text).execute(tx));
  expect(await db.selectFrom("alerts").selectAll().execute()).toMatchObject([existing]);
  const ofServers = { site_id: null, robot_id: null, source: "SERVER" } as const;
  await add(ofServers);
  await expect(add(ofServers)).rejects.toThrow("alerts_of_servers_open_once");
  for (const wrong of [
    { ...ofServers, robot_id: ownRobot.id },
    { ...ofServers, source: "ROBOT" as const },
  ]) {
    await expect(add(wrong)).rejects.toThrow(/alerts_of_(no_site|sites)_are_the_servers/);
  }
});
