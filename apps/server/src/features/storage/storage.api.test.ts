import { storage } from "@suncrew/contract/storage/storage.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { Retention } from "./retention.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp({ settings: { keepDays: { mails: 30 } } });
});
afterEach(() => server.close());

const daysAgo = (days: number) => new Date(TEST_NOW.getTime() - days * 86_400_000);
const read = async () => (await server.as("admin")).ask(storage);
const addMail = (id: number, days: number) =>
  sql`insert into outgoing_mails (kind, about_id, status, created_at) values ('A', ${id}, 'SENT', ${daysAgo(days)})`.execute(
    server.db,
  );
async function kindOf(name: string) {
  const { kinds } = await read();
  return kinds.find(({ kind }) => kind === name);
}

describe("what is stored", () => {
  test("each kind has its size, its oldest row, how long it is kept and when the oldest is deleted", async () => {
    await addMail(1, 20);
    await addMail(2, 10);
    await sql`select ensure_readings_partition('2026-05-01'::date)`.execute(server.db);
    await sql`insert into readings (robot_id, site_id, received_at, robot_ts, session, seq, status, robot_status, motion,
        mode, battery, charging)
      select ${server.fixtures.ownRobot.id}, ${server.fixtures.ownSiteId}, '2026-05-20', '2026-05-20', 1, n, 'IDLE', 'idle',
        'STOPPED', 'AUTO', 80, false from generate_series(1, 500) n`.execute(server.db);
    await sql`analyze outgoing_mails, readings`.execute(server.db);
    const { kinds, database_bytes, other_bytes, last_deletion } = await read();
    const find = (name: string) => kinds.find(({ kind }) => kind === name);
    expect(find("mails")).toMatchObject({
      keep_days: 30,
      rows: 2,
      oldest_at: daysAgo(20).toISOString(),
      next_deletion_at: daysAgo(-10).toISOString(),
    });
    expect(find("mails")?.bytes).toBeGreaterThan(8_192);
    // A month goes as a whole.
    expect(find("readings")).toMatchObject({
      keep_days: 92,
      rows: 500,
      oldest_at: "2026-05-01T00:00:00.000Z",
      next_deletion_at: "2026-09-01T00:00:00.000Z",
    });
    expect(find("robot_days")).toMatchObject({ keep_days: null, oldest_at: null, next_deletion_at: null });
    const sum = kinds.reduce((total, { bytes }) => total + bytes, 0);
    expect(sum + other_bytes).toBe(database_bytes);
    expect(last_deletion).toBeNull();
  });

  test("it is measured every few minutes, and says what the last round deleted", async () => {
    await addMail(1, 40);
    expect((await kindOf("mails"))?.oldest_at).toBe(daysAgo(40).toISOString());
    await new Retention(server.deps).runOnce();
    expect((await read()).last_deletion).toBeNull();
    server.clock.advance(3 * 60_000);
    const { last_deletion, kinds } = await read();
    expect(last_deletion).toEqual({ at: TEST_NOW.toISOString(), deleted: [{ kind: "mails", rows: 1 }] });
    expect(kinds.find(({ kind }) => kind === "mails")).toMatchObject({ oldest_at: null, next_deletion_at: null });
  });

  test("what has its age and is still there has no time at which it is deleted", async () => {
    await sql`insert into robot_presence (robot_id, site_id, online_at, offline_at)
      values (${server.fixtures.ownRobot.id}, ${server.fixtures.ownSiteId}, ${daysAgo(900)}, ${daysAgo(899)})`.execute(
      server.db,
    );
    await sql`delete from site_days`.execute(server.db);
    await new Retention(server.deps).runOnce();
    expect(await kindOf("presence")).toMatchObject({ oldest_at: daysAgo(899).toISOString(), next_deletion_at: null });
  });

  test("how long the audit is kept is told as its owner stored it, whatever this server's setting is", async () => {
    expect(await kindOf("audit")).toMatchObject({ keep_days: null });
    await sql`update audit_retention set keep_days = 400`.execute(server.db);
    server.clock.advance(3 * 60_000);
    expect(await kindOf("audit")).toMatchObject({ keep_days: 400 });
  });
});
