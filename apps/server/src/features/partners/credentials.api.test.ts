import { login } from "@suncrew/contract/auth/auth.ts";
import { createPartner, partnerDetails, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildApp } from "../../app.ts";
import { addPartner, partnerForm, PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";

let server: TestApp;
let lines: string[];
beforeEach(async () => {
  lines = [];
  server = await createTestApp({ onLog: (line) => lines.push(line) });
});
afterEach(() => server.close());

async function passwordOf(id: number): Promise<string | null | undefined> {
  return (await (await server.as("admin")).ask(partnerDetails)).find((partner) => partner.id === id)?.enc_password;
}

async function signInWith(username: string, password: string): Promise<number> {
  return (await (await server.as(null)).call(login, { body: { username, password } })).status;
}

describe("§7 PUT api/partner/resetPassword", () => {
  test("returns a new password, which is valid at sign-in and shown until the partner sets its own", async () => {
    const admin = await server.as("admin");
    const owner = await server.signIn("owner");
    const { ownerPartnerId: id } = server.fixtures;
    expect(await passwordOf(id)).toBeNull();
    const { message, newPassword } = await admin.ask(resetPartnerPassword, { params: { id } });
    expect(message).toBe("Password reset successfully");
    expect(await passwordOf(id)).toBe(newPassword);
    expect((await owner.call(siteDetails)).status).toBe(401);
    expect(await signInWith(usernames.owner, PASSWORD)).toBe(401);
    expect(await signInWith(usernames.owner, newPassword)).toBe(200);
    const again = await admin.ask(resetPartnerPassword, { params: { id } });
    expect(again.newPassword).not.toBe(newPassword);
    expect(await signInWith(usernames.owner, newPassword)).toBe(401);
  });

  test("ends a lockout after wrong passwords immediately", async () => {
    for (let each = 0; each < 4; each += 1) await signInWith(usernames.owner, "wrong");
    expect(await signInWith(usernames.owner, PASSWORD)).toBe(429);
    const { ownerPartnerId: id } = server.fixtures;
    const { newPassword } = await (await server.as("admin")).ask(resetPartnerPassword, { params: { id } });
    expect(await signInWith(usernames.owner, newPassword)).toBe(200);
  });

  test("of concurrent resets the one that is shown afterwards is the one that is valid", async () => {
    const admin = await server.as("admin");
    const { ownerPartnerId: id } = server.fixtures;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => admin.ask(resetPartnerPassword, { params: { id } })),
    );
    const shown = await passwordOf(id);
    expect(answers.map(({ newPassword }) => newPassword)).toContain(shown);
    expect(await signInWith(usernames.owner, shown ?? "")).toBe(200);
  });

  test("gives a partner without a user one", async () => {
    const admin = await server.as("admin");
    const id = await addPartner(server.db, "Userless Services", "Uma Das");
    const { newPassword } = await admin.ask(resetPartnerPassword, { params: { id } });
    expect(await signInWith("userless.services", newPassword)).toBe(200);
    expect(await passwordOf(id)).toBe(newPassword);
  });

  test("In-house has none: 409; a nonexistent partner: 404", async () => {
    const admin = await server.as("admin");
    const refused = await admin.call(resetPartnerPassword, { params: { id: 1 } });
    expect([refused.status, refused.body]).toEqual([
      409,
      { message: "In-house has no sign-in, so it has no password.", code: "PARTNER_BUILT_IN" },
    ]);
    expect((await admin.call(resetPartnerPassword, { params: { id: 999 } })).status).toBe(404);
    const rows = await server.db.selectFrom("audit").selectAll().where("action", "=", "RESET_PASSWORD").execute();
    expect(rows).toMatchObject([{ outcome: "REFUSED", entity_id: "1" }]);
  });
});

describe("accounts and credentials: a generated password", () => {
  test("is encrypted in the database, and in no log line or audit row", async () => {
    const admin = await server.as("admin");
    const made = await admin.ask(createPartner, { body: partnerForm("Sealed Services") });
    const { newPassword } = await admin.ask(resetPartnerPassword, { params: { id: made.partnerId } });
    const users = JSON.stringify(await server.db.selectFrom("users").selectAll().execute());
    const audit = JSON.stringify(await server.db.selectFrom("audit").selectAll().execute());
    expect(users).toMatch(/"enc_password":"v1\.[\w-]+"/);
    expect(audit).not.toMatch(/v1\.[\w-]{20}|argon2/);
    for (const password of [made.credentials.password, newPassword]) {
      expect(users).not.toContain(password);
      expect(audit).not.toContain(password);
      expect(lines.join("")).not.toContain(password);
    }
  });

  test("is null, without a failure, if it cannot be read: another key, or a value moved to another user", async () => {
    const admin = await server.as("admin");
    const one = await admin.ask(createPartner, { body: partnerForm("One Services") });
    const two = await admin.ask(createPartner, { body: partnerForm("Two Services") });
    const sealed = await server.db
      .selectFrom("users")
      .select("enc_password")
      .where("id", "=", one.userId)
      .executeTakeFirst();
    await server.db
      .updateTable("users")
      .set({ enc_password: sealed?.enc_password ?? "" })
      .where("id", "=", two.userId)
      .execute();
    expect(await passwordOf(one.partnerId)).toBe(one.credentials.password);
    expect(await passwordOf(two.partnerId)).toBeNull();
    expect(lines.filter((line) => line.includes("a generated password cannot be read"))).toHaveLength(2);

    const settings = { ...server.deps.settings, secretKey: "another key that only tests have, long enough" };
    const other = await buildApp({ ...server.deps, settings });
    const { token } = await new TestClient(other.http, null).ask(login, {
      body: { username: usernames.admin, password: PASSWORD },
    });
    const partners = await new TestClient(other.http, token).ask(partnerDetails);
    await other.stop();
    expect(partners.map((partner) => partner.enc_password)).toEqual(partners.map(() => null));
    expect(lines.join("")).not.toContain(sealed?.enc_password ?? "?");
  });
});
