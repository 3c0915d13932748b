import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fixtures } from "../../test/fixtures.ts";
import { TEST_NOW } from "../../test/test-app.ts";
import { createSeededDatabase } from "../../test/test-database.ts";
import type { OpenDatabase } from "./database/database.ts";
import {
  endSession,
  openSession,
  readChangedSessions,
  readOpenSessions,
  readSession,
  type Viewer,
} from "./sessions.ts";

let database: OpenDatabase;
let fixtures: Fixtures;
beforeEach(async () => {
  ({ database, fixtures } = await createSeededDatabase());
});
afterEach(() => database.close());

const expiresAt = new Date(TEST_NOW.getTime() + 3_600_000);

async function signIn(userId: number): Promise<Viewer> {
  const id = await openSession(database.db, { userId, now: TEST_NOW, expiresAt });
  const viewer = await readSession(database.db, id, TEST_NOW);
  if (viewer === null) throw new Error("The session is not open.");
  return viewer;
}

test("protocol rule 3: a Stop without the database knows the open sessions, however many there are", async () => {
  const { db } = database;
  for (const sessions of [999, 1_000, 1_001]) {
    await db.deleteFrom("sessions").execute();
    await sql`
      insert into sessions (id, user_id, created_at, expires_at, ended_at)
      select gen_random_uuid(), ${fixtures.userIds.owner}::int, ${TEST_NOW}, ${expiresAt},
        case when n > ${sessions}::int then ${TEST_NOW}::timestamptz end
      from generate_series(1, ${sessions}::int + 7) n`.execute(db);
    const open = await readOpenSessions(db, TEST_NOW);
    expect(open.size).toBe(sessions);
    expect(new Set([...open.values()].map(({ partnerId }) => partnerId))).toEqual(new Set([fixtures.ownerPartnerId]));
  }
});

test("wire, Live: of the viewers of open streams, those are found whose session is over, or whose rights are others", async () => {
  const { db } = database;
  const { admin, owner, stranger } = fixtures.userIds;
  const [kept, over, moved] = [await signIn(admin), await signIn(owner), await signIn(stranger)];
  const viewers = [kept, over, moved, kept];
  expect(await readChangedSessions(db, TEST_NOW, viewers)).toEqual(new Map());
  await endSession(db, over.sessionId, TEST_NOW);
  await db.updateTable("users").set({ partner_id: fixtures.ownerPartnerId }).where("id", "=", stranger).execute();
  expect(await readChangedSessions(db, TEST_NOW, viewers)).toEqual(
    new Map([
      [over.sessionId, null],
      [moved.sessionId, { role: "PARTNER", partnerId: fixtures.ownerPartnerId }],
    ]),
  );
  expect(new Set((await readChangedSessions(db, expiresAt, viewers)).values())).toEqual(new Set([null]));
});
