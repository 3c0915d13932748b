import { changePassword, login, logout } from "@suncrew/contract/auth/auth.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { createPartner, deletePartner, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilBlocked } from "../../../test/row-locks.ts";
import { partnerForm } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { type App, buildApp } from "../../app.ts";
import type { Executor } from "../../platform/database/database.ts";
import { hashPassword } from "./passwords.ts";

let server: TestApp;
/** Another server on the same database. */
let second: App;
let addresses: readonly string[];

beforeAll(async () => {
  server = await createTestApp();
  second = await buildApp({ ...server.deps, serverId: randomUUID() });
  addresses = await Promise.all(
    [server.app, second].map(async (app) => {
      await app.start();
      await app.http.listen({ port: 0, host: "127.0.0.1" });
      return `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
    }),
  );
});
afterAll(async () => {
  await second.stop();
  await server.close();
});

let count = 0;

/** A partner created for one test, with its credentials. */
async function makePartner() {
  const admin = await server.as("admin");
  count += 1;
  const { partnerId, credentials } = await admin.ask(createPartner, { body: partnerForm(`Partner number ${count}`) });
  return { admin, params: { id: partnerId }, credentials };
}

/** Signs in at the first server and returns the session's client at each of them. */
async function signIn(credentials: { readonly username: string; readonly password: string }) {
  const address = `10.9.${count}.1`;
  const { token } = await new TestClient(server.app.http, null, address).ask(login, { body: credentials });
  return [server.app, second].map((app) => new TestClient(app.http, token, address));
}

const statuses = (clients: readonly TestClient[]) =>
  Promise.all(clients.map(async (client) => (await client.call(siteDetails)).status));

/** The reason with which the session's live stream at the second server ends. */
async function streamEnd(token: string | null, opened: () => void): Promise<string> {
  const response = await fetch(`${addresses[1]}${live.path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    if (text.includes("snapshot")) opened();
  }
  const last = text.split("\n\n").findLast((part) => part.startsWith("data: ")) ?? "";
  const event = live.response.parse(JSON.parse(last.slice(6)));
  return event.type === "end" ? event.reason : event.type;
}

describe("§4 Session: what ends sessions ends them on every server immediately", () => {
  test("signing out", async () => {
    const { credentials } = await makePartner();
    const here = await signIn(credentials);
    const elsewhere = await signIn(credentials);
    expect(await statuses([...here, ...elsewhere])).toEqual([200, 200, 200, 200]);
    await here[0]?.ask(logout);
    expect(await statuses([...here, ...elsewhere])).toEqual([401, 401, 200, 200]);
  });

  test("a change of the password, except the session that made it", async () => {
    const { credentials } = await makePartner();
    const here = await signIn(credentials);
    const elsewhere = await signIn(credentials);
    const body = { currentPassword: credentials.password, newPassword: "a word of its own" };
    await here[0]?.ask(changePassword, { body });
    expect(await statuses([...here, ...elsewhere])).toEqual([200, 200, 401, 401]);
  });

  test("a reset, all of them; the new password opens new ones", async () => {
    const { admin, params, credentials } = await makePartner();
    const here = await signIn(credentials);
    const { newPassword } = await admin.ask(resetPartnerPassword, { params });
    expect(await statuses(here)).toEqual([401, 401]);
    expect(await statuses(await signIn({ ...credentials, password: newPassword }))).toEqual([200, 200]);
  });

  test("deleting the partner, all of its user's, who can no longer sign in", async () => {
    const { admin, params, credentials } = await makePartner();
    const here = await signIn(credentials);
    await admin.ask(deletePartner, { params });
    expect(await statuses(here)).toEqual([401, 401]);
    const refused = await new TestClient(second.http, null, "10.8.0.1").call(login, { body: credentials });
    expect([refused.status, refused.body]).toEqual([
      401,
      { message: "Invalid credentials", code: "INVALID_CREDENTIALS" },
    ]);
  });

  test("a live stream of an ended session ends within 2 s on the other server", async () => {
    const { credentials } = await makePartner();
    const here = await signIn(credentials);
    const [elsewhere] = await signIn(credentials);
    const opened = Promise.withResolvers<void>();
    const ended = streamEnd(elsewhere?.token ?? null, opened.resolve);
    await opened.promise;
    const body = { currentPassword: credentials.password, newPassword: "a word of its own" };
    await here[0]?.ask(changePassword, { body });
    // No clock of these servers advances after that.
    server.clock.advance(2_000);
    expect(await ended).toBe("session");
  });

  test("a sign-in that checked the former password while it was being changed opens no session", async () => {
    const { credentials } = await makePartner();
    const mine = (db: Executor) => db.updateTable("users").where("username", "=", credentials.username);
    const changing = await server.db.startTransaction().execute();
    await mine(changing)
      .set({ password_hash: await hashPassword("a word of its own") })
      .execute();
    const door = new TestClient(second.http, null, `10.6.${count}.1`);
    const late = door.call(login, { body: credentials });
    await untilBlocked(server.db);
    await changing.commit().execute();
    expect((await late).status).toBe(401);
  });
});
