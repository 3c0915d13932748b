import { createGroup, deleteGroup, GROUP_INCOMPLETE, groupList, updateGroup } from "@suncrew/contract/groups/groups.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addRobot, type TestRobot } from "../../../test/fixtures.ts";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";

let server: TestApp;
let owner: TestClient;
let siteId: number;
let robots: readonly TestRobot[];

beforeAll(async () => {
  server = await createTestApp();
  owner = await server.as("owner");
  siteId = server.fixtures.ownSiteId;
  const added = [await addRobot(server.db, siteId, "OWN-3"), await addRobot(server.db, siteId, "OWN-4")];
  robots = [server.fixtures.ownRobot, server.fixtures.ownRobot2, ...added];
});
afterAll(() => server.close());
beforeEach(async () => {
  await seedGroups(server.db, server.fixtures, "free");
  await server.db.deleteFrom("audit").execute();
});

const ids = (...numbers: number[]) => numbers.flatMap((number) => robots[number - 1]?.id ?? []);
const bodyOf = (group_name: string, ...numbers: number[]) => ({
  site_id: siteId,
  group_name,
  robot_ids: ids(...numbers),
});
const create = (name: string, ...numbers: number[]) => owner.call(createGroup, { body: bodyOf(name, ...numbers) });
const made = async (name: string, ...numbers: number[]) =>
  (await owner.ask(createGroup, { body: bodyOf(name, ...numbers) })).groupId;
const update = (groupId: number, name: string, ...numbers: number[]) =>
  owner.call(updateGroup, { params: { groupId }, body: bodyOf(name, ...numbers) });
const list = () => owner.ask(groupList, { params: { siteId } });
const audit = () => server.db.selectFrom("audit").selectAll().where("entity", "=", "group").orderBy("id").execute();
const changeNumbers = async () => {
  const { rows } = await sql<{ id: number; change_no: string }>`
    select robot_id as id, change_no::text from robot_state order by robot_id`.execute(server.db);
  return new Map(rows.map((row) => [row.id, row.change_no]));
};
/** Robots that the live stream has sent since `before`. */
async function changedSince(before: ReadonlyMap<number, string>): Promise<number[]> {
  const after = await changeNumbers();
  return [...after].flatMap(([id, number]) => (before.get(id) === number ? [] : [id]));
}

describe("§7 Groups: create and list", () => {
  test("§7 Groups: a group is created with its robots, and every list shows it", async () => {
    const before = await changeNumbers();
    const answer = await create("  East Row ", 2, 1);
    expect(answer).toMatchObject({ status: 201, body: { message: "Group created successfully" } });
    const [group, ...others] = await list();
    expect(others).toEqual([]);
    expect(group).toEqual({
      id: createGroup.response.parse(answer.body).groupId,
      group_name: "East Row",
      site_id: siteId,
      robots: ids(1, 2).map((id) => ({ id })),
      created_at: TEST_NOW.toISOString(),
      schedule_type: null,
      schedule_details: null,
      version: 1,
    });
    expect(await changedSince(before)).toEqual(ids(1, 2));
    const rows = await owner.ask(robotsList, { params: { siteId } });
    expect(rows.map(({ serial_number }) => serial_number)).toContain("OWN-1");
    expect(await audit()).toMatchObject([
      {
        action: "CREATE_GROUP",
        outcome: "DONE",
        actor: "Omkar Jain",
        before: null,
        after: { group_name: "East Row", robot_ids: ids(1, 2) },
      },
    ]);
  });

  test("wire, Schedules: a group carries its schedule, and the schedule's frequency as its type", async () => {
    await seedGroups(server.db, server.fixtures, "planned");
    const { groupId, scheduleId } = server.fixtures.ownGroup;
    expect(await list()).toMatchObject([
      {
        id: groupId,
        schedule_type: "MONTHLY",
        schedule_details: {
          id: scheduleId,
          group_id: groupId,
          site_id: siteId,
          action: "START",
          start_time: "2099-01-31 06:30:00",
          duration_minutes: 30,
          frequency: "MONTHLY",
          status: "ACTIVE",
          next_run_at: "2099-01-31T01:00:00.000Z",
          waiting: null,
          skip_on_rain: false,
        },
      },
    ]);
  });
});

