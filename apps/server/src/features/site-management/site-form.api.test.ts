import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { createSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { duplicateLocation, duplicateSiteName } from "@suncrew/domain/sites/site-duplicates.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Person } from "../../../test/fixtures.ts";
import { createRestorePoint, type RestorePoint } from "../../../test/restore-point.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
let restorePoint: RestorePoint;
beforeAll(async () => {
  server = await createTestApp();
  restorePoint = await createRestorePoint(server.db);
});
beforeEach(async () => {
  await restorePoint.restore();
  await server.db.deleteFrom("audit").execute();
});
afterAll(() => server.close());

const form = {
  name: "Newfield Park",
  address: "Newfield Road 1",
  district: "Kurnool",
  state: "Andhra Pradesh",
  pin_code: "518001",
  commissioning_date: "2024-02-29",
  latitude: 15.8281,
  longitude: "78.0373",
};
const typed = {
  maintenance_partner_id: null,
  maintenance_contact_name: "Ravi Kumar",
  maintenance_contact: "+91 98765 43210",
  maintenance_email: "ravi@park.example",
};

type Change = Readonly<Record<string, unknown>>;

async function create(change: Change = {}, who: Person = "admin") {
  return (await server.as(who)).raw(createSite.path, { method: "POST", body: { ...form, ...change } });
}

async function update(change: Change = {}, who: Person = "admin", id = server.fixtures.ownSiteId) {
  return (await server.as(who)).raw(`/api/sites/update/${id}`, { method: "PUT", body: { ...form, ...change } });
}

const sites = async () => (await server.as("admin")).ask(siteDetails);
const siteNamed = async (name: string) => (await sites()).find((site) => site.name === name);
const siteWith = async (siteId: number) => (await sites()).find(({ id }) => id === siteId);

const fieldsOf = (body: unknown) =>
  typeof body === "object" && body !== null && "errors" in body && Array.isArray(body.errors)
    ? body.errors.map((error: { field: string }) => error.field)
    : [];

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other);

const audits = () =>
  server.db
    .selectFrom("audit")
    .select(["action", "outcome", "entity_id", "site_id", "actor", "reason", "before", "after"])
    .where("entity", "=", "site")
    .orderBy("id")
    .execute();

describe("§7 POST api/sites/create", () => {
  test("a site is visible to everybody immediately, trimmed, with its time zone and version 1", async () => {
    const { status, body } = await create({ name: "  Newfield Park ", pin_code: " 518001 " });
    expect([status, body]).toEqual([201, { message: "Site created successfully", siteId: expect.any(Number) }]);
    expect(await siteNamed("Newfield Park")).toMatchObject({
      ...form,
      longitude: 78.0373,
      timezone: "Asia/Kolkata",
      version: 1,
      status: "standby",
      robot_count: 0,
    });
    expect(await audits()).toMatchObject([
      { action: "CREATE_SITE", outcome: "DONE", actor: "Anita Rao", after: { name: "Newfield Park" } },
    ]);
  });

  const blank = ["name", "address", "district", "state", "pin_code", "commissioning_date", "latitude", "longitude"];
  test.each(blank)("§5: without %s it is refused and the field is named", async (field) => {
    for (const value of [undefined, null, "", "   "]) {
      const { status, body } = await create({ [field]: value });
      expect([value, status, fieldsOf(body)]).toEqual([value, 400, [field]]);
    }
    expect(await sites()).toHaveLength(3);
  });

  test.each([
    ["latitude", 90.01],
    ["latitude", -91],
    ["latitude", "12,5"],
    ["latitude", "abc"],
    ["longitude", 180.5],
    ["longitude", "-180.0001"],
    ["pin_code", "51800"],
    ["pin_code", "5180011"],
    ["pin_code", "51800a"],
    ["pin_code", 518001],
    ["commissioning_date", "2023-02-29"],
    ["commissioning_date", "29-02-2024"],
    ["commissioning_date", "0000-01-01"],
    ["name", "x".repeat(121)],
    ["address", "x".repeat(301)],
    ["maintenance_email", "nobody"],
  ])("wire: %s %j is refused", async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect([status, fieldsOf(body)]).toEqual([400, [field]]);
  });

  test.each([
    [{ latitude: 90, longitude: 180 }],
    [{ latitude: "-90", longitude: "-180" }],
    [{ latitude: 0, longitude: 0 }],
    [{ latitude: "+15.123456789", longitude: ".5" }],
  ])("any decimal in range is accepted as a coordinate: %j", async (place) => {
    expect((await create(place)).status).toBe(201);
  });
});

