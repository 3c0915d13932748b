import { createPartner, partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partnerForm } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

describe("§7 GET api/partner/details", () => {
  test("a Super Admin has all partners with their usernames, including In-house", async () => {
    const partners = await (await server.as("admin")).ask(partnerDetails);
    expect(partners.map(({ name, username }) => [name, username])).toEqual([
      ["Farcare Services", "sadia"],
      ["In-house", null],
      ["Owncare Services", "omkar"],
    ]);
  });

  test("a partner has a list of one, its own, without a sign-in", async () => {
    const partners = await (await server.as("owner")).ask(partnerDetails);
    expect(partners).toHaveLength(1);
    expect(partners[0]).toMatchObject({
      id: server.fixtures.ownerPartnerId,
      name: "Owncare Services",
      contact_person: "Odile Osprey",
      status: "ACTIVE",
      username: null,
      user_id: null,
    });
  });

  test("no answer contains anything of a password but the one field, which only a Super Admin gets", async () => {
    const admin = await server.as("admin");
    const made = await admin.ask(createPartner, { body: partnerForm("Known Services") });
    const { text, body } = await admin.call(partnerDetails);
    expect(text.replaceAll('"enc_password"', "")).not.toMatch(/password|argon2/i);
    const known = partnerDetails.response.parse(body).find(({ id }) => id === made.partnerId);
    expect(known?.enc_password).toBe(made.credentials.password);
    expect((await (await server.as("owner")).call(partnerDetails)).text).not.toMatch(/password|argon2/i);
  });
});
