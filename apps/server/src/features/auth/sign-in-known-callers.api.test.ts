import { login } from "@suncrew/contract/auth/auth.ts";
import { createPartner, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { partnerForm, PASSWORD, usernames } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { TestClient } from "../../../test/test-client.ts";
import { signInCleaner } from "./auth.service.ts";
import { accountLimit, IN_TURN_FROM, KNOWN_MS, KNOWN_PER_USER, TURN_EVERY_MS } from "./sign-in-limits.ts";

const HOME = "198.51.100.7";
const ELSEWHERE = "198.51.100.99";
const BROWSER = "b-0123456789abcdefghij";
const OTHER_BROWSER = "b-zyxwvutsrqponmlkjihg";
const attackers = Array.from({ length: 20 }, (_, nth) => `203.0.${nth}.1`);

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

interface Try {
  readonly username?: string;
  readonly password: string;
  readonly browser?: string;
}

async function tryFrom(address: string, { username = usernames.owner, ...sent }: Try) {
  return new TestClient(server.app.http, null, address).call(login, { body: { username, ...sent } });
}

const guessFrom = (address: string) => tryFrom(address, { password: "a wrong guess" });
const ownerFrom = async (address: string, browser?: string) =>
  (await tryFrom(address, { password: PASSWORD, ...(browser !== undefined && { browser }) })).status;

/** Every address guesses once; returns how many of the guesses were checked. */
async function attackOnce(): Promise<number> {
  let looked = 0;
  for (const address of attackers) looked += (await guessFrom(address)).status === 401 ? 1 : 0;
  return looked;
}

/** Until unknown callers of the account are queued. */
async function attackUntilInTurn(): Promise<void> {
  for (let looked = 0; looked < IN_TURN_FROM;) {
    looked += await attackOnce();
    server.clock.advance(1000);
  }
}

describe("§8 Session and sign-in: failures count against the caller", () => {
  test("twenty addresses that fail constantly never keep a person out from an address used before", async () => {
    expect(await ownerFrom(HOME)).toBe(200);
    const answers: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      await attackOnce();
      answers.push(await ownerFrom(HOME));
      server.clock.advance(5000);
    }
    expect(answers).toEqual(Array(30).fill(200));
  });

  test("from anywhere else the person gets a turn, however often the others try, within the limit on turns", async () => {
    await attackUntilInTurn();
    await attackOnce();
    const answer = await tryFrom(ELSEWHERE, { password: PASSWORD });
    expect([answer.status, answer.body]).toEqual([
      429,
      {
        message: expect.stringMatching(/^Too many failed sign-ins\. Try again in \d minutes?\.$/) as unknown,
        code: "SIGN_IN_LOCKED",
      },
    ]);
    let waitedMs = 0;
    while ((await ownerFrom(ELSEWHERE)) !== 200) {
      await attackOnce();
      server.clock.advance(5000);
      waitedMs += 5000;
      expect(waitedMs).toBeLessThanOrEqual(attackers.length * TURN_EVERY_MS);
    }
    // It is known from there now.
    await attackOnce();
    expect(await ownerFrom(ELSEWHERE)).toBe(200);
  });

  test("all addresses together make no more than 40 guesses and then one every ten seconds", async () => {
    let looked = 0;
    const steps = 90;
    for (let step = 0; step < steps; step += 1) {
      looked += await attackOnce();
      server.clock.advance(5000);
    }
    expect(looked).toBeGreaterThan(IN_TURN_FROM);
    expect(looked).toBeLessThanOrEqual(IN_TURN_FROM + (steps * 5000) / TURN_EVERY_MS);
  });

  test("a known browser is delayed neither by failures at its address nor by those of an unknown one", async () => {
    expect(await ownerFrom(HOME, BROWSER)).toBe(200);
    for (let each = 0; each < 40; each += 1) await tryFrom(ELSEWHERE, { username: `name ${each}`, password: "wrong" });
    for (let each = 0; each < 10; each += 1) await guessFrom(ELSEWHERE);
    expect(await ownerFrom(ELSEWHERE, OTHER_BROWSER)).toBe(429);
    expect(await ownerFrom(ELSEWHERE, BROWSER)).toBe(200);
  });

  test("a browser's cookie has no value for another person's account", async () => {
    expect(await ownerFrom(HOME, BROWSER)).toBe(200);
    for (let each = 0; each < 40; each += 1) await tryFrom(ELSEWHERE, { username: `name ${each}`, password: "wrong" });
    const stranger = { username: usernames.stranger, password: PASSWORD, browser: BROWSER };
    expect((await tryFrom(ELSEWHERE, stranger)).status).toBe(429);
  });

  test("a known caller that fails is itself slowed and locked, and nobody else", async () => {
    expect(await ownerFrom(HOME, BROWSER)).toBe(200);
    for (let failures = 0; failures < accountLimit.lockedFrom; failures += 1) {
      const wrong = { password: "wrong", browser: BROWSER };
      expect((await tryFrom(HOME, wrong)).status).toBe(401);
      server.clock.advance(20_000);
    }
    expect(await ownerFrom(HOME, BROWSER)).toBe(429);
    expect(await ownerFrom(HOME)).toBe(200);
    expect(await ownerFrom(ELSEWHERE)).toBe(200);
  });

  test("a caller is known for sixty days after its last sign-in, the newest thirty per person, and stored as a hash", async () => {
    expect(await ownerFrom(HOME, BROWSER)).toBe(200);
    const stored = await server.db.selectFrom("known_callers").select("key").execute();
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toMatch(new RegExp(`${BROWSER}|${HOME}`));
    for (let each = 0; each < KNOWN_PER_USER; each += 1) {
      server.clock.advance(1000);
      expect(await ownerFrom(`192.0.2.${each}`)).toBe(200);
    }
    const left = await server.db.selectFrom("known_callers").select("key").execute();
    expect(left).toHaveLength(KNOWN_PER_USER);
    expect(left.map(({ key }) => key)).not.toContain(stored[0]?.key);

    const cleaner = signInCleaner(server.deps);
    await cleaner.start();
    server.clock.advance(KNOWN_MS);
    await cleaner.stop();
    expect(await server.db.selectFrom("known_callers").select("key").execute()).toEqual([]);
  });

  test("a password that a Super Admin resets starts afresh, and callers that knew the former one are unknown", async () => {
    const admin = await server.as("admin");
    const { partnerId, credentials } = await admin.ask(createPartner, { body: partnerForm("Known Somewhere") });
    expect((await tryFrom(HOME, { ...credentials, browser: BROWSER })).status).toBe(200);
    await tryFrom(ELSEWHERE, { ...credentials, password: "wrong" });
    const { newPassword } = await admin.ask(resetPartnerPassword, { params: { id: partnerId } });
    expect(await server.db.selectFrom("known_callers").select("key").execute()).toEqual([]);
    const counted = await server.db.selectFrom("sign_in_failures").select("key").execute();
    expect(counted.filter(({ key }) => !key.startsWith("address:"))).toEqual([]);
    expect((await tryFrom(ELSEWHERE, { ...credentials, password: newPassword })).status).toBe(200);
  });

  test("an identifier that no browser makes is refused with the field named", async () => {
    const answer = await tryFrom(HOME, { password: PASSWORD, browser: "x" });
    expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ field: "browser" }] }]);
  });
});
