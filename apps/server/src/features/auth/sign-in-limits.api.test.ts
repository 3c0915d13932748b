import { login } from "@suncrew/contract/auth/auth.ts";
import { LOCK_TOLD_MS } from "@suncrew/domain/alerts/server-alerts.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, testSettings, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { signInCleaner } from "./auth.service.ts";
import { countAttempt } from "./sign-in-attempts.repository.ts";
import { SignInLockouts } from "./sign-in-lockouts.ts";
import { accountLimit, addressLimit, LOCKED_MS, tooManyFailures, waitAfter } from "./sign-in-limits.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

async function tryWith(username: string, password: string) {
  const anonymous = await server.as(null);
  return anonymous.call(login, { body: { username, password } });
}

/** Fails until the account is locked, waiting as long as each answer says. */
async function failUntilLocked(username: string): Promise<void> {
  for (let failures = 1; failures <= accountLimit.lockedFrom; failures += 1) {
    expect((await tryWith(username, "wrong")).status).toBe(401);
    if (failures < accountLimit.lockedFrom) server.clock.advance(waitAfter(failures, accountLimit));
  }
}

describe("Alerts: sign-in as a Super Admin is locked", () => {
  const alerts = () => server.db.selectFrom("alerts").selectAll().orderBy("id").execute();
  const lockouts = () => new SignInLockouts({ ...server.deps, settings: testSettings });

  test("is one alert that names the account as it is stored, for an hour after the lock ends", async () => {
    const check = lockouts();
    await failUntilLocked(usernames.owner);
    await check.runOnce();
    expect(await alerts()).toEqual([]);
    await failUntilLocked(usernames.admin.toUpperCase());
    await check.runOnce();
    await check.runOnce();
    const [alert] = await alerts();
    expect(alert).toMatchObject({ code: "SIGN_IN_LOCKED", severity: "WARNING", site_id: null, cleared_at: null });
    expect(alert?.text).toContain(`as Super Admin ${usernames.admin} was locked`);
    expect(JSON.stringify(await alerts())).not.toContain('wrong"');
    server.clock.advance(LOCKED_MS + LOCK_TOLD_MS - 1_000);
    await check.runOnce();
    expect(await alerts()).toMatchObject([{ cleared_at: null }]);
    server.clock.advance(2_000);
    await check.runOnce();
    expect(await alerts()).toMatchObject([{ cleared_at: server.clock.now() }]);
  });

  test("ends when somebody has acknowledged it, and is not raised again for the same lock", async () => {
    const check = lockouts();
    await failUntilLocked(usernames.admin);
    await check.runOnce();
    await server.db
      .updateTable("alerts")
      .set({ cleared_at: server.clock.now(), acknowledged_at: server.clock.now(), acknowledged_by: "Asha" })
      .execute();
    await check.runOnce();
    expect(await alerts()).toHaveLength(1);
    server.clock.advance(LOCKED_MS + LOCK_TOLD_MS + 1_000);
    await failUntilLocked(usernames.admin);
    await check.runOnce();
    expect(await alerts()).toHaveLength(2);
  });
});

