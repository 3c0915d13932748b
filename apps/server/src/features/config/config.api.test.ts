import { config } from "@suncrew/contract/config/config.ts";
import { changePassword, login } from "@suncrew/contract/auth/auth.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { demoSignIns, hashPassword } from "../auth/public.ts";
import { worldTile } from "./config.service.ts";

/** In place of the test runner's own limit of one second. */
const PATIENCE = { timeout: 30_000 };
const mapTiles = { url: "https://tiles.example/{z}/{x}/{y}.png", attribution: "Tiles of nobody" };

test("production returns no sign-ins; tiles that are switched off are null", async () => {
  const server = await createTestApp();
  const answer = await (await server.as(null)).ask(config);
  await server.close();
  expect(answer).toEqual({ mode: "production", demo_sign_ins: [], map_tiles: null });
});

describe("§2 Sign-in page: a demo's sign-ins", () => {
  let server: TestApp;
  beforeEach(async () => {
    server = await createTestApp({ settings: { mode: "demo" } });
    for (const { username, password, role } of demoSignIns) {
      const values = { username, name: username, role, password_hash: await hashPassword(password) };
      const partner_id = role === "PARTNER" ? server.fixtures.ownerPartnerId : null;
      await server.db
        .insertInto("users")
        .values({ ...values, partner_id })
        .execute();
    }
  });
  afterEach(() => server.close());

  const told = async () => (await (await server.as(null)).ask(config)).demo_sign_ins.map(({ username }) => username);

  test("are returned while they work", async () => {
    expect(await told()).toEqual(["admin", "partner"]);
    expect(await told()).toEqual(["admin", "partner"]);
  });

  test("whose password was changed, or that were deleted, are no longer returned", async () => {
    const nobody = await server.as(null);
    const { token } = await nobody.ask(login, { body: { username: "partner", password: "partner@123" } });
    const partner = new TestClient(server.app.http, token);
    const change = (currentPassword: string, newPassword: string) =>
      partner.ask(changePassword, { body: { currentPassword, newPassword } });
    await change("partner@123", "a password of its own");
    expect(await told()).toEqual(["admin"]);
    await change("a password of its own", "partner@123");
    expect(await told()).toEqual(["admin", "partner"]);
    await server.db.updateTable("users").set({ deleted_at: new Date() }).where("username", "=", "admin").execute();
    expect(await told()).toEqual(["partner"]);
  });
});

test("the tile service is probed in the background, every five minutes", async () => {
  let answers = true;
  const asked: string[] = [];
  const server = await createTestApp({
    settings: { mapTiles },
    fetch: async (input) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      if (!answers) throw new TypeError("fetch failed");
      return new Response("tile");
    },
  });
  const nobody = await server.as(null);
  const available = async () => (await nobody.ask(config)).map_tiles?.available;
  expect(await available()).toBe(false);
  await server.app.start();
  await vi.waitFor(async () => expect(await available()).toBe(true), PATIENCE);
  answers = false;
  server.clock.advance(299_000);
  expect(await available()).toBe(true);
  server.clock.advance(1_000);
  await vi.waitFor(async () => expect(await available()).toBe(false), PATIENCE);
  expect(asked).toEqual(Array(2).fill("https://tiles.example/0/0/0.png"));
  expect((await nobody.ask(config)).map_tiles).toEqual({ ...mapTiles, available: false });
  await server.close();
});

test("a call never waits for a tile service that does not respond, nor does the server's end", async () => {
  const server = await createTestApp({
    settings: { mapTiles },
    fetch: (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("over")))),
  });
  await server.app.start();
  expect((await (await server.as(null)).ask(config)).map_tiles?.available).toBe(false);
  await server.close();
});

test("the smallest tile is requested, whatever the template's form", () => {
  expect(worldTile("https://{s}.tiles.example/{z}/{x}/{y}{r}.png?k=1")).toBe("https://a.tiles.example/0/0/0.png?k=1");
});
