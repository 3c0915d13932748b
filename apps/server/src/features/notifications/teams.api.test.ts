import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import {
  createNotificationRule,
  createRota,
  createTeam,
  deleteRota,
  deleteTeam,
  rotaList,
  type RuleTarget,
  teamList,
  updateRota,
  updateTeam,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";

let server: TestApp;
let admin: TestClient;
beforeEach(async () => {
  server = await createTestApp();
  admin = await server.as("admin");
});
afterEach(() => server.close());

const NOBODYS = 999_999;
const people = () => server.fixtures.userIds;
const team = (): SentBodyOf<typeof createTeam> => ({ name: " Night watch ", member_ids: [people().owner] });
const rota = (): SentBodyOf<typeof createRota> => ({
  name: "On duty",
  timezone: "Asia/Kolkata",
  starts_on: "2026-06-01",
  handover_at: "08:00",
  weeks: 1,
  member_ids: [people().stranger, people().admin],
});
const audits = async () =>
  server.db
    .selectFrom("audit")
    .select(["action", "outcome", "before", "after"])
    .where("entity", "in", ["team", "rota"])
    .orderBy("id")
    .execute();
async function tell(target: RuleTarget): Promise<void> {
  const filter = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
  const telling = { enabled: true, wait_seconds: 0, repeat_minutes: null, tells_cleared: true };
  const steps = [{ after_minutes: 0, to: [target] }];
  await admin.ask(createNotificationRule, { body: { name: "All alerts", filter, ...telling, steps } });
}

test("a team is added, listed, changed and deleted; each change is on record", async () => {
  const { teamId } = await admin.ask(createTeam, { body: team() });
  expect(await admin.ask(teamList)).toEqual([
    { id: teamId, name: "Night watch", members: [{ user_id: people().owner, name: "Omkar Jain" }], version: 1 },
  ]);
  const params = { teamId };
  const body = { name: "Day watch", member_ids: [people().stranger, people().admin], version: 1 };
  await admin.ask(updateTeam, { params, body });
  expect(await admin.ask(teamList)).toMatchObject([
    { name: "Day watch", members: [{ name: "Anita Rao" }, { name: "Sadia Khan" }], version: 2 },
  ]);
  expect(await admin.call(updateTeam, { params, body })).toMatchObject({
    status: 409,
    body: { errors: [{ field: "version" }] },
  });
  await admin.ask(deleteTeam, { params });
  expect(await admin.ask(teamList)).toEqual([]);
  expect(await audits()).toMatchObject([
    { action: "CREATE_TEAM", after: { name: "Night watch", members: ["Omkar Jain"] } },
    { action: "UPDATE_TEAM", before: { name: "Night watch" }, after: { name: "Day watch" } },
    { action: "UPDATE_TEAM", outcome: "REFUSED" },
    { action: "DELETE_TEAM", before: { name: "Day watch" } },
  ]);
});

test("a rota says who is on duty and until when; members that were deleted have no turn", async () => {
  const { rotaId } = await admin.ask(createRota, { body: rota() });
  // It is the third week: noon of a Monday, after the handover.
  expect(await admin.ask(rotaList)).toMatchObject([
    {
      id: rotaId,
      starts_on: "2026-06-01",
      members: [{ name: "Sadia Khan" }, { name: "Anita Rao" }],
      on_duty: { name: "Sadia Khan", until: "2026-06-22T02:30:00.000Z" },
    },
  ]);
  const params = { rotaId };
  await admin.ask(updateRota, { params, body: { ...rota(), handover_at: "18:00", version: 1 } });
  expect(await admin.ask(rotaList)).toMatchObject([{ on_duty: { name: "Anita Rao" }, version: 2 }]);
  await server.db.updateTable("users").set({ deleted_at: TEST_NOW }).where("id", "=", people().stranger).execute();
  expect(await admin.ask(rotaList)).toMatchObject([{ members: [null, { name: "Anita Rao" }] }]);
  await admin.ask(deleteRota, { params });
  expect((await audits()).map(({ action }) => action)).toEqual(["CREATE_ROTA", "UPDATE_ROTA", "DELETE_ROTA"]);
});

test("§5: a member that does not exist is 404; a name that another has, in any case, is 409", async () => {
  await admin.ask(createTeam, { body: team() });
  await admin.ask(createRota, { body: rota() });
  expect(await admin.call(createTeam, { body: { name: "night WATCH", member_ids: [1] } })).toMatchObject({
    status: 409,
    body: { code: "TEAM_NAME_TAKEN", errors: [{ field: "name" }] },
  });
  expect(await admin.call(createRota, { body: { ...rota(), name: "ON DUTY" } })).toMatchObject({
    status: 409,
    body: { code: "ROTA_NAME_TAKEN", errors: [{ field: "name" }] },
  });
  expect(await admin.call(createTeam, { body: { name: "Other", member_ids: [NOBODYS] } })).toMatchObject({
    status: 404,
    body: { code: "USER_NOT_FOUND" },
  });
  for (const body of [
    { ...rota(), member_ids: [] },
    { ...rota(), weeks: 9 },
    { ...rota(), starts_on: "2026-02-30" },
    { ...rota(), timezone: "Mars" },
  ]) {
    expect(await admin.call(createRota, { body })).toMatchObject({ status: 400 });
  }
});

test("a team or rota that a rule tells is not deleted: the answer names the rule", async () => {
  const { teamId } = await admin.ask(createTeam, { body: team() });
  const { rotaId } = await admin.ask(createRota, { body: rota() });
  await tell({ kind: "TEAM", id: teamId });
  await tell({ kind: "ROTA", id: rotaId });
  const answers = [
    await admin.call(deleteTeam, { params: { teamId } }),
    await admin.call(deleteRota, { params: { rotaId } }),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "NAMED_BY_RULE", message: expect.stringContaining("All alerts") },
    });
  }
});

test("only Super Admins see and change them", async () => {
  const { teamId } = await admin.ask(createTeam, { body: team() });
  const { rotaId } = await admin.ask(createRota, { body: rota() });
  for (const [person, status] of [
    ["owner", 403],
    [null, 401],
  ] as const) {
    const client = await server.as(person);
    const answers = [
      await client.call(teamList),
      await client.call(createTeam, { body: team() }),
      await client.call(updateTeam, { params: { teamId }, body: team() }),
      await client.call(deleteTeam, { params: { teamId } }),
      await client.call(rotaList),
      await client.call(createRota, { body: rota() }),
      await client.call(updateRota, { params: { rotaId }, body: rota() }),
      await client.call(deleteRota, { params: { rotaId } }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
  }
});