describe("§8 Session and sign-in: failed sign-ins", () => {
  test("a wrong password and an unknown user are answered alike", async () => {
    const wrong = await tryWith(usernames.owner, "wrong");
    const unknown = await tryWith("nobody at all", "wrong");
    expect([wrong.status, wrong.body]).toEqual([401, { message: "Invalid credentials", code: "INVALID_CREDENTIALS" }]);
    expect([unknown.status, unknown.body]).toEqual([
      401,
      { message: "Invalid credentials", code: "INVALID_CREDENTIALS" },
    ]);
  });

  test("an unknown user costs the same work, so timing reveals no names", async () => {
    const work = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 8; round += 1) {
      for (const kind of ["known", "unknown"] as const) {
        const before = process.cpuUsage();
        await tryWith(kind === "known" ? usernames.owner : "unknown", "wrong");
        work[kind].push(process.cpuUsage(before).user);
        server.clock.advance(LOCKED_MS + 1);
      }
    }
    const all = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
    expect(all(work.unknown)).toBeGreaterThan(all(work.known) / 3);
  });

  test("after some failures the next attempt has to wait, even with the right password", async () => {
    for (let failures = 0; failures < accountLimit.slowedFrom; failures += 1) await tryWith(usernames.owner, "wrong");
    const early = await tryWith(usernames.owner, PASSWORD);
    expect([early.status, early.body]).toEqual([
      429,
      { message: "Too many failed sign-ins. Try again in 1 second.", code: "SIGN_IN_LOCKED" },
    ]);
    server.clock.advance(1000);
    expect((await tryWith(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test("many failures lock the account for a while, in any spelling; others are free", async () => {
    await failUntilLocked(usernames.owner);
    for (const spelling of [usernames.owner, usernames.owner.toUpperCase()]) {
      const locked = await tryWith(spelling, PASSWORD);
      expect([locked.status, locked.body]).toEqual([
        429,
        { message: "Too many failed sign-ins. Try again in 15 minutes.", code: "SIGN_IN_LOCKED" },
      ]);
    }
    expect((await tryWith(usernames.stranger, PASSWORD)).status).toBe(200);
    server.clock.advance(LOCKED_MS - 60_000);
    expect((await tryWith(usernames.owner, PASSWORD)).body).toEqual({
      message: "Too many failed sign-ins. Try again in 1 minute.",
      code: "SIGN_IN_LOCKED",
    });
    server.clock.advance(60_001);
    expect((await tryWith(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test("a name that does not exist is slowed like any other, in any spelling, and recorded nowhere", async () => {
    for (const spelling of ["My-Secret-1", "my-secret-1", "MY-SECRET-1"]) {
      expect((await tryWith(spelling, "wrong")).status).toBe(401);
    }
    expect((await tryWith("my-secret-1", "wrong")).status).toBe(429);
    const rows = await server.db.selectFrom("sign_in_failures").selectAll().execute();
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows).toLowerCase()).not.toContain("secret");
  });

  test("a success resets the account", async () => {
    await tryWith(usernames.owner, "wrong");
    await tryWith(usernames.owner, "wrong");
    expect((await tryWith(usernames.owner, PASSWORD)).status).toBe(200);
    await tryWith(usernames.owner, "wrong");
    await tryWith(usernames.owner, "wrong");
    expect((await tryWith(usernames.owner, PASSWORD)).status).toBe(200);
  });

  test("of concurrent wrong attempts only as many are checked as one after another", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => tryWith(usernames.owner, "wrong")));
    const looked = answers.filter(({ status }) => status === 401).length;
    expect(looked).toBe(accountLimit.slowedFrom);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30 - looked);
  });

  test("attempts that several servers count concurrently each count", async () => {
    const counted = [{ key: "user:many", limit: accountLimit }];
    const waits = await Promise.all(
      Array.from({ length: 30 }, () => countAttempt(server.db, counted, server.clock.now())),
    );
    expect(waits.filter((wait) => wait === null)).toHaveLength(accountLimit.slowedFrom);
    const row = await server.db.selectFrom("sign_in_failures").select("failures").executeTakeFirst();
    expect(row).toEqual({ failures: accountLimit.slowedFrom });
  });

  test("concurrent right sign-ins all succeed", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => tryWith(usernames.owner, PASSWORD)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  test("an address that tries many names is slowed too", async () => {
    let looked = 0;
    for (let each = 0; each < addressLimit.slowedFrom + 5; each += 1) {
      if ((await tryWith(`name ${each}`, "wrong")).status === 401) looked += 1;
    }
    expect(looked).toBe(addressLimit.slowedFrom);
    expect((await tryWith(usernames.owner, PASSWORD)).status).toBe(429);
  });

  test("a forwarded address counts if a known proxy reports it, and not otherwise", async () => {
    const behind = await createTestApp({ settings: { trustedProxies: ["127.0.0.1"] } });
    const forwarded = (each: number) => ({ headers: { "x-forwarded-for": `203.0.113.${each}` } });
    const body = { username: "name", password: "wrong" };
    for (let each = 0; each < 2; each += 1) {
      await (await server.as(null)).call(login, { body, ...forwarded(each) });
      await (await behind.as(null)).call(login, { body, ...forwarded(each) });
    }
    const keys = async ({ db }: TestApp) =>
      (await db.selectFrom("sign_in_failures").select("key").orderBy("key").execute()).map(({ key }) => key);
    const [proxied, ignored] = [await keys(behind), await keys(server)];
    await behind.close();
    const ofName: unknown = expect.stringMatching(/^user:[\w-]{43}$/);
    const ofCaller: unknown = expect.stringMatching(/^caller:[\w-]{43}:[\w-]{43}$/);
    expect(proxied).toEqual(["address:203.0.113.0", "address:203.0.113.1", ofCaller, ofCaller, ofName]);
    expect(ignored).toEqual(["address:127.0.0.1", ofCaller, ofName]);
  });

  test("more attempts per minute than any person makes never reach the database", async () => {
    const answers = [];
    for (let each = 0; each < 130; each += 1) answers.push(await tryWith("name", "wrong"));
    expect(answers.at(-1)?.body).toEqual({
      message: "Too many sign-ins from here. Try again in a minute.",
      code: "ADDRESS_RATE_LIMITED",
    });
    await server.app.stop();
    const rows = await server.db.selectFrom("audit").select(["reason", "after"]).orderBy("id").execute();
    const times = rows.map(({ after }): unknown => after?.["times"] ?? 1);
    // Three were checked, the first that had to wait has its row immediately, and the others one together.
    expect(rows.map(({ reason }, index) => [reason, times[index]])).toEqual([
      ...Array.from({ length: accountLimit.slowedFrom }, () => ["unknown user", 1]),
      ["too many failed sign-ins", 1],
      ["too many failed sign-ins", 120 - accountLimit.slowedFrom - 1],
    ]);
  });

  test("those that have to wait are recorded as one row per account or address and minute", async () => {
    for (let failures = 0; failures < accountLimit.slowedFrom; failures += 1) {
      await tryWith(usernames.owner, "wrong");
      await tryWith("nobody at all", "wrong");
    }
    const waiting = async () => {
      const { db } = server;
      const rows = await db
        .selectFrom("audit")
        .selectAll()
        .where("reason", "like", "too many%")
        .orderBy("id")
        .execute();
      return rows.map(({ actor, user_id, after }) => [actor, user_id, after?.["times"] ?? null]);
    };
    for (let each = 0; each < 7; each += 1) await tryWith(usernames.owner, "wrong");
    for (let each = 0; each < 3; each += 1) await tryWith("nobody at all", "wrong");
    const { owner } = server.fixtures.userIds;
    const first = [
      ["Omkar Jain", owner, null],
      ["Unknown user", null, null],
    ];
    expect(await waiting()).toEqual(first);
    server.clock.advance(60_000);
    await server.app.stop();
    const rows = await waiting();
    expect(rows.slice(0, 2)).toEqual(first);
    // Both are due in the same moment: either may be written first.
    const summaries = [
      ["Omkar Jain", owner, 6],
      ["Unknown user", null, 2],
    ];
    expect(rows.slice(2)).toEqual(expect.arrayContaining(summaries));
    expect(rows).toHaveLength(4);
  });

  test("every sign-in leaves an audit row, without any password", async () => {
    await tryWith(usernames.owner, PASSWORD);
    await tryWith(usernames.owner, "my secret guess");
    await tryWith("my secret guess", "x");
    const rows = await server.db.selectFrom("audit").selectAll().orderBy("id").execute();
    expect(rows.map(({ actor, action, outcome, reason }) => ({ actor, action, outcome, reason }))).toEqual([
      { actor: "Omkar Jain", action: "SIGN_IN", outcome: "DONE", reason: null },
      { actor: "Omkar Jain", action: "SIGN_IN", outcome: "REFUSED", reason: "wrong password" },
      { actor: "Unknown user", action: "SIGN_IN", outcome: "REFUSED", reason: "unknown user" },
    ]);
    const written = JSON.stringify(rows);
    expect(written).not.toContain("secret guess");
    expect(written).not.toContain(PASSWORD);
  });

  test("old failures are removed every hour", async () => {
    const cleaner = signInCleaner(server.deps);
    await cleaner.start();
    await tryWith(usernames.owner, "wrong");
    await tryWith(usernames.stranger, PASSWORD);
    server.clock.advance(9 * 24 * 3_600_000);
    await cleaner.stop();
    expect(await server.db.selectFrom("sign_in_failures").select("key").execute()).toEqual([]);
  });
});

describe("§4 Session: what ends it", () => {
  test("a token whose expiry has passed is answered 'Token expired'", async () => {
    const owner = await server.signIn("owner");
    server.clock.advance(12 * 3_600_000);
    const answer = await owner.call(siteDetails);
    expect([answer.status, answer.body]).toEqual([401, { message: "Token expired", code: "TOKEN_EXPIRED" }]);
  });

  test("deleting a user or its partner voids the session immediately, and the sign-in", async () => {
    const [owner, stranger] = [await server.signIn("owner"), await server.signIn("stranger")];
    await server.db
      .updateTable("users")
      .set({ deleted_at: new Date() })
      .where("id", "=", server.fixtures.userIds.owner)
      .execute();
    await server.db
      .updateTable("partners")
      .set({ deleted_at: new Date() })
      .where("id", "=", server.fixtures.strangerPartnerId)
      .execute();
    expect((await owner.call(siteDetails)).status).toBe(401);
    expect((await stranger.call(siteDetails)).status).toBe(401);
    expect((await tryWith(usernames.owner, PASSWORD)).status).toBe(401);
    expect((await tryWith(usernames.stranger, PASSWORD)).status).toBe(401);
  });

  test("tokens signed otherwise, by another key or not at all are refused", async () => {
    const owner = await server.signIn("owner");
    const [header = "", payload = "", signature = ""] = (owner.token ?? "").split(".");
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const admin = { ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as object), role: "SUPER_ADMIN" };
    const forged = [
      `${encode({ alg: "none", typ: "JWT" })}.${payload}.`,
      `${encode({ alg: "HS512", typ: "JWT" })}.${payload}.${signature}`,
      `${header}.${encode(admin)}.${signature}`,
      `${header}.${payload}`,
      "not a token",
      "",
    ];
    const anonymous = await server.as(null);
    for (const token of forged) {
      const answer = await anonymous.raw(siteDetails.path, { headers: { authorization: `Bearer ${token}` } });
      expect([answer.status, answer.body]).toEqual([401, { message: "Please sign in.", code: "NOT_SIGNED_IN" }]);
    }
  });
});

test("waits are described as a person would say them", () => {
  expect(
    [1, 999, 1000, 1001, 59_000, 59_001, 60_000, 900_000].map((ms) => tooManyFailures("failed sign-ins", ms)),
  ).toEqual(
    ["1 second", "1 second", "1 second", "2 seconds", "59 seconds", "1 minute", "1 minute", "15 minutes"].map(
      (wait) => `Too many failed sign-ins. Try again in ${wait}.`,
    ),
  );
});

describe("§8 Session and sign-in: many at once", () => {
  test("many sign-ins are checked one after another, each address in its turn", async () => {
    const order: string[] = [];
    const from = async (address: string, username: string, password: string) => {
      const door = new TestClient(server.app.http, null, address);
      const { status } = await door.call(login, { body: { username, password } });
      order.push(`${address} ${status}`);
    };
    const guesses = Array.from({ length: 20 }, (_, nth) => from("10.9.0.1", `somebody ${nth}`, "wrong"));
    await Promise.all([...guesses, from("10.9.0.2", usernames.owner, PASSWORD)]);
    expect(order).toHaveLength(21);
    expect(order.indexOf("10.9.0.2 200")).toBeLessThan(5);
  });
});
