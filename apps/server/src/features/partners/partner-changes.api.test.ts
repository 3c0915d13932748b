import { login } from "@suncrew/contract/auth/auth.ts";
import { createPartner, deletePartner, partnerDetails, updatePartner } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addSite, partnerForm } from "../../../test/fixtures.ts";
import { untilBlocked } from "../../../test/row-locks.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { lockLivePartner } from "./public.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const IN_HOUSE = 1;

async function partnerOf(id: number) {
  return (await (await server.as("admin")).ask(partnerDetails)).find((partner) => partner.id === id);
}

async function audits(action: string) {
  return server.db.selectFrom("audit").selectAll().where("action", "=", action).orderBy("id").execute();
}

describe("§7 POST api/partner/create", () => {
  test("creates an ACTIVE partner and a user that can sign in with the returned credentials", async () => {
    const admin = await server.as("admin");
    const form = partnerForm("SunCare Services Pvt. Ltd.", { certifications: "ISO 9001, MNRE", tax_id: "T-1" });
    const made = await admin.ask(createPartner, { body: { ...form, status: "active" } });
    expect(made.message).toBe("Partner created successfully");
    expect(made.credentials.username).toBe("suncare.services");
    expect(await partnerOf(made.partnerId)).toMatchObject({
      ...form,
      country: null,
      registration: null,
      status: "ACTIVE",
      built_in: false,
      version: 1,
      username: "suncare.services",
      user_id: made.userId,
      enc_password: made.credentials.password,
    });
    const { user } = await (await server.as(null)).ask(login, { body: made.credentials });
    const { contact_person: name, email } = form;
    expect(user).toEqual({ id: made.userId, name, email, role: "PARTNER" });
  });

  test.each([
    ["name", "Company name is required"],
    ["contact_person", "Contact person is required"],
    ["email", "Email is required"],
    ["contact_info", "Phone is required"],
    ["address", "Address is required"],
    ["city", "City is required"],
    ["state", "State is required"],
    ["zip_code", "Zip code is required"],
  ])("§5: %s is required, and must not be blank", async (field, message) => {
    const admin = await server.as("admin");
    for (const value of [undefined, "", "   "]) {
      const body = { ...partnerForm("Blank Services"), [field]: value };
      const answer = await admin.raw(createPartner.path, { method: "POST", body });
      expect([answer.status, answer.body]).toEqual([
        400,
        { message, code: "VALIDATION_FAILED", errors: [{ field, message }] },
      ]);
    }
    expect(await audits("CREATE_PARTNER")).toEqual([]);
  });

  test("of many partners of one name created concurrently each gets a username of its own", async () => {
    const admin = await server.as("admin");
    const made = await Promise.all(
      Array.from({ length: 12 }, () => admin.call(createPartner, { body: partnerForm("Twelve Twins") })),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(12).fill(201));
    const names = made.map(({ body }) => createPartner.response.parse(body).credentials.username);
    const numbered = Array.from({ length: 11 }, (_, index) => `twelve.twins${index + 2}`);
    expect(names.toSorted()).toEqual(["twelve.twins", ...numbered].toSorted());
  });

  test("a username that differs from another in case only is taken; one of a deleted partner is free again", async () => {
    const admin = await server.as("admin");
    await server.db.updateTable("users").set({ username: "Green.WORKS" }).where("username", "=", "sadia").execute();
    const create = () => admin.ask(createPartner, { body: partnerForm("Green Works") });
    const second = await create();
    expect(second.credentials.username).toBe("green.works2");
    await admin.ask(deletePartner, { params: { id: second.partnerId } });
    expect((await create()).credentials.username).toBe("green.works2");
  });

  test("is recorded, without the password", async () => {
    const admin = await server.as("admin");
    const made = await admin.ask(createPartner, { body: partnerForm("Recorded Services") });
    const [row] = await audits("CREATE_PARTNER");
    expect(row).toMatchObject({ actor: "Anita Rao", entity_id: String(made.partnerId), outcome: "DONE" });
    expect(row?.after).toMatchObject({ name: "Recorded Services", username: "recorded.services" });
    expect(JSON.stringify(await server.db.selectFrom("audit").selectAll().execute())).not.toContain(
      made.credentials.password,
    );
  });
});