describe("§5 Robot group", () => {
  test.each([
    ["a name of spaces", { group_name: " \u00a0\t" }, "group_name"],
    ["an empty name", { group_name: "" }, "group_name"],
    ["no robot", { robot_ids: [] }, "robot_ids"],
  ])("§5 Robot group: %s is refused with the specified message", async (_what, change, field) => {
    const answer = await owner.call(createGroup, { body: { ...bodyOf("East", 1), ...change } });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: GROUP_INCOMPLETE, errors: [{ field, message: GROUP_INCOMPLETE }] },
    });
  });

  test.each(["East Row", "eastrow", " EAST\u00a0row ", "E a s t R o w"])(
    "§5 Robot group: %j equals the name 'East Row'; the refusal is recorded",
    async (name) => {
      await made("East Row", 1);
      expect(await create(name, 2)).toMatchObject({
        status: 409,
        body: { message: "Group name already exists for this site", code: "GROUP_NAME_TAKEN" },
      });
      expect((await audit()).slice(1)).toMatchObject([
        {
          action: "CREATE_GROUP",
          outcome: "REFUSED",
          reason: "Group name already exists for this site",
          after: { robot_ids: ids(2) },
        },
      ]);
    },
  );

  test("§7 Groups: an edit based on an older version is 409 and changes nothing; one without a version overwrites", async () => {
    const groupId = await made("East Row", 1);
    const edit = async (version: number | undefined, name: string, ...numbers: number[]) =>
      (await owner.call(updateGroup, { params: { groupId }, body: { ...bodyOf(name, ...numbers), version } })).status;
    expect(await edit(1, "East Row", 1)).toBe(200);
    // It changed nothing, so it conflicts with no other edit.
    expect(await edit(1, "East Row", 2)).toBe(200);
    const stale = await owner.call(updateGroup, { params: { groupId }, body: { ...bodyOf("West", 1), version: 1 } });
    const message = "Somebody else has changed this group in the meantime.";
    expect(stale).toMatchObject({ status: 409, body: { message, errors: [{ field: "version" }] } });
    expect((await audit()).at(-1)).toMatchObject({ action: "UPDATE_GROUP", outcome: "REFUSED", reason: message });
    expect(await list()).toMatchObject([{ group_name: "East Row", robots: ids(2).map((id) => ({ id })), version: 2 }]);
    expect(await edit(undefined, "West", 1)).toBe(200);
    expect(await list()).toMatchObject([{ group_name: "West", version: 3 }]);
  });

  test("§5 Robot group: another site may use the name", async () => {
    await made("East Row", 1);
    const { foreignSiteId, foreignRobot } = server.fixtures;
    const stranger = await server.as("stranger");
    const body = { site_id: foreignSiteId, group_name: "East Row", robot_ids: [foreignRobot.id] };
    expect((await stranger.call(createGroup, { body })).status).toBe(201);
  });

  test("§5 Robot group: a robot belongs to at most one group; the refusal names both", async () => {
    await made("East Row", 1, 2);
    expect(await create("West Row", 2, 3)).toMatchObject({
      status: 409,
      body: { message: 'Robot OWN-2 is already in the group "East Row".' },
    });
    const west = await made("West Row", 3);
    expect(await update(west, "West Row", 1, 3)).toMatchObject({
      status: 409,
      body: { message: 'Robot OWN-1 is already in the group "East Row".' },
    });
    expect((await audit()).at(-1)).toMatchObject({
      action: "UPDATE_GROUP",
      outcome: "REFUSED",
      before: { group_name: "West Row", robot_ids: ids(3) },
      after: { group_name: "West Row", robot_ids: ids(1, 3) },
    });
    expect(await list()).toMatchObject([{ robots: [{}, {}] }, { robots: [{}] }]);
  });

  test("§5 Robot group: a robot of another site is 400, one out of scope 404, and a group cannot change its site", async () => {
    const { foreignRobot, foreignSiteId, secondSiteId } = server.fixtures;
    const admin = await server.as("admin");
    const withForeign = { ...bodyOf("East Row", 1), robot_ids: [...ids(1), foreignRobot.id] };
    expect(await admin.call(createGroup, { body: withForeign })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "robot_ids", message: "Robot FAR-1 is not at this site." }] },
    });
    expect((await owner.call(createGroup, { body: withForeign })).status).toBe(404);
    const groupId = await made("East Row", 1);
    const moved = { ...bodyOf("East Row", 1), site_id: secondSiteId };
    expect(await owner.call(updateGroup, { params: { groupId }, body: moved })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "site_id" }] },
    });
    const hidden = { ...bodyOf("East Row", 1), site_id: foreignSiteId };
    expect((await owner.call(updateGroup, { params: { groupId }, body: hidden })).status).toBe(404);
  });
});