describe("§5 Site create: the maintenance partner, or all of contact, phone and email", () => {
  test.each([undefined, "", "abc", "1.5", {}, -1, 0])("§9: %j is the default partner, 1", async (choice) => {
    expect((await create({ ...typed, maintenance_partner_id: choice })).status).toBe(201);
    expect(await siteNamed(form.name)).toMatchObject({
      maintenance_partner_id: 1,
      partner_name: "In-house",
      maintenance_contact: null,
      maintenance_contact_name: null,
      maintenance_email: null,
    });
  });

  test("null means none: what was typed is stored", async () => {
    expect((await create(typed)).status).toBe(201);
    expect(await siteNamed(form.name)).toMatchObject({ ...typed, partner_name: null });
  });

  test("null without contact, phone or email names each that is missing", async () => {
    const fields = ["maintenance_contact_name", "maintenance_contact", "maintenance_email"];
    const none = await create({ maintenance_partner_id: null });
    expect([none.status, fieldsOf(none.body)]).toEqual([400, fields]);
    for (const field of fields) {
      const { status, body } = await create({ ...typed, [field]: "" });
      expect([status, fieldsOf(body)]).toEqual([400, [field]]);
    }
  });

  test("an id that is no partner's, or a deleted partner's, is refused", async () => {
    await server.db
      .updateTable("partners")
      .set({ deleted_at: new Date() })
      .where("id", "=", server.fixtures.strangerPartnerId)
      .execute();
    for (const id of [999_999, server.fixtures.strangerPartnerId]) {
      const { status, body } = await create({ maintenance_partner_id: id });
      expect([status, fieldsOf(body)]).toEqual([400, ["maintenance_partner_id"]]);
    }
    expect((await audits()).map(({ outcome }) => outcome)).toEqual(["REFUSED", "REFUSED"]);
  });

  test("the partner sees its new site, no other partner does", async () => {
    await create({ maintenance_partner_id: String(server.fixtures.ownerPartnerId) });
    const names = async (who: Person) => (await (await server.as(who)).ask(siteDetails)).map(({ name }) => name);
    expect(await names("owner")).toContain(form.name);
    expect(await names("stranger")).not.toContain(form.name);
  });
});

