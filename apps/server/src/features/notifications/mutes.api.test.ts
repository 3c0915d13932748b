import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { createMute, endMute, MUTE_MAX_DAYS, muteList } from "@suncrew/contract/notifications/mutes.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";

let server: TestApp;
let owner: TestClient;
let stranger: TestClient;
beforeEach(async () => {
  server = await createTestApp();
  [owner, stranger] = await Promise.all([server.as("owner"), server.as("stranger")]);
});
afterEach(() => server.close());

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(TEST_NOW.getTime() + hours * HOUR_MS).toISOString();
const ofSite = (): SentBodyOf<typeof createMute> => ({
  site_id: server.fixtures.ownSiteId,
  until: inHours(24),
  reason: " Grid works ",
});
const ofRobot = () => ({ ...ofSite(), robot_id: server.fixtures.ownRobot.id });
const audits = async () =>
  server.db
    .selectFrom("audit")
    .select(["action", "entity", "entity_id", "site_id", "outcome", "reason", "before", "after"])
    .where("action", "in", ["MUTE", "END_MUTE"])
    .orderBy("id")
    .execute();

test("a site and a robot are muted until a time, with who and why; each change is on record", async () => {
  const { ownSiteId, ownRobot } = server.fixtures;
  const { muteId } = await owner.ask(createMute, { body: ofSite() });
  await owner.ask(createMute, { body: ofRobot() });
  const mute = {
    site_id: ownSiteId,
    site_name: "Ownfield Park",
    timezone: "Asia/Kolkata",
    until: inHours(24),
    reason: "Grid works",
  };
  const by = { muted_by: "Omkar Jain", muted_at: TEST_NOW.toISOString() };
  const listed = [
    { ...mute, ...by, id: muteId, robot_id: null, robot_name: null, serial_number: null },
    { ...mute, ...by, id: expect.any(Number), robot_id: ownRobot.id, robot_name: "OWN-1", serial_number: "OWN-1" },
  ];
  expect(await owner.ask(muteList)).toEqual(listed);
  expect(await (await server.as("admin")).ask(muteList, { query: { site_id: ownSiteId } })).toEqual(listed);
  await (await server.as("admin")).ask(endMute, { params: { muteId } });
  expect(await owner.ask(muteList)).toHaveLength(1);
  expect(await owner.call(endMute, { params: { muteId } })).toMatchObject({
    status: 404,
    body: { code: "MUTE_NOT_FOUND" },
  });
  expect(await audits()).toMatchObject([
    { action: "MUTE", entity: "site", entity_id: String(ownSiteId), after: { reason: "Grid works" } },
    { action: "MUTE", entity: "robot", entity_id: String(ownRobot.id), site_id: ownSiteId },
    { action: "END_MUTE", entity: "site", site_id: ownSiteId, before: { reason: "Grid works" } },
  ]);
});

test("a new mute replaces the one of the same, and none is listed once its time is over", async () => {
  await owner.ask(createMute, { body: ofRobot() });
  await owner.ask(createMute, { body: { ...ofRobot(), until: inHours(48), reason: "Longer" } });
  expect(await owner.ask(muteList)).toMatchObject([{ until: inHours(48), reason: "Longer" }]);
  expect((await audits()).at(-1)).toMatchObject({ before: { reason: "Grid works" }, after: { reason: "Longer" } });
  server.clock.advance(48 * HOUR_MS);
  expect(await (await server.signIn("owner")).ask(muteList)).toEqual([]);
});

test("§5: a time that is over or too far ahead, a robot elsewhere and a missing reason are 400; refusals are on record", async () => {
  const wrong = [
    [{ ...ofSite(), until: TEST_NOW.toISOString() }, "until"],
    [{ ...ofSite(), until: inHours(MUTE_MAX_DAYS * 24 + 1) }, "until"],
    [{ ...ofSite(), until: "tomorrow" }, "until"],
    [{ ...ofSite(), reason: " " }, "reason"],
    [{ ...ofRobot(), site_id: server.fixtures.secondSiteId }, "robot_id"],
  ] as const;
  for (const [body, field] of wrong) {
    const answer = await owner.call(createMute, { body });
    expect([field, answer.status, answer.body]).toMatchObject([field, 400, { errors: [{ field }] }]);
  }
  await owner.ask(createMute, { body: { ...ofSite(), until: inHours(MUTE_MAX_DAYS * 24) } });
  expect((await audits()).map(({ outcome }) => outcome)).toEqual(["REFUSED", "REFUSED", "REFUSED", "DONE"]);
});

test("§6: another partner neither sees, makes nor ends them; nobody does signed out", async () => {
  const { muteId } = await owner.ask(createMute, { body: ofSite() });
  expect(await stranger.ask(muteList)).toEqual([]);
  for (const [client, status] of [
    [stranger, 404],
    [await server.as(null), 401],
  ] as const) {
    const answers = [
      await client.call(muteList, { query: { site_id: server.fixtures.ownSiteId } }),
      await client.call(createMute, { body: ofSite() }),
      await client.call(endMute, { params: { muteId } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
  }
  const { foreignRobot } = server.fixtures;
  expect(await owner.call(createMute, { body: { ...ofSite(), robot_id: foreignRobot.id } })).toMatchObject({
    status: 404,
  });
});

test("a robot that was moved takes no mute with it", async () => {
  await owner.ask(createMute, { body: ofRobot() });
  await server.db
    .updateTable("robots")
    .set({ site_id: server.fixtures.secondSiteId })
    .where("id", "=", server.fixtures.ownRobot.id)
    .execute();
  expect(await owner.ask(muteList)).toEqual([]);
});