describe("§7 PUT api/partner/update", () => {
  test("changes the record; its user takes over contact person and email, its sites show the new name", async () => {
    const admin = await server.as("admin");
    const { ownerPartnerId: id, userIds } = server.fixtures;
    const before = await server.db.selectFrom("sites").select(["id", "change_no"]).orderBy("id").execute();
    const form = partnerForm("Renamed Services", { country: "India", registration: "R-7" });
    expect((await admin.ask(updatePartner, { params: { id }, body: form })).message).toBe(
      "Partner updated successfully",
    );
    expect(await partnerOf(id)).toMatchObject({ ...form, version: 2, username: "omkar" });
    const user = await server.db.selectFrom("users").selectAll().where("id", "=", userIds.owner).executeTakeFirst();
    expect(user).toMatchObject({ name: "Ravi Shah", email: "ravi@shah.example" });
    const sites = await (await server.as("owner")).ask(siteDetails);
    expect(new Set(sites.map((site) => `${site.partner_name}, ${site.partner_contact}`))).toEqual(
      new Set(["Renamed Services, Ravi Shah"]),
    );
    const after = await server.db.selectFrom("sites").select(["id", "change_no"]).orderBy("id").execute();
    const touched = after.filter((site, index) => site.change_no !== before[index]?.change_no).map((site) => site.id);
    expect(touched).toEqual([server.fixtures.ownSiteId, server.fixtures.secondSiteId]);
  });

  test("added fields that an older caller omits keep their value; null removes it", async () => {
    const admin = await server.as("admin");
    const full = partnerForm("Full Services", { country: "USA", tax_id: "T", registration: "R", certifications: "C" });
    const { partnerId: id } = await admin.ask(createPartner, { body: full });
    await admin.ask(updatePartner, { params: { id }, body: partnerForm("Full Services") });
    expect(await partnerOf(id)).toMatchObject(full);
    await admin.ask(updatePartner, { params: { id }, body: { ...full, tax_id: null, country: " " } });
    expect(await partnerOf(id)).toMatchObject({ ...full, tax_id: null, country: null });
  });

  test("two people editing concurrently: the second is told, and nothing is changed", async () => {
    const admin = await server.as("admin");
    const { ownerPartnerId: id } = server.fixtures;
    const save = (name: string, version?: number) =>
      admin.call(updatePartner, { params: { id }, body: { ...partnerForm(name), ...(version && { version }) } });
    const answers = await Promise.all([save("First Services", 1), save("Second Services", 1)]);
    const late = answers.find(({ status }) => status !== 200);
    const message = "Somebody else has changed this partner in the meantime.";
    expect([late?.status, late?.body]).toEqual([
      409,
      { message, code: "EDIT_CONFLICT", errors: [{ field: "version", message }] },
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await partnerOf(id)).toMatchObject({ version: 2 });
    expect((await save("Third Services", 2)).status).toBe(200);
    expect((await save("Whatever is there")).status).toBe(200);
    const outcomes = (await audits("UPDATE_PARTNER")).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["DONE", "DONE", "DONE", "REFUSED"]);
  });
});

describe("§7 DELETE api/partner/deletePartner", () => {
  test("is refused while sites are assigned, naming them; deleted sites do not count", async () => {
    const admin = await server.as("admin");
    const { ownerPartnerId: id } = server.fixtures;
    const refused = await admin.call(deletePartner, { params: { id } });
    const message =
      "2 sites are assigned to this partner: Ownfield Annex, Ownfield Park. Give them to another partner first.";
    expect([refused.status, refused.body]).toEqual([409, { message, code: "PARTNER_HAS_SITES" }]);
    expect(await partnerOf(id)).toBeDefined();
    const deletion = server.db.updateTable("sites").set({ deleted_at: server.clock.now() });
    await deletion.where("id", "=", server.fixtures.ownSiteId).execute();
    expect((await admin.call(deletePartner, { params: { id } })).body).toEqual({
      message: "1 site is assigned to this partner: Ownfield Annex. Give it to another partner first.",
      code: "PARTNER_HAS_SITES",
    });
    await deletion.where("id", "=", server.fixtures.secondSiteId).execute();
    expect((await admin.call(deletePartner, { params: { id } })).status).toBe(200);
    expect(await partnerOf(id)).toBeUndefined();
    expect((await audits("DELETE_PARTNER")).map(({ outcome, reason }) => [outcome, reason === null])).toEqual([
      ["REFUSED", false],
      ["REFUSED", false],
      ["DONE", true],
    ]);
  });

  test("of many sites five are named and the others counted", async () => {
    for (let each = 1; each <= 7; each += 1) {
      await addSite(server.db, `Many ${each}`, server.fixtures.strangerPartnerId, 10 + each, 70);
    }
    const { body } = await (
      await server.as("admin")
    ).call(deletePartner, {
      params: { id: server.fixtures.strangerPartnerId },
    });
    expect(body).toEqual({
      message:
        "8 sites are assigned to this partner: Farfield Park, Many 1, Many 2, Many 3, Many 4 and 3 more. Give them to another partner first.",
      code: "PARTNER_HAS_SITES",
    });
  });

  test("In-house is never deleted; a nonexistent partner is 404, also the second time", async () => {
    const admin = await server.as("admin");
    const refused = await admin.call(deletePartner, { params: { id: IN_HOUSE } });
    const message = "In-house belongs to every installation and cannot be deleted.";
    expect([refused.status, refused.body]).toEqual([409, { message, code: "PARTNER_BUILT_IN" }]);
    const { partnerId: id } = await admin.ask(createPartner, { body: partnerForm("Gone Services") });
    const answers = await Promise.all([1, 2].map(() => admin.call(deletePartner, { params: { id } })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]));
    const edited = await admin.call(updatePartner, { params: { id }, body: partnerForm("Gone Services") });
    expect([edited.status, edited.body]).toEqual([404, { message: "Partner not found", code: "PARTNER_NOT_FOUND" }]);
  });

  test("a site that is assigned to it at the same moment prevents that", async () => {
    const admin = await server.as("admin");
    const { partnerId: id } = await admin.ask(createPartner, { body: partnerForm("Just Now Services") });
    const giving = await server.db.startTransaction().execute();
    expect(await lockLivePartner(giving, id)).toEqual({ id, name: "Just Now Services" });
    const deleting = admin.call(deletePartner, { params: { id } });
    await untilBlocked(server.db);
    await giving
      .updateTable("sites")
      .set({ maintenance_partner_id: id })
      .where("id", "=", server.fixtures.ownSiteId)
      .execute();
    await giving.commit().execute();
    expect((await deleting).status).toBe(409);
    expect(await partnerOf(id)).toBeDefined();
  });

  test("a site cannot be assigned to a partner that is being deleted", async () => {
    const { partnerId: id } = await (
      await server.as("admin")
    ).ask(createPartner, { body: partnerForm("Late Services") });
    const deleting = await server.db.startTransaction().execute();
    await deleting.updateTable("partners").set({ deleted_at: server.clock.now() }).where("id", "=", id).execute();
    const giving = server.db.transaction().execute((tx) => lockLivePartner(tx, id));
    await untilBlocked(server.db);
    await deleting.commit().execute();
    expect(await giving).toBe(null);
  });
});