describe("§5 Site create: duplicates", () => {
  test.each(["Ownfield Park", " ownfield park ", "OWNFIELD PARK"])("the name %j is taken", async (name) => {
    const { status, body } = await create({ name });
    expect([status, body]).toEqual([
      409,
      {
        message: duplicateSiteName.message,
        code: "SITE_NAME_TAKEN",
        errors: [{ field: "name", message: duplicateSiteName.message }],
      },
    ]);
    expect(await audits()).toMatchObject([{ outcome: "REFUSED", reason: duplicateSiteName.message, entity_id: null }]);
  });

  test.each([
    ["ÉCOLE ΣΟΛ", "école σολ", 409],
    ["ΟΔΟΣ", "οδοσ", 409],
    ["e\u0301toile", "Étoile", 409],
    ["Own field Park", "Ownfield  Park", 201],
    ["भडला", "भडला ", 409],
  ])("after %j the name %j answers %d, never 500", async (first, second, expected) => {
    expect((await create({ name: first, latitude: 1 })).status).toBe(201);
    expect((await create({ name: second, latitude: 2 })).status).toBe(expected);
  });

  // Ownfield Park lies at 27.53, 71.91.
  test.each([
    [27.53, 71.91, 409],
    ["27.530099", "71.909901", 409],
    [27.5301, 71.91, 201],
    ["27.53", "71.9101", 201],
    [27.5299, 71.91, 201],
    [27.530099, 71.9101, 201],
  ])(
    "the place %s, %s answers %d: nearer than 0.0001 degrees on both axes is taken",
    async (latitude, longitude, is) => {
      const { status, body } = await create({ latitude, longitude });
      expect([status, fieldsOf(body)]).toEqual([is, is === 409 ? ["latitude", "longitude"] : []]);
      const refusal = { message: duplicateLocation.message, code: "SITE_LOCATION_TAKEN" };
      expect(body).toMatchObject(is === 409 ? refusal : {});
    },
  );

  test("name and place of a deleted site are free", async () => {
    await server.db
      .updateTable("sites")
      .set({ deleted_at: new Date() })
      .where("id", "=", server.fixtures.ownSiteId)
      .execute();
    expect((await create({ name: "Ownfield Park", latitude: 27.53, longitude: 71.91 })).status).toBe(201);
  });

  test("of two concurrent requests with one name, or one place, one is created and the other is told why", async () => {
    const names = await Promise.all([create({ latitude: 10 }), create({ latitude: 11, name: "NEWFIELD park" })]);
    expect(statusesOf(names)).toEqual([201, 409]);
    const places = await Promise.all(["a", "b", "c", "d"].map((name) => create({ name, latitude: 12, longitude: 70 })));
    expect(statusesOf(places)).toEqual([201, 409, 409, 409]);
  });
});