describe("§7 Groups: update and delete", () => {
  test("§5 Robot group: its own name is no conflict, robots are added and removed, and streams show both", async () => {
    const groupId = await made("East Row", 1, 2);
    const before = await changeNumbers();
    expect(await update(groupId, "EAST ROW", 2, 3)).toMatchObject({
      status: 200,
      body: { message: "Group updated successfully" },
    });
    expect(await list()).toMatchObject([{ group_name: "EAST ROW", robots: ids(2, 3).map((id) => ({ id })) }]);
    expect(await changedSince(before)).toEqual(ids(1, 2, 3));
    expect((await audit()).at(-1)).toMatchObject({
      action: "UPDATE_GROUP",
      before: { group_name: "East Row", robot_ids: ids(1, 2) },
      after: { group_name: "EAST ROW", robot_ids: ids(2, 3) },
    });
    expect((await create("West Row", 1)).status).toBe(201);
  });

  test("§7 Groups: deleting frees robots, name and schedule; a run in progress keeps its end", async () => {
    await seedGroups(server.db, server.fixtures, "planned");
    const { groupId, scheduleId } = server.fixtures.ownGroup;
    const [robotId = 0] = ids(1);
    const stop_due_at = new Date(TEST_NOW.getTime() + 600_000);
    const run = {
      id: "0198c0de-0000-7000-8000-00000000aaaa",
      robot_id: robotId,
      site_id: siteId,
      planned: true,
      schedule_id: scheduleId,
      group_id: groupId,
      started_by: "Scheduler",
      due_at: TEST_NOW,
      began_at: TEST_NOW,
      stop_due_at,
    };
    await server.db.insertInto("runs").values(run).execute();
    const before = await changeNumbers();
    expect((await owner.ask(deleteGroup, { params: { groupId } })).message).toBe("Group deleted successfully");
    expect(await list()).toEqual([]);
    expect(await server.db.selectFrom("schedules").selectAll().where("site_id", "=", siteId).execute()).toEqual([]);
    expect(await changedSince(before)).toEqual([robotId]);
    expect(await server.db.selectFrom("runs").selectAll().executeTakeFirst()).toMatchObject({
      stop_due_at,
      ended_at: null,
    });
    expect(await audit()).toMatchObject([
      {
        action: "DELETE_GROUP",
        outcome: "DONE",
        reason: "Its robots that are cleaning continue until their planned end or a Stop.",
        before: {
          group_name: "Ownfield East",
          robot_ids: [robotId],
          schedule: { id: scheduleId },
          cleaning_robot_ids: [robotId],
        },
        after: null,
      },
    ]);
    expect((await owner.call(deleteGroup, { params: { groupId } })).status).toBe(404);
    expect((await update(groupId, "Again", 1)).status).toBe(404);
    expect((await create("Ownfield East", 1)).status).toBe(201);
    await server.db.deleteFrom("runs").execute();
  });
});

describe("§5 Robot group: two people save concurrently", () => {
  const outcomes = (answers: readonly { status: number }[]) =>
    answers.map(({ status }) => status).toSorted((one, other) => one - other);

  test("§5 Robot group: of two that take one name one is refused with the same message, and never fails", async () => {
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([create(`Row ${round}`, 1), create(`ROW${round}`, 2)]);
      expect(outcomes(answers)).toEqual([201, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body).toEqual({ message: "Group name already exists for this site", code: "GROUP_NAME_TAKEN" });
      await seedGroups(server.db, server.fixtures, "free");
    }
  });

  test("§5 Robot group: of two that take one robot one is refused, naming robot and group", async () => {
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([create("North", 1, 2), create("South", 2, 3)]);
      expect(outcomes(answers)).toEqual([201, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(JSON.stringify(refused?.body)).toMatch(/Robot OWN-2 is already in the group \\"(North|South)\\"\./);
      await seedGroups(server.db, server.fixtures, "free");
    }
  });

  test("§5 Robot group: whatever is saved and deleted concurrently, no robot is in two groups and nothing fails", async () => {
    const groups = [await made("One", 1, 2), await made("Two", 3)];
    const names = ["One", "Two", "Three"];
    for (let round = 0; round < 15; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, nth) => {
          const name = names[(round + nth) % 3] ?? "One";
          const first = ((round + nth) % 4) + 1;
          const second = (first % 4) + 1;
          const groupId = groups[(round + nth) % groups.length] ?? 0;
          if (nth % 4 === 0) return create(name, first, second);
          if (nth % 4 === 3 && round % 3 === 0) return owner.call(deleteGroup, { params: { groupId } });
          return update(groupId, name, first, second);
        }),
      );
      for (const { status, body } of answers) {
        expect([200, 201, 404, 409]).toContain(status);
        const added = createGroup.response.safeParse(body);
        if (added.success) groups.push(added.data.groupId);
      }
      const now = await list();
      const members = now.flatMap((group) => group.robots.map(({ id }) => id));
      expect(new Set(members).size).toBe(members.length);
      expect(new Set(now.map(({ group_name }) => group_name)).size).toBe(now.length);
      expect(now.filter((group) => group.robots.length === 0)).toEqual([]);
    }
  });
});
