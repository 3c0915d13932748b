import { adminList, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import { changePassword, login } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { GENERATED_PASSWORD_DAYS } from "@suncrew/domain/auth/passwords.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { accountLimit } from "./sign-in-limits.ts";

const meera = { username: "meera", name: "Meera Iyer", email: "meera@suncrew.example" };
const CHOSEN = "evening rain 77";

let server: TestApp;
let lines: string[];
beforeEach(async () => {
  lines = [];
  server = await createTestApp({ onLog: (line) => lines.push(line) });
});
afterEach(() => server.close());

const make = async (change: Partial<typeof meera & { password: string }> = {}) =>
  (await server.as("admin")).call(createAdmin, { body: { ...meera, password: PASSWORD, ...change } });

async function signIn(username: string, password: string) {
  return (await server.as(null)).call(login, { body: { username, password } });
}

/** A second Super Admin, signed in with a password of her own. */
async function second(): Promise<{ id: number; client: TestClient }> {
  const admin = await server.as("admin");
  const { adminId: id, credentials } = await admin.ask(createAdmin, { body: { ...meera, password: PASSWORD } });
  const { token } = await (await server.as(null)).ask(login, { body: credentials });
  const client = new TestClient(server.app.http, token);
  await client.ask(changePassword, { body: { currentPassword: credentials.password, newPassword: CHOSEN } });
  return { id, client };
}

async function idOf(username: string): Promise<number> {
  const row = await server.db
    .selectFrom("users")
    .select("id")
    .where("username", "=", username)
    .executeTakeFirstOrThrow();
  return row.id;
}

const records = () =>
  server.db
    .selectFrom("audit")
    .select(["action", "actor", "outcome", "reason", "target_name", "before", "after"])
    .where("entity", "=", "user")
    .where("action", "!=", "CHANGE_PASSWORD")
    .orderBy("id")
    .execute();

describe("§6 Super Admins create further ones", () => {
  test("the new one signs in with the password that is shown once, and may do what any Super Admin may", async () => {
    const { status, body } = await make();
    expect([status, body]).toMatchObject([201, { message: "The Super Admin meera was added." }]);
    const admin = await server.as("admin");
    const now = server.clock.now();
    const until = new Date(now.getTime() + GENERATED_PASSWORD_DAYS * 86_400_000).toISOString();
    const listed = { ...meera, created_at: now.toISOString(), password_until: until, signed_in_at: null };
    expect(await admin.ask(adminList)).toMatchObject([{ username: usernames.admin }, listed]);
    const { credentials } = createAdmin.response.parse(body);
    const signedIn = await (await server.as(null)).ask(login, { body: credentials });
    expect([signedIn.user.role, signedIn.password_until]).toEqual(["SUPER_ADMIN", until]);
    const client = new TestClient(server.app.http, signedIn.token);
    expect(await client.ask(adminList)).toMatchObject([{}, { signed_in_at: now.toISOString() }]);
    expect((await client.ask(siteDetails)).length).toBe((await admin.ask(siteDetails)).length);
    expect(await records()).toMatchObject([
      { action: "CREATE_ADMIN", actor: "Anita Rao", outcome: "DONE", target_name: "Meera Iyer (meera)", after: meera },
    ]);
    const stored = JSON.stringify([await server.db.selectFrom("users").selectAll().execute(), await records(), lines]);
    expect(stored).not.toContain(credentials.password);
  });

  test.each([usernames.admin.toUpperCase(), usernames.owner])("a username can be used only once: %s", async (name) => {
    const message = `Somebody already has the username ${name}.`;
    const { status, body } = await make({ username: name });
    expect([status, body]).toEqual([
      409,
      { message, code: "USERNAME_TAKEN", errors: [{ field: "username", message }] },
    ]);
    expect(await records()).toMatchObject([{ action: "CREATE_ADMIN", outcome: "REFUSED", reason: message }]);
  });

  test.each([
    ["username", { username: "two words" }, "A username has no spaces"],
    ["username", { username: " " }, "Username is required"],
    ["name", { name: "" }, "Name is required"],
    ["email", { email: "nobody" }, "email is not an email address"],
    ["password", { password: "" }, "Your password is required"],
  ])("%s is named in a 400: %j", async (field, change, message) => {
    const { status, body } = await make(change);
    expect([status, body]).toMatchObject([400, { errors: [{ field, message }] }]);
  });

  test("an open console alone creates nobody: the own password is required, and guesses are limited", async () => {
    const message = "Your password is incorrect";
    const { status, body } = await make({ password: "guess" });
    expect([status, body]).toEqual([
      400,
      { message, code: "WRONG_PASSWORD", errors: [{ field: "password", message }] },
    ]);
    expect(await records()).toMatchObject([
      { action: "CREATE_ADMIN", actor: "Anita Rao", outcome: "REFUSED", reason: "wrong password", after: meera },
    ]);
    for (let n = 1; n < accountLimit.lockedFrom; n += 1) {
      server.clock.advance(60_000);
      await make({ password: "guess" });
    }
    expect((await make()).status).toBe(429);
    expect(await (await server.as("admin")).ask(adminList)).toHaveLength(1);
  });
});

describe("§6 Super Admins and each other", () => {
  test("a new password ends the former one and its sessions", async () => {
    const { id, client } = await second();
    const admin = await server.as("admin");
    const { message, credentials } = await admin.ask(resetAdminPassword, {
      params: { id },
      body: { password: PASSWORD },
    });
    expect(message).toBe("meera has a new password and was signed out.");
    expect((await client.call(siteDetails)).status).toBe(401);
    expect((await signIn("meera", CHOSEN)).status).toBe(401);
    expect((await signIn("meera", credentials.password)).status).toBe(200);
  });

  test("a removed one is signed out and stays out, and the username is free again", async () => {
    const { id, client } = await second();
    const admin = await server.as("admin");
    const { message } = await admin.ask(removeAdmin, { params: { id }, body: { password: PASSWORD } });
    expect(message).toBe("The Super Admin meera was removed and signed out.");
    expect((await client.call(siteDetails)).status).toBe(401);
    expect((await signIn("meera", CHOSEN)).status).toBe(401);
    expect(await admin.ask(adminList)).toMatchObject([{ username: usernames.admin }]);
    expect(await records()).toMatchObject([
      {},
      {
        action: "DELETE_ADMIN",
        outcome: "DONE",
        target_name: "Meera Iyer (meera)",
        before: { ...meera, open_sessions: 1 },
      },
    ]);
    expect((await make()).status).toBe(201);
  });

  test("nobody can remove oneself, or reset the own password here; a partner's user is not a Super Admin", async () => {
    const admin = await server.as("admin");
    const body = { password: PASSWORD };
    const self = { id: await idOf(usernames.admin) };
    expect(await admin.call(removeAdmin, { params: self, body })).toMatchObject({
      status: 409,
      body: { message: "You cannot remove yourself. Another Super Admin can." },
    });
    expect((await admin.call(resetAdminPassword, { params: self, body })).status).toBe(409);
    const owner = { id: await idOf(usernames.owner) };
    for (const route of [removeAdmin, resetAdminPassword]) {
      expect((await admin.call(route, { params: owner, body })).status).toBe(404);
    }
    expect((await signIn(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test("of two who remove each other concurrently, one remains", async () => {
    const { id, client } = await second();
    const admin = await server.as("admin");
    const self = await idOf(usernames.admin);
    const answers = await Promise.all([
      admin.call(removeAdmin, { params: { id }, body: { password: PASSWORD } }),
      client.call(removeAdmin, { params: { id: self }, body: { password: CHOSEN } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    const left = await server.db
      .selectFrom("users")
      .select("username")
      .where("role", "=", "SUPER_ADMIN")
      .where("deleted_at", "is", null)
      .execute();
    expect(left).toHaveLength(1);
  });
});

test("set-up, demo: its own user is neither removed nor reset", async () => {
  const demo = await createTestApp({ settings: { mode: "demo" } });
  try {
    const admin = await demo.as("admin");
    const { credentials } = await admin.ask(createAdmin, { body: { ...meera, password: PASSWORD } });
    await demo.db.updateTable("users").set({ username: "admin" }).where("username", "=", usernames.admin).execute();
    const { token } = await (await demo.as(null)).ask(login, { body: credentials });
    const other = new TestClient(demo.app.http, token);
    const [known] = await other.ask(adminList);
    for (const route of [removeAdmin, resetAdminPassword]) {
      const answer = await other.call(route, {
        params: { id: known?.id ?? 0 },
        body: { password: credentials.password },
      });
      expect(answer).toMatchObject({
        status: 409,
        body: { message: "admin belongs to the demo and stays as it is." },
      });
    }
  } finally {
    await demo.close();
  }
});
