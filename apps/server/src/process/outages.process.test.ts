import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InterruptibleDatabase } from "../../test/interruptible-database.ts";
import { runSuncrew, type SuncrewRun } from "../../test/suncrew-process.ts";
import { createTestDatabase } from "../../test/test-database.ts";
import type { OpenDatabase } from "../platform/database/database.ts";

/** The time limit for a process that hangs. */
const PATIENCE = { timeout: 60_000 };

let folder: string;
let database: OpenDatabase;
let interruptible: InterruptibleDatabase;
let run: SuncrewRun;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suncrew-outages-"));
  database = await createTestDatabase();
  interruptible = await InterruptibleDatabase.open(database.connection);
  await interruptible.setFault("killed");
  const { host, port, database: name, user, password } = interruptible.database.connection;
  run = runSuncrew(["production"], {
    DATABASE_URL: `postgres://${String(user)}:${encodeURIComponent(String(password))}@${host}:${port}/${name}`,
    EMBEDDED: "yes",
    DATA_DIR: folder,
    SECRET_KEY: "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG",
    ADMIN_PASSWORD: "a password of a test",
    WEATHER_PROVIDER: "sample",
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    LOG_LEVEL: "warn",
  });
});
afterEach(async () => {
  if (run.child.exitCode === null) await run.interrupt();
  await interruptible.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function said(words: string): Promise<void> {
  await expect.poll(() => run.said(), PATIENCE).toContain(words);
}

test("set-up: a starting server waits for the database and says so; a running one logs an outage once", async () => {
  await said("is unreachable");
  await interruptible.setFault(null);
  const { url } = await run.ready();
  const ready = async () => {
    const answer = await fetch(`${url}/api/ready`);
    return [answer.status, ((await answer.json()) as { message?: string }).message];
  };
  await expect.poll(ready, PATIENCE).toEqual([200, undefined]);
  await interruptible.setFault("killed");
  await said("\nthe database is unreachable");
  await expect.poll(ready, PATIENCE).toEqual([503, "The database cannot be reached."]);
  await interruptible.setFault(null);
  await said("\nthe database is back");
  await expect.poll(ready, PATIENCE).toEqual([200, undefined]);
  await run.interrupt();

  const { host, port, database: name } = interruptible.database.connection;
  const place = `the database at ${host}:${port}/${name}`;
  const lines = run.printed().trim().split("\n");
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(
    parsed
      .map(({ msg }) => msg)
      .filter((msg) => !/^this server is (the|no longer the) bridge|^audit sealed/.test(String(msg))),
  ).toEqual([
    `${place} is unreachable`,
    `${place} is back`,
    "the account of DATABASE_URL could change the audit: let another one own the tables",
    "Suncrew is ready",
    "the database is unreachable",
    "the database is back",
    "stopping",
  ]);
  expect(run.printed()).not.toMatch(/"(error|reason)":(\{\}|"")/);
});

test("set-up: a start that is waiting for the database can be stopped", async () => {
  await said("is unreachable");
  run.child.kill("SIGTERM");
  expect(await run.ended()).toBe(0);
});
