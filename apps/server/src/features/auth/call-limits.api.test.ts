import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { logout } from "@suncrew/contract/auth/auth.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { groupSendCommand, siteStop } from "@suncrew/contract/groups/groups.ts";
import { createSite } from "@suncrew/contract/sites/site-forms.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { ownValue, sampleCalls } from "../../../test/sample-calls.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";
import { CALLS_PER_MINUTE } from "./guard.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp({ settings: { callsPerMinute: { reads: 20, writes: 10, files: 5 } } });
});
afterEach(() => server.close());

const TOO_MANY = /^Too many requests from your account within a minute\. Try again in \d+ seconds?\.$/;

async function statuses(count: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let each = 0; each < count; each += 1) found.push((await call()).status);
  return found;
}

function order(client: TestClient, command: "START" | "STOP") {
  const { id: robotObjectId, serial: robotId, siteId } = server.fixtures.ownRobot;
  return client.call(sendCommand, { body: { robotId, robotObjectId, siteId, command } });
}

describe("§8 Session and sign-in: limits of signed-in calls", () => {
  test("a person's reads count together, in all sessions; others' and the person's writes are not affected", async () => {
    const [one, other, stranger] = [
      await server.signIn("owner"),
      await server.as("owner"),
      await server.as("stranger"),
    ];
    expect(await statuses(12, () => one.call(siteDetails))).toEqual(Array(12).fill(200));
    expect(await statuses(10, () => other.call(alertList, { query: {} }))).toEqual([...Array(8).fill(200), 429, 429]);
    const refused = await one.call(siteDetails);
    expect(refused.body).toEqual({ message: expect.stringMatching(TOO_MANY), code: "ACCOUNT_RATE_LIMITED" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect((await stranger.call(siteDetails)).status).toBe(200);
    expect((await order(one, "START")).status).toBe(504);
  });

  test("protocol rule 3: a Stop of a robot, a group or a site passes whatever was sent before; a START does not", async () => {
    await seedGroups(server.db, server.fixtures, "planned");
    const owner = await server.as("owner");
    expect(await statuses(12, () => order(owner, "START"))).toEqual([...Array(10).fill(504), 429, 429]);
    // No robot is online to be stopped: the Stop is stored and sent again.
    const stops = await Promise.all(Array.from({ length: 30 }, () => order(owner, "STOP")));
    expect(stops.map(({ status }) => status)).toEqual(Array(30).fill(504));
    const body = Object.fromEntries(
      Object.entries(sampleCalls.groupSendCommand.body ?? {}).map(([key, value]) => [
        key,
        ownValue(value, server.fixtures),
      ]),
    );
    const group = (command: "START" | "STOP") =>
      owner.raw(groupSendCommand.path, { method: "POST", body: { ...body, command } });
    expect((await group("STOP")).status).not.toBe(429);
    expect((await group("START")).status).toBe(429);
    const site = await owner.call(siteStop, { body: { siteId: server.fixtures.ownSiteId } });
    expect(site.status).not.toBe(429);
    expect((await order(owner, "START")).status).toBe(429);
  });

  test("an excess call costs no query: it is refused before the session is read", async () => {
    const owner = await server.as("owner");
    await statuses(21, () => owner.call(siteDetails));
    await server.db.updateTable("sessions").set({ ended_at: server.clock.now() }).execute();
    expect((await owner.call(siteDetails)).status).toBe(429);
  });

  test("calls with a token that was signed out are not counted as its owner's", async () => {
    const [former, owner] = [await server.signIn("owner"), await server.signIn("owner")];
    await former.call(logout);
    expect(await statuses(30, () => former.call(siteDetails))).toEqual(Array(30).fill(401));
    expect(await statuses(15, () => owner.call(siteDetails))).toEqual(Array(15).fill(200));
  });

  test("what the role may never do is recorded immediately, and repetitions within a minute as one row with their number", async () => {
    const owner = await server.as("owner");
    const attempts = () =>
      server.db
        .selectFrom("audit")
        .select(["actor", "after"])
        .where("action", "=", "CREATE_SITE")
        .orderBy("id")
        .execute();
    expect(await statuses(9, () => owner.raw(createSite.path, { method: "POST", body: {} }))).toEqual(
      Array(9).fill(403),
    );
    expect(await attempts()).toEqual([{ actor: "Omkar Jain", after: null }]);
    await server.app.stop();
    expect(await attempts()).toEqual([
      { actor: "Omkar Jain", after: null },
      { actor: "Omkar Jain", after: { times: 8 } },
    ]);
  });
});

test("§8 Session and sign-in: the limits are far above a console with many tabs and a script that polls every second", () => {
  // Twenty tabs that each request 100 robots in their first minute, and twenty scripts that make five calls a second.
  expect(CALLS_PER_MINUTE.reads).toBeGreaterThanOrEqual(20 * 100 + 20 * 5 * 60);
  // A fleet of 3,000 robots, changed one after the other by a script within a minute.
  expect(CALLS_PER_MINUTE.writes).toBeGreaterThanOrEqual(3_000);
});
