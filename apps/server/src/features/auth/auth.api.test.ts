import { login, logout } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());

const right = { username: usernames.admin, password: PASSWORD };

describe("§4 Session: signing in and out", () => {
  test("the right name, in any case, and password open a session", async () => {
    const anonymous = await server.as(null);
    const answer = await anonymous.ask(login, { body: { ...right, username: " ANITA " } });
    expect(answer.user).toEqual({
      id: server.fixtures.userIds.admin,
      name: "Anita Rao",
      email: "anita@suncrew.example",
      role: "SUPER_ADMIN",
    });
    const claims: unknown = JSON.parse(Buffer.from(answer.token.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({
      role: "SUPER_ADMIN",
      partnerId: null,
      exp: server.clock.now().getTime() / 1000 + 12 * 3600,
    });
  });

  test("logout ends the session immediately", async () => {
    const admin = await server.signIn("admin");
    await admin.ask(siteDetails);
    await admin.ask(logout);
    const after = await admin.call(siteDetails);
    expect([after.status, after.body]).toEqual([401, { message: "Please sign in.", code: "NOT_SIGNED_IN" }]);
  });

  test("logout accepts an empty body with a JSON content type", async () => {
    const admin = await server.signIn("admin");
    const answer = await admin.raw(logout.path, { method: "POST", body: "" });
    expect(answer.status).toBe(200);
  });
});
