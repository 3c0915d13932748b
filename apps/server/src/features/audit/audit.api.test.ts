import { auditList, exportAudit } from "@suncrew/contract/audit/audit.ts";
import { provisionDevices } from "@suncrew/contract/devices/devices.ts";
import { createPartner, deletePartner, updatePartner } from "@suncrew/contract/partners/partners.ts";
import { createRobot, deleteRobot, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { createSite, deleteSite, updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { readCsv } from "@suncrew/domain/csv/csv.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import { recordChange, recordChanges } from "./audit.repository.ts";
import { Sealer } from "./sealer.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

const record = (name: string, minute: number, more: object = {}) =>
  recordChange(server.db, {
    actor: { userId: null, name },
    action: "UPDATE_THING",
    entity: "thing",
    entityId: minute,
    outcome: "DONE",
    at: new Date(TEST_NOW.getTime() + minute * 60_000),
    ...more,
  });

/** As autovacuum does in time: without statistics a search of thousands of new rows reads far too many. */
const analyse = () => sql`vacuum analyze`.execute(server.db);

describe("added call GET api/audit", () => {
  test("shows who did what to which thing, before and after, newest first, by pages that stay stable", async () => {
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

  test("each filter narrows, and all of them together; words are found in any case and contain no wildcards", async () => {
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

  test("counting ends at 10,000 unless the exact number is requested, and the answer lists what can be filtered by", async () => {
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
    await analyse();
    const admin = await server.signIn("admin");
    const bounded = await admin.ask(auditList, { query: { actor: "Counter", limit: "1" } });
    expect([bounded.total, bounded.total_exact]).toEqual([10_000, false]);
    const exact = await admin.ask(auditList, { query: { actor: "Counter", limit: "1", exact_total: "true" } });
    expect([exact.total, exact.total_exact]).toEqual([10_001, true]);
    expect(exact.actions).toEqual(expect.arrayContaining(["COUNT", "SIGN_IN"]));
    expect(exact.entities).toEqual(expect.arrayContaining(["number", "session"]));
  });

  test("§6: what a role may never do is recorded as refused, with who tried; a deleted site keeps its name", async () => {
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

  test("a row has its seal and the answer the head, once it is sealed", async () => {
    await record("Sealed", 1);
    const admin = await server.as("admin");
    const ask = () => admin.ask(auditList, { query: { actor: "Sealed" } });
    expect((await ask()).entries[0]?.seal).toBeNull();
    await new Sealer(server.deps).runOnce();
    const { entries, head } = await ask();
    expect(entries[0]?.seal?.number).toBeGreaterThan(0);
    const everything = await admin.ask(auditList, { query: { limit: "1000" } });
    const newest = everything.entries
      .map(({ seal }) => seal)
      .toSorted((a, b) => (b?.number ?? 0) - (a?.number ?? 0))[0];
    expect({ number: head?.number, hash: head?.hash }).toEqual(newest);
  });

  describe("names at the time", () => {
    const partner = {
      name: "Sealed Solar",
      contact_person: "Y",
      contact_info: "1",
      email: "y@z.example",
      address: "Z",
    };
    const body = { ...partner, city: "C", state: "S", zip_code: "1" };
    const told = async (query: Record<string, string>) => {
      const { entries } = await (await server.as("admin")).ask(auditList, { query });
      return entries.map(({ action, target_name, site_name }) => [action, target_name, site_name]);
    };

    test("a partner that was renamed and deleted is shown by its name at the time, and found by either name", async () => {
      const admin = await server.as("admin");
      const { partnerId: id } = await admin.ask(createPartner, { body });
      await admin.ask(updatePartner, { params: { id }, body: { ...body, name: "Renamed Solar" } });
      await admin.ask(deletePartner, { params: { id } });
      const all = [
        ["DELETE_PARTNER", "Renamed Solar", null],
        ["UPDATE_PARTNER", "Sealed Solar", null],
        ["CREATE_PARTNER", "Sealed Solar", null],
      ];
      expect(await told({ search: "sealed SOL" })).toEqual(all);
      expect(await told({ search: "Renamed Solar" })).toEqual(all);
      const { entries } = await admin.ask(auditList, { query: { action: "UPDATE_PARTNER" } });
      // Only what people type about a partner, and the same on both sides.
      expect(Object.keys(entries[0]?.before ?? {}).toSorted()).toEqual(Object.keys(entries[0]?.after ?? {}).toSorted());
      expect(entries[0]?.before).not.toHaveProperty("built_in");
      expect(entries[0]?.before).not.toHaveProperty("created_at");
    });

    test("so are a robot, with its serial number, and a site", async () => {
      const admin = await server.as("admin");
      const place = { address: "A", district: "D", state: "S", pin_code: "342301", commissioning_date: "2024-01-31" };
      const park = { name: "Old Park", ...place, latitude: 13.5, longitude: 78.25 };
      const { siteId } = await admin.ask(createSite, { body: park });
      const robot = { site_id: siteId, robot_name: "Row 7", serial_number: "NAMED-7", installation_date: "2024-02-01" };
      const types = { motor_type: null, control_type: null };
      await admin.ask(provisionDevices, { body: { first_serial: "NAMED-7", last_serial: "NAMED-7" } });
      const { robotId } = await admin.ask(createRobot, { body: { ...robot, ...types } });
      const params = { id: robotId };
      await admin.ask(updateRobot, { params, body: { ...robot, ...types, robot_name: "Row 8" } });
      await admin.ask(updateSite, { params: { id: siteId }, body: { ...park, name: "New Park" } });
      await admin.ask(deleteRobot, { params });
      expect(await told({ site_id: String(siteId) })).toEqual([
        ["DELETE_ROBOT", "Row 8 (NAMED-7)", "New Park"],
        ["UPDATE_SITE", "Old Park", "New Park"],
        ["UPDATE_ROBOT", "Row 7 (NAMED-7)", "Old Park"],
        ["CREATE_ROBOT", "Row 7 (NAMED-7)", "Old Park"],
        ["CREATE_SITE", "Old Park", "Old Park"],
      ]);
      // Including that of the device.
      expect(await told({ search: "named-7" })).toHaveLength(4);
      expect(await told({ search: "old park" })).toHaveLength(5);
    });

    test("values that are ids have the name beside them", async () => {
      const { ownSiteId, ownRobot } = server.fixtures;
      const named = { site_id: ownSiteId, maintenance_partner_id: 1, robot_ids: [ownRobot.id], template_id: null };
      await record("Namer", 1, { after: named });
      const { entries } = await (await server.as("admin")).ask(auditList, { query: { actor: "Namer" } });
      const names = {
        site: "Ownfield Park",
        maintenance_partner: "In-house",
        robots: [ownRobot.serial],
        template: null,
      };
      expect(entries[0]?.after).toEqual({ ...named, ...names });
    });

    test("what was refused before it existed is found by the requested name", async () => {
      const admin = await server.as("admin");
      const [row] = await server.db.selectFrom("sites").selectAll().where("deleted_at", "is", null).execute();
      const place = { address: "A", district: "D", state: "S", pin_code: "342301", commissioning_date: "2024-01-31" };
      const taken = { name: "Twice There", ...place, latitude: row?.latitude ?? 0, longitude: row?.longitude ?? 0 };
      expect((await admin.call(createSite, { body: taken })).status).toBe(409);
      expect(await told({ search: "twice there" })).toEqual([["CREATE_SITE", "Twice There", null]]);
    });
  });

  test("action and entity words are found as the screen shows them; people's, in every script", async () => {
    await record("सुनीता शर्मा", 1, { action: "WRITE_LETTER", entity: "paper_mill" });
    const admin = await server.as("admin");
    for (const search of ["Write letter", "paper MILL", "write_let", "सुनीता"]) {
      const { entries } = await admin.ask(auditList, { query: { search } });
      expect([search, entries.map(({ action }) => action)]).toEqual([search, ["WRITE_LETTER"]]);
    }
    const { entries } = await admin.ask(auditList, { query: { search: "Sign in", limit: "1" } });
    expect(entries).toMatchObject([{ action: "SIGN_IN" }]);
    expect((await admin.ask(auditList, { query: { search: "no such words" } })).total).toBe(0);
  });

  test("words that occur in very many texts are found, too", async () => {
    const many = Array.from({ length: 5_001 }, (_, index) => ({
      actor: { userId: null, name: "Crowd" },
      action: "UPDATE_THING",
      entity: "device",
      entityId: `CROWD-${index}`,
      outcome: "DONE" as const,
      at: new Date(TEST_NOW.getTime() - 86_400_000),
    }));
    await recordChanges(server.db, many);
    await analyse();
    const admin = await server.signIn("admin");
    const { total, entries } = await admin.ask(auditList, { query: { search: "crowd-", limit: "2" } });
    expect([total, entries.map(({ target_name }) => target_name)]).toEqual([5_001, ["CROWD-5000", "CROWD-4999"]]);
  });
});

describe("added call GET api/audit/export", () => {
  test("everything the filter selects, in the screen's words, without formulas; invalid filters are named", async () => {
    await record("=Exporter", 1, {
      siteId: server.fixtures.ownSiteId,
      before: { speed: 10, on: true },
      after: { speed: 20, on: true },
    });
    await record("=Exporter", 2, { outcome: "REFUSED", reason: "Not now", before: null });
    const admin = await server.as("admin");
    const answer = await admin.raw(`${exportAudit.path}?actor=%3DExporter`, { method: "GET" });
    expect(answer.headers["content-disposition"]).toBe('attachment; filename="audit-2026-06-15.csv"');
    expect(answer.text).toContain("'=Exporter");
    const { rows } = readCsv(answer.text, 10);
    expect(rows.map(({ cells }) => cells)).toMatchObject([
      { person: "=Exporter", change: "Update thing", kind: "Thing", outcome: "Refused", reason: "Not now", site: "" },
      { "time (utc)": "2026-06-15T06:31:00.000Z", outcome: "Done", values: "Speed: 10 -> 20", site: "Ownfield Park" },
    ]);
    for (const [query, field] of [
      ["from=x", "from"],
      ["to=0000-01-01T00:00:00Z", "to"],
      ["action=%00", "action"],
    ] as const) {
      const wrong = await admin.raw(`${exportAudit.path}?${query}`, { method: "GET" });
      expect([query, wrong.status, wrong.body]).toMatchObject([query, 400, { errors: [{ field }] }]);
    }
    expect((await admin.call(exportAudit, { query: { site_id: "999999" } })).status).toBe(404);
  });

  test("§6: only Super Admins may make this call", async () => {
    expect((await (await server.as("owner")).call(exportAudit)).status).toBe(403);
  });
});
