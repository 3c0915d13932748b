import { changePassword, login } from "@suncrew/contract/auth/auth.ts";
import { PASSWORD_COMMON, PASSWORD_OBVIOUS, PASSWORD_REPEATED } from "@suncrew/domain/auth/passwords.ts";
import { createPartner, partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { partnerForm, PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { accountLimit, LOCKED_MS } from "./sign-in-limits.ts";

const NEW = "evening rain 77";

let server: TestApp;
let lines: string[];
beforeEach(async () => {
  lines = [];
  server = await createTestApp({ onLog: (line) => lines.push(line) });
});
afterEach(() => server.close());

async function signInWith(username: string, password: string) {
  return (await server.as(null)).call(login, { body: { username, password } });
}

const change = (client: TestClient, currentPassword: string, newPassword = NEW) =>
  client.call(changePassword, { body: { currentPassword, newPassword } });

describe("§5 Change password", () => {
  test("the new password is valid immediately, the former one no longer; this session stays, the user's others end", async () => {
    const here = await server.signIn("owner");
    const elsewhere = await server.signIn("owner");
    const other = await server.signIn("stranger");
    const answer = await change(here, PASSWORD);
    expect([answer.status, answer.body]).toEqual([200, { message: "Password updated successfully" }]);
    expect((await here.call(siteDetails)).status).toBe(200);
    expect((await elsewhere.call(siteDetails)).status).toBe(401);
    expect((await other.call(siteDetails)).status).toBe(200);
    expect((await signInWith(usernames.owner, PASSWORD)).status).toBe(401);
    expect((await signInWith(usernames.owner, NEW)).status).toBe(200);
  });

  test("a wrong current password is 400 with the field named, changes nothing and signs nobody out", async () => {
    const here = await server.signIn("owner");
    const elsewhere = await server.signIn("owner");
    const answer = await change(here, "wrong");
    const message = "Current password is incorrect";
    expect([answer.status, answer.body]).toEqual([
      400,
      { message, code: "WRONG_PASSWORD", errors: [{ field: "currentPassword", message }] },
    ]);
    expect((await here.call(siteDetails)).status).toBe(200);
    expect((await elsewhere.call(siteDetails)).status).toBe(200);
    expect((await signInWith(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test.each([
    [{ newPassword: NEW }, "currentPassword", "Current password is required"],
    [{ currentPassword: "", newPassword: NEW }, "currentPassword", "Current password is required"],
    [{ currentPassword: PASSWORD }, "newPassword", "New password must be at least 8 characters"],
    [
      { currentPassword: PASSWORD, newPassword: "1234567" },
      "newPassword",
      "New password must be at least 8 characters",
    ],
    [
      { currentPassword: PASSWORD, newPassword: PASSWORD },
      "newPassword",
      "New password must differ from the current one",
    ],
    [
      { currentPassword: PASSWORD, newPassword: "x".repeat(201) },
      "newPassword",
      "New password must have at most 200 characters",
    ],
  ])("%j is 400: %s", async (body, field, message) => {
    const owner = await server.as("owner");
    const answer = await owner.raw(changePassword.path, { method: "POST", body });
    expect([answer.status, answer.body]).toEqual([
      400,
      { message, code: "VALIDATION_FAILED", errors: [{ field, message }] },
    ]);
  });

  test.each([
    ["sunshine1", PASSWORD_COMMON],
    ["Suncrew-2026", PASSWORD_OBVIOUS],
    [`${usernames.owner}12345`, PASSWORD_OBVIOUS],
    ["abababab", PASSWORD_REPEATED],
  ])("%s is refused as a new password with the reason at its field, and changes nothing", async (weak, message) => {
    const owner = await server.signIn("owner");
    const answer = await change(owner, PASSWORD, weak);
    expect([answer.status, answer.body]).toEqual([
      400,
      { message, code: "WEAK_PASSWORD", errors: [{ field: "newPassword", message }] },
    ]);
    expect((await signInWith(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test("spaces belong to a password", async () => {
    const owner = await server.signIn("owner");
    expect((await change(owner, PASSWORD, "  eight  ")).status).toBe(200);
    expect((await signInWith(usernames.owner, "eight")).status).toBe(401);
    expect((await signInWith(usernames.owner, "  eight  ")).status).toBe(200);
  });

  test("guesses are counted with those at sign-in: slowed, then locked, answered with 429", async () => {
    const owner = await server.signIn("owner");
    for (let failures = 0; failures < accountLimit.slowedFrom - 1; failures += 1) {
      expect((await change(owner, "wrong")).status).toBe(400);
    }
    expect((await signInWith(usernames.owner, "wrong")).status).toBe(401);
    const early = await change(owner, PASSWORD);
    expect([early.status, early.body]).toEqual([
      429,
      { message: "Too many wrong passwords. Try again in 1 second.", code: "PASSWORD_CHECK_LOCKED" },
    ]);
    expect((await signInWith(usernames.owner, PASSWORD)).status).toBe(429);
    expect((await owner.call(siteDetails)).status).toBe(200);
    server.clock.advance(LOCKED_MS);
    expect((await change(owner, PASSWORD)).status).toBe(200);
  });

  test("of many concurrent guesses only as many are checked as one after another", async () => {
    const owner = await server.signIn("owner");
    const answers = await Promise.all(Array.from({ length: 20 }, () => change(owner, "wrong")));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(accountLimit.slowedFrom);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - accountLimit.slowedFrom);
  });

  test("of two concurrent changes from two sessions one counts, and the other is told that its password is no longer valid", async () => {
    const [one, two] = [await server.signIn("owner"), await server.signIn("owner")];
    const answers = await Promise.all([
      change(one, PASSWORD, "first of them"),
      change(two, PASSWORD, "second of them"),
    ]);
    const statuses = answers.map(({ status }) => status);
    // The later one may also find its session already ended.
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const sessions = await Promise.all([one.call(siteDetails), two.call(siteDetails)]);
    expect(sessions.map(({ status }) => status)).toEqual(statuses.map((status) => (status === 200 ? 200 : 401)));
  });

  test("a generated password that was replaced is not stored anywhere any more", async () => {
    const admin = await server.as("admin");
    const { partnerId, credentials } = await admin.ask(createPartner, { body: partnerForm("Own Word Services") });
    const { body } = await signInWith(credentials.username, credentials.password);
    const partner = new TestClient(server.app.http, login.response.parse(body).token);
    await partner.ask(changePassword, { body: { currentPassword: credentials.password, newPassword: NEW } });
    const listed = (await admin.ask(partnerDetails)).find(({ id }) => id === partnerId);
    expect(listed).toMatchObject({ username: credentials.username, enc_password: null });
    const stored = await server.db.selectFrom("users").select("enc_password").execute();
    expect(stored.every((user) => user.enc_password === null)).toBe(true);
  });

  test("each attempt leaves an audit row; no password is in it, in the log or in an answer", async () => {
    const owner = await server.signIn("owner");
    const elsewhere = await server.signIn("owner");
    const texts = [await change(owner, "my secret guess"), await change(owner, PASSWORD)].map(({ text }) => text);
    expect((await elsewhere.call(siteDetails)).status).toBe(401);
    const rows = await server.db
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "CHANGE_PASSWORD")
      .orderBy("id")
      .execute();
    const { owner: userId } = server.fixtures.userIds;
    expect(rows).toMatchObject([
      { user_id: userId, actor: "Omkar Jain", entity: "user", outcome: "REFUSED", reason: "wrong password" },
      { entity_id: String(userId), outcome: "DONE", reason: null, after: { other_sessions_ended: 1 } },
    ]);
    const written =
      JSON.stringify(await server.db.selectFrom("audit").selectAll().execute()) + lines.join("") + texts.join("");
    for (const word of ["secret guess", PASSWORD, NEW, "argon2"]) expect(written).not.toContain(word);
  });
});
