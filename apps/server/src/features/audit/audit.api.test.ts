import { auditList } from "@suncrew/contract/audit/audit.ts";
import { createPartner } from "@suncrew/contract/partners/partners.ts";
import { createSite, deleteSite } from "@suncrew/contract/sites/sites.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { recordAudit } from "./audit.writes.ts";
import { Sealer } from "./sealer.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

const record = (name: string, minute: number, more: object = {}) =>
  recordAudit(server.db, {
    actor: { userId: null, name },
    action: "UPDATE_THING",
    entity: "thing",
    entityId: minute,
    outcome: "DONE",
    at: new Date(TEST_NOW.getTime() + minute * 60_000),
    ...more,
  });

describe("added call GET api/audit", () => {
  test("tells who did what to which thing, before and after, newest first, by pages that nothing new moves", async () => {
    for (let minute = 1; minute <= 7; minute += 1) await record("Pager", minute, { after: { minute } });
    const admin = await server.as("admin");
    const seen: (string | null)[] = [];
    let cursor: string | undefined;
    do {
      const page = await admin.ask(auditList, { query: { actor: "Pager", limit: "3", cursor } });
      expect([page.total, page.total_exact]).toEqual([seen.length === 0 ? 7 : page.total, true]);
      seen.push(...page.entries.map((entry) => entry.entity_id));
      cursor = page.next_cursor ?? undefined;
      await record("Pager", 50);
    } while (cursor !== undefined);
    expect(seen).toEqual(["7", "6", "5", "4", "3", "2", "1"]);
  });

  test("each filter narrows, and all of them together; words find in any case and nothing in them is a wildcard", async () => {
    const { ownSiteId } = server.fixtures;
    await record("Finder", 1, { siteId: ownSiteId, action: "LOCK", entity: "robot", reason: "Brush 100% worn" });
    await record("Finder", 2, { siteId: ownSiteId, outcome: "REFUSED", reason: "Cleaning now" });
    await record("Finder", 3, { outcome: "FAILED" });
    const admin = await server.as("admin");
    const minutes = async (query: Record<string, string>) =>
      (await admin.ask(auditList, { query: { actor: "Finder", ...query } })).entries.map(({ entity_id }) => entity_id);
    expect(await minutes({})).toEqual(["3", "2", "1"]);
    expect(await minutes({ site_id: String(ownSiteId) })).toEqual(["2", "1"]);
    expect(await minutes({ outcome: "REFUSED" })).toEqual(["2"]);
    expect(await minutes({ action: "LOCK" })).toEqual(["1"]);
    expect(await minutes({ entity: "thing" })).toEqual(["3", "2"]);
    expect(await minutes({ search: "100% WORN" })).toEqual(["1"]);
    expect(await minutes({ search: "%" })).toEqual(["1"]);
    expect(await minutes({ search: "ownfield" })).toEqual(["2", "1"]);
    const at = (minute: number) => new Date(TEST_NOW.getTime() + minute * 60_000).toISOString();
    expect(await minutes({ from: at(2), to: at(3) })).toEqual(["2"]);
    expect(await minutes({ entity: "thing", site_id: String(ownSiteId), search: "cleaning", to: at(3) })).toEqual([
      "2",
    ]);
    const backwards = await admin.call(auditList, { query: { from: at(3), to: at(2) } });
    expect(backwards.status).toBe(400);
    expect(backwards.body).toMatchObject({ errors: [{ field: "to" }] });
  });

  test("counting ends at 10,000 unless the exact number is asked for, and it tells what there is to filter by", async () => {
    const rows = Array.from({ length: 10_001 }, (_, index) => ({ name: `row ${index}` }));
    await server.db
      .insertInto("audit")
      .columns(["at", "actor", "action", "entity", "outcome"])
      .expression((eb) =>
        eb
          .selectFrom(eb.fn<{ n: number }>("generate_series", [eb.lit(1), eb.lit(rows.length)]).as("n"))
          .select((e) => [
            e.val(TEST_NOW).as("at"),
            e.val("Counter").as("actor"),
            e.val("COUNT").as("action"),
            e.val("number").as("entity"),
            e.val("DONE" as const).as("outcome"),
          ]),
      )
      .execute();
    const admin = await server.signIn("admin");
    const bounded = await admin.ask(auditList, { query: { actor: "Counter", limit: "1" } });
    expect([bounded.total, bounded.total_exact]).toEqual([10_000, false]);
    const exact = await admin.ask(auditList, { query: { actor: "Counter", limit: "1", exact_total: "true" } });
    expect([exact.total, exact.total_exact]).toEqual([10_001, true]);
    expect(exact.actions).toEqual(expect.arrayContaining(["COUNT", "SIGN_IN"]));
    expect(exact.entities).toEqual(expect.arrayContaining(["number", "session"]));
  });

  test("§6: what a role may never do is on record as refused, with who tried; a deleted site keeps its name", async () => {
    const owner = await server.as("owner");
    const body = { name: "X", contact_person: "Y", contact_info: "1", email: "x@y.example", address: "Z" };
    expect((await owner.call(createPartner, { body: { ...body, city: "C", state: "S", zip_code: "1" } })).status).toBe(
      403,
    );
    const admin = await server.as("admin");
    const { entries } = await admin.ask(auditList, { query: { action: "CREATE_PARTNER", outcome: "REFUSED" } });
    expect(entries).toMatchObject([{ actor: "Omkar Jain", reason: "The role does not allow this.", before: null }]);

    const site = { address: "A", district: "D", state: "S", pin_code: "342301", commissioning_date: "2024-01-31" };
    const { siteId } = await admin.ask(createSite, {
      body: { name: "Short-lived Park", ...site, latitude: 12.5, longitude: 77.25 },
    });
    await admin.ask(deleteSite, { params: { id: siteId } });
    const ofSite = await admin.ask(auditList, { query: { site_id: String(siteId) } });
    expect(ofSite.entries.map(({ action, site_name }) => [action, site_name])).toEqual([
      ["DELETE_SITE", "Short-lived Park"],
      ["CREATE_SITE", "Short-lived Park"],
    ]);
    expect(ofSite.entries[1]?.after).toMatchObject({ name: "Short-lived Park" });
  });

  test("a row bears its seal and the answer the head, once it is sealed", async () => {
    await record("Sealed", 1);
    const admin = await server.as("admin");
    const ask = () => admin.ask(auditList, { query: { actor: "Sealed" } });
    expect((await ask()).entries[0]?.seal).toBeNull();
    await new Sealer(server.parts).look();
    const { entries, head } = await ask();
    expect(entries[0]?.seal?.number).toBeGreaterThan(0);
    const everything = await admin.ask(auditList, { query: { limit: "1000" } });
    const newest = everything.entries
      .map(({ seal }) => seal)
      .toSorted((a, b) => (b?.number ?? 0) - (a?.number ?? 0))[0];
    expect({ number: head?.number, hash: head?.hash }).toEqual(newest);
  });
});
