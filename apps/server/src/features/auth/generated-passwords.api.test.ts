import { changePassword, login } from "@suncrew/contract/auth/auth.ts";
import { createPartner, partnerDetails, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { partnerForm, PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";

const DAY_MS = 24 * 3_600_000;
const OWN = "evening rain 77";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

async function signIn(username: string, password: string) {
  const answer = await (await server.as(null)).call(login, { body: { username, password } });
  return { ...answer, opened: login.response.safeParse(answer.body).data };
}

async function madePartner() {
  const admin = await server.signIn("admin");
  return admin.ask(createPartner, { body: partnerForm("Late Starters") });
}

describe("§4 Partner: a generated password", () => {
  test("each sign-in says until when it is valid; one that a person chose says nothing", async () => {
    const { credentials } = await madePartner();
    const { opened } = await signIn(credentials.username, credentials.password);
    const until = new Date(server.clock.now().getTime() + 14 * DAY_MS).toISOString();
    expect(opened?.password_until).toBe(until);
    const partner = new TestClient(server.app.http, opened?.token ?? null);
    await partner.ask(changePassword, { body: { currentPassword: credentials.password, newPassword: OWN } });
    server.clock.advance(20 * DAY_MS);
    const own = await signIn(credentials.username, OWN);
    expect([own.status, own.opened?.password_until]).toEqual([200, undefined]);
    expect((await signIn(usernames.owner, PASSWORD)).opened).not.toHaveProperty("password_until");
  });

  test("opens no session after fourteen days, which only its holder is told, and ends no open session", async () => {
    const { partnerId, credentials } = await madePartner();
    server.clock.advance(14 * DAY_MS - 1);
    const { opened } = await signIn(credentials.username, credentials.password);
    server.clock.advance(1);
    const late = await signIn(credentials.username, credentials.password);
    const message = "This password was generated and was valid for 14 days. Ask a Super Admin to regenerate it.";
    expect([late.status, late.body]).toEqual([403, { message, code: "PASSWORD_EXPIRED" }]);
    expect((await signIn(credentials.username, "wrong")).body).toEqual({
      message: "Invalid credentials",
      code: "INVALID_CREDENTIALS",
    });
    expect((await new TestClient(server.app.http, opened?.token ?? null).call(siteDetails)).status).toBe(200);
    const row = await server.db
      .selectFrom("audit")
      .select("outcome")
      .where("reason", "=", "lapsed generated password")
      .execute();
    expect(row).toEqual([{ outcome: "REFUSED" }]);

    const admin = await server.signIn("admin");
    const { newPassword } = await admin.ask(resetPartnerPassword, { params: { id: partnerId } });
    expect((await signIn(credentials.username, newPassword)).status).toBe(200);
    const shown = (await admin.ask(partnerDetails)).find(({ id }) => id === partnerId);
    expect(shown?.enc_password).toBe(newPassword);
  });
});
