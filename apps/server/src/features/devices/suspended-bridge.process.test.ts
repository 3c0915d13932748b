import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { sql } from "kysely";
import type { MqttClient } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addRobot, addSite } from "../../../test/fixtures.ts";
import { RealBroker } from "../../../test/real-broker.ts";
import { stateMessage } from "../../../test/robot-messages.ts";
import { runSuncrew, type SuncrewRun } from "../../../test/suncrew-process.ts";
import { databaseUrl } from "../../../test/owner-and-server-accounts.ts";
import { createTestDatabase } from "../../../test/test-database.ts";
import type { OpenDatabase } from "../../platform/database/database.ts";

/** The time limit for what never happens. */
const PATIENCE = { timeout: 60_000 };

let folder: string;
let database: OpenDatabase;
let broker: RealBroker;
let runs: SuncrewRun[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-suspended-"));
  database = await createTestDatabase();
  broker = await RealBroker.start();
  runs = [];
});
afterEach(async () => {
  for (const run of runs) {
    run.child.kill("SIGCONT");
    if (run.child.exitCode === null) await run.interrupt();
  }
  await broker.stop();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function startServer(name: string): Promise<SuncrewRun> {
  const url = new URL(databaseUrl(database.connection));
  url.searchParams.set("application_name", name);
  const run = runSuncrew(["production"], {
    DATABASE_URL: url.href,
    MQTT_URL: broker.serverUrl,
    DATA_DIR: join(folder, name),
    SECRET_KEY: "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG",
    ADMIN_PASSWORD: "a password of a test",
    WEATHER_PROVIDER: "sample",
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "info",
  });
  runs.push(run);
  await run.ready();
  return run;
}

/** How many shares each server is the bridge of, as the database knows it. */
async function shares(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; held: number }>`select a.application_name as name, count(*)::int as held
    from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and l.granted and l.objsubid = 2
      and l.classid = 7305002 and a.datname = current_database() group by 1`.execute(database.db);
  return Object.fromEntries(rows.map(({ name, held }) => [name, held]));
}

test("protocol rule 11: the robots of a suspended server get another bridge; when it goes on, each still has one", async () => {
  const suspended = await startServer("suspended");
  await startServer("other");
  await expect.poll(shares, PATIENCE).toEqual({ suspended: 8, other: 8 });
  const siteId = await addSite(database.db, "Suspended Park", null);
  const robots = new Map<string, MqttClient>();
  for (let index = 1; index <= 12; index += 1) {
    const serial = `STOOD-${index}`;
    await addRobot(database.db, siteId, serial);
    robots.set(serial, await broker.robot(serial, 1, new Date()));
  }
  const show = async (seq: number) => {
    for (const [serial, robot] of robots) {
      const state = JSON.stringify(stateMessage(new Date(), 1, seq, { battery: 50 + seq }));
      await robot.publishAsync(topicOf(serial, "state"), state, { qos: 1, retain: true });
    }
  };
  const shown = async () => {
    const states = await database.db.selectFrom("robot_state").select("state_seq").execute();
    return states.map(({ state_seq }) => Number(state_seq));
  };
  const all = (seq: number) => Array.from({ length: robots.size }, () => seq);
  await show(1);
  await expect.poll(shown, PATIENCE).toEqual(all(1));

  suspended.child.kill("SIGSTOP");
  await show(2);
  await expect.poll(shares, PATIENCE).toEqual({ other: 16 });
  await expect.poll(shown, PATIENCE).toEqual(all(2));
  await show(3);
  await expect.poll(shown, PATIENCE).toEqual(all(3));

  suspended.child.kill("SIGCONT");
  await expect.poll(() => suspended.said(), PATIENCE).toContain("this server is no longer the bridge");
  await expect.poll(shares, PATIENCE).toEqual({ suspended: 8, other: 8 });
  await show(4);
  await expect.poll(shown, PATIENCE).toEqual(all(4));
  const { rows } = await sql`select count(*)::int as twice from (
    select from readings group by robot_id, session, seq having count(*) > 1) of_one`.execute(database.db);
  expect(rows).toEqual([{ twice: 0 }]);
});
