import { sql } from "kysely";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { composeRegular, RegularMessages } from "./regular-messages.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

/** TEST_NOW is 12:00 there. */
const ofOwner = () => ({
  name: "Phone",
  owner_kind: "PERSON" as const,
  user_id: server.fixtures.userIds.owner,
  channel: "TELEGRAM" as const,
  address: "7",
  timezone: "Asia/Kolkata",
  created_at: server.clock.now(),
});
const deliveries = () =>
  server.db
    .selectFrom("deliveries")
    .select(["message_kind", "title", "due_at", "held_until", "content", "told"])
    .orderBy("created_at")
    .orderBy("message_kind")
    .execute();

describe("notifications: regular messages", () => {
  test("each is queued once a day when its time has come by the recipient's clock, however many servers look", async () => {
    await server.db
      .insertInto("contact_points")
      .values({ ...ofOwner(), digest_at: "12:01", summary_at: "11:30" })
      .execute();
    await server.db
      .insertInto("contact_points")
      .values({ ...ofOwner(), digest_at: "06:00" })
      .execute();
    const servers = [1, 2, 3].map(() => new RegularMessages(server.deps));
    const look = () => Promise.all(servers.map((each) => each.runOnce()));
    await look();
    expect((await deliveries()).map(({ message_kind }) => message_kind)).toEqual(["SUMMARY"]);
    server.clock.advance(60_000);
    await look();
    expect((await deliveries()).map(({ message_kind }) => message_kind)).toEqual(["SUMMARY", "DIGEST"]);
    server.clock.advance(86_400_000);
    await look();
    expect(await deliveries()).toHaveLength(4);
  });

  test("each by the clock that messages go by, also where PostgreSQL knows another zone by that name or none", async () => {
    // PostgreSQL has Jerusalem's time for IST, where it is 8:30, and none for the others; the last is known to nobody.
    for (const timezone of ["IST", "SystemV/PST8", "Asia/Nowhere", "Asia/Kolkata"]) {
      await server.db
        .insertInto("contact_points")
        .values({ ...ofOwner(), name: timezone, timezone, digest_at: timezone === "Asia/Kolkata" ? "12:00" : "06:30" })
        .execute();
    }
    await new RegularMessages(server.deps).runOnce();
    const rows = await server.db.selectFrom("deliveries").select("contact_point_name").orderBy("id").execute();
    expect(rows.map(({ contact_point_name }) => contact_point_name)).toEqual(["IST", "Asia/Nowhere", "Asia/Kolkata"]);
  });

  test("§6: it tells of the owner's sites alone, and waits for the end of a quiet time", async () => {
    const { db, fixtures, clock } = server;
    const base = { source: "SERVER" as const, severity: "CRITICAL" as const, raised_at: clock.now() };
    await db
      .insertInto("alerts")
      .values([
        { ...base, site_id: fixtures.ownSiteId, code: "SITE_DARK", text: "Own" },
        { ...base, site_id: fixtures.foreignSiteId, code: "SITE_DARK", text: "Foreign" },
        { ...base, site_id: null, code: "SERVER_CLOCK", text: "Servers" },
      ])
      .execute();
    await db
      .insertInto("contact_points")
      .values({ ...ofOwner(), digest_at: "12:00", quiet_from: "11:00", quiet_to: "13:00" })
      .execute();
    await new RegularMessages(server.deps).runOnce();
    const end = new Date(clock.now().getTime() + 3_600_000);
    expect(await deliveries()).toMatchObject([
      { due_at: end, held_until: end, content: { open: [{ text: "Own" }], open_count: 1 } },
    ]);
  });

  test("none is made on a day off, and the next day's is made as always", async () => {
    const daily = { digest_at: "12:00", summary_at: "12:00" };
    // TEST_NOW is a Monday.
    await server.db
      .insertInto("contact_points")
      .values({ ...ofOwner(), ...daily, days_off: [1] })
      .execute();
    const watch = new RegularMessages(server.deps);
    await watch.runOnce();
    expect(await deliveries()).toEqual([]);
    server.clock.advance(86_400_000);
    await watch.runOnce();
    expect(await deliveries()).toMatchObject([{ held_until: null }, { held_until: null }]);
  });

  test("one that cannot be written or stored holds up nobody else's, is named in the log, and is left out that day", async () => {
    const { db, clock, deps, fixtures } = server;
    const { strangerPartnerId: partner_id } = fixtures;
    const daily = { digest_at: "12:00", summary_at: "12:00" };
    // Nobody knows the clocks of a site of this one.
    const strange = { owner_kind: "PARTNER" as const, user_id: null, partner_id, name: "Strange" };
    await db.updateTable("sites").set({ timezone: "Nowhere" }).where("id", "=", fixtures.foreignSiteId).execute();
    const { id: strangeId } = await db
      .insertInto("contact_points")
      .values({ ...ofOwner(), ...strange, ...daily })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { id: refusedId } = await db
      .insertInto("contact_points")
      .values({ ...ofOwner(), ...daily, name: "Refused" })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db
      .insertInto("contact_points")
      .values({ ...ofOwner(), ...daily })
      .execute();
    await sql`alter table deliveries add constraint refusing check (contact_point_name <> 'Refused')`.execute(db);
    const lines: unknown[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const watch = new RegularMessages({ ...deps, log });
    await watch.runOnce();
    const queued = async () => {
      const rows = await db
        .selectFrom("deliveries")
        .select(["contact_point_name", "message_kind"])
        .orderBy("message_kind")
        .orderBy("contact_point_name")
        .execute();
      return rows.map((row) => `${row.contact_point_name} ${row.message_kind}`);
    };
    expect(await queued()).toEqual(["Phone DIGEST", "Strange DIGEST", "Phone SUMMARY"]);
    const failures = [
      { kind: "DIGEST", contactPointId: refusedId },
      { kind: "SUMMARY", contactPointId: strangeId },
      { kind: "SUMMARY", contactPointId: refusedId },
    ];
    expect(lines).toHaveLength(failures.length);
    // In any order.
    expect(lines).toEqual(
      expect.arrayContaining(failures.map((failure) => expect.objectContaining(failure) as unknown)),
    );
    clock.advance(60_000);
    await watch.runOnce();
    expect(lines).toHaveLength(failures.length);
    expect(await queued()).toHaveLength(3);
  });

  test("each line of them leads to its robot or site in the console", async () => {
    const { db, fixtures, clock, deps } = server;
    const { ownRobot, ownSiteId } = fixtures;
    const base = { source: "SERVER" as const, severity: "CRITICAL" as const, raised_at: clock.now() };
    await db
      .insertInto("alerts")
      .values([
        { ...base, site_id: ownSiteId, robot_id: ownRobot.id, code: "LOST_WHILE_MOVING", text: "Lost" },
        { ...base, site_id: ownSiteId, code: "SITE_DARK", text: "Dark" },
      ])
      .execute();
    await db
      .insertInto("contact_points")
      .values({ ...ofOwner(), digest_at: "12:00", summary_at: "12:00" })
      .execute();
    await new RegularMessages({ ...deps, settings: { publicUrl: () => "https://sun.example" } }).runOnce();
    const site = `https://sun.example/dashboard?site=${ownSiteId}`;
    const robot = `https://sun.example/robots/${ownRobot.serial}`;
    const frame = { id: "1", url: null, footer: "", timezone: "Asia/Kolkata", now: clock.now() };
    const queued = await deliveries();
    const [digest, summary] = queued.map(({ message_kind: kind, content }) =>
      composeRegular({ kind, content }, frame, "https://sun.example"),
    );
    expect(digest?.lines.map(({ text, url }) => [text, url]).toSorted()).toEqual(
      expect.arrayContaining([
        ["Dark", site],
        ["Lost", robot],
      ]),
    );
    expect(queued[1]?.content).toMatchObject({
      sites: expect.arrayContaining([expect.objectContaining({ url: site })]),
    });
    expect(summary?.kind).toBe("SUMMARY");
  });

  test("nothing for a contact point that is switched off, unsubscribed or deleted", async () => {
    const at = server.clock.now();
    for (const off of [{ enabled: false }, { unsubscribed_at: at }, { deleted_at: at }]) {
      await server.db
        .insertInto("contact_points")
        .values({ ...ofOwner(), summary_at: "12:00", ...off })
        .execute();
    }
    await new RegularMessages(server.deps).runOnce();
    expect(await deliveries()).toEqual([]);
  });
});

describe("Alerts: a contact point that messages do not reach", () => {
  test("is named after three failures in a row or a message that was given up, until one arrives", async () => {
    const { id } = await server.db
      .insertInto("contact_points")
      .values({ ...ofOwner(), failures: 2, failed_at: server.clock.now() })
      .returning("id")
      .executeTakeFirstOrThrow();
    const watch = new RegularMessages(server.deps);
    const codes = async () => {
      await watch.runOnce();
      const rows = await server.db.selectFrom("alerts").select(["code", "text", "cleared_at"]).execute();
      return rows.map(({ code, text, cleared_at }) => `${code} ${cleared_at === null} ${/: Phone\./.test(text)}`);
    };
    expect(await codes()).toEqual([]);
    await server.db.updateTable("contact_points").set({ failures: 3 }).where("id", "=", id).execute();
    expect(await codes()).toEqual(["CHANNEL_FAILING true true"]);
    await server.db.updateTable("contact_points").set({ failures: 0, failed_at: null }).where("id", "=", id).execute();
    expect(await codes()).toEqual(["CHANNEL_FAILING false true"]);
  });

  test("a digest that is queued is written and reads as a message", () => {
    const frame = { id: "1", url: null, footer: "", timezone: "Asia/Kolkata", now: server.clock.now() };
    const content = { raised: 1, cleared: 0, done: 3, failed: 0, open: [], open_count: 0 };
    expect(composeRegular({ kind: "DIGEST", content }, frame, "https://sun.example")).toMatchObject({
      kind: "DIGEST",
      url: "https://sun.example/dashboard",
    });
    expect(composeRegular({ kind: "SUMMARY", content }, frame, null)).toBeNull();
  });
});