describe("§7 PUT api/sites/update", () => {
  const own = async () => {
    const site = await siteWith(server.fixtures.ownSiteId);
    if (site === undefined) throw new Error("Ownfield Park is not there.");
    const { name, address, district, state, pin_code, commissioning_date, latitude, longitude } = site;
    return { name, address, district, state, pin_code, commissioning_date, latitude, longitude };
  };

  test("an edit is stored and counted; §4: an omitted partner stays, whatever is sent for it", async () => {
    const { ownerPartnerId } = server.fixtures;
    for (const [nth, choice] of [undefined, "", "abc", String(ownerPartnerId)].entries()) {
      const change = { name: `Renamed ${nth}`, maintenance_partner_id: choice };
      expect((await update(change, nth % 2 === 0 ? "owner" : "admin")).status).toBe(200);
      expect(await siteWith(server.fixtures.ownSiteId)).toMatchObject({
        name: `Renamed ${nth}`,
        maintenance_partner_id: ownerPartnerId,
        version: nth + 2,
      });
    }
    const [first] = await audits();
    expect(first).toMatchObject({
      action: "UPDATE_SITE",
      outcome: "DONE",
      actor: "Omkar Jain",
      before: { name: "Ownfield Park" },
      after: { name: "Renamed 0" },
    });
  });

  test("a site keeps its own name and place; another's are refused", async () => {
    expect((await update(await own())).status).toBe(200);
    expect((await update({ ...(await own()), name: "ownfield PARK" })).status).toBe(200);
    const name = await update({ ...(await own()), name: "farfield park" });
    expect([name.status, fieldsOf(name.body)]).toEqual([409, ["name"]]);
    const place = await update({ ...(await own()), latitude: 14.1, longitude: 77.28 });
    expect([place.status, fieldsOf(place.body)]).toEqual([409, ["latitude", "longitude"]]);
    const both = await update({ name: "farfield park", latitude: 14.1, longitude: 77.28 });
    expect([both.status, fieldsOf(both.body)]).toEqual([409, ["name", "latitude", "longitude"]]);
  });

  test("an edit that changes nothing counts as none", async () => {
    expect((await update({ ...(await own()), latitude: "27.530", version: 1 })).status).toBe(200);
    expect(await siteWith(server.fixtures.ownSiteId)).toMatchObject({ version: 1 });
    expect(await audits()).toEqual([]);
  });

  test("§6: a partner cannot change the partner of a site, not even to none", async () => {
    for (const id of [1, server.fixtures.strangerPartnerId, 999_999, null]) {
      const { status } = await update({ ...typed, maintenance_partner_id: id }, "owner");
      expect([id, status]).toEqual([id, 403]);
    }
    expect((await audits()).map(({ outcome }) => outcome)).toEqual(Array(4).fill("REFUSED"));
    expect(await siteWith(server.fixtures.ownSiteId)).toMatchObject({ name: "Ownfield Park", version: 1 });
  });

  test("§6: a Super Admin gives it to another partner, to none and back; typed contacts are cleared by a partner", async () => {
    expect((await update({ ...typed })).status).toBe(200);
    expect(await siteWith(server.fixtures.ownSiteId)).toMatchObject(typed);
    expect((await (await server.as("owner")).ask(siteDetails)).map(({ name }) => name)).not.toContain(form.name);
    // Omitted: none stays none, so a contact must be named.
    const { maintenance_partner_id: _left, ...contacts } = typed;
    expect((await update({ ...contacts, name: "Again" })).status).toBe(200);
    expect(fieldsOf((await update({ name: "Once more" })).body)).toHaveLength(3);
    const stranger = { maintenance_partner_id: server.fixtures.strangerPartnerId };
    expect((await update({ ...typed, ...stranger })).status).toBe(200);
    expect(await siteWith(server.fixtures.ownSiteId)).toMatchObject({
      ...stranger,
      maintenance_contact: null,
      maintenance_contact_name: null,
      maintenance_email: null,
    });
    expect((await (await server.as("stranger")).ask(siteDetails)).map(({ name }) => name)).toContain(form.name);
    expect((await update({}, "owner")).status).toBe(404);
  });

  test("two people editing concurrently: the second is told and the first's changes are kept", async () => {
    expect((await update({ version: 1 })).status).toBe(200);
    const second = await update({ name: "Second", version: 1 });
    expect([second.status, second.body]).toMatchObject([
      409,
      { message: "Somebody else has changed this site in the meantime.", errors: [{ field: "version" }] },
    ]);
    expect(await siteWith(server.fixtures.ownSiteId)).toMatchObject({ name: form.name, version: 2 });
    expect((await update({ name: "Second", version: 2 })).status).toBe(200);
    const both = await Promise.all(["a", "b"].map((name) => update({ name, version: 3 })));
    expect(statusesOf(both)).toEqual([200, 409]);
  });

  test("of two sites that take one name concurrently, one gets it", async () => {
    const { ownSiteId, secondSiteId } = server.fixtures;
    const both = await Promise.all([
      update({ latitude: 1 }, "admin", ownSiteId),
      update({ latitude: 2 }, "admin", secondSiteId),
    ]);
    expect(statusesOf(both)).toEqual([200, 409]);
  });

  test.each([{ pin_code: "1" }, { latitude: 91 }, { name: " " }, { version: 0 }, { version: "x" }])(
    "wire: %j is refused",
    async (change) => {
      const { status, body } = await update(change);
      expect([status, fieldsOf(body)]).toEqual([400, Object.keys(change)]);
    },
  );

  test("a partner cannot be deleted while it gets a site, nor a site given to a deleted partner", async () => {
    const { strangerPartnerId } = server.fixtures;
    await server.db.updateTable("sites").set({ maintenance_partner_id: 1 }).execute();
    const admin = await server.as("admin");
    const [given, deleted] = await Promise.all([
      update({ maintenance_partner_id: strangerPartnerId }),
      admin.raw(`/api/partner/deletePartner/${strangerPartnerId}`, { method: "DELETE" }),
    ]);
    const partners = await admin.ask(partnerDetails);
    const isThere = partners.some(({ id }) => id === strangerPartnerId);
    expect([given.status, deleted.status, isThere]).toEqual(isThere ? [200, 409, true] : [400, 200, false]);
  });
});
