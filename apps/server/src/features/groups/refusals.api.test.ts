import { createGroup, groupSendCommand, siteStop, updateGroup } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seedGroups } from "../../../test/group-fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import type { TestClient } from "../../../test/test-client.ts";

let server: TestApp;
let admin: TestClient;
let groupId: number;

beforeAll(async () => {
  server = await createTestApp();
  admin = await server.as("admin");
  ({ groupId } = server.fixtures.ownGroup);
});
afterAll(() => server.close());
beforeEach(async () => {
  await seedGroups(server.db, server.fixtures, "unplanned");
  await server.db.deleteFrom("audit").execute();
});

const audit = () => server.db.selectFrom("audit").selectAll().orderBy("id").execute();
const emptyGroup = () => server.db.deleteFrom("robot_group_members").where("group_id", "=", groupId).execute();
const row = (action: string, entityId: number, siteId: number, reason: string) => ({
  action,
  entity_id: String(entityId),
  site_id: siteId,
  outcome: "REFUSED",
  reason,
  actor: "Anita Rao",
});

describe("decisions, audit: refusals about a group are recorded", () => {
  test("decisions, audit: a new group with a robot of another site", async () => {
    const { ownRobot, foreignRobot, ownSiteId } = server.fixtures;
    const body = { site_id: ownSiteId, group_name: "New", robot_ids: [foreignRobot.id, ownRobot.id] };
    expect((await admin.call(createGroup, { body })).status).toBe(400);
    const [written, ...others] = await audit();
    expect(others).toEqual([]);
    expect(written).toMatchObject({
      action: "CREATE_GROUP",
      entity_id: null,
      site_id: ownSiteId,
      outcome: "REFUSED",
      reason: "Robot FAR-1 is not at this site.",
      before: null,
      after: { group_name: "New", robot_ids: [ownRobot.id, foreignRobot.id].toSorted((a, b) => a - b) },
    });
  });

  test("decisions, audit: a group that was to change its site", async () => {
    const { ownRobot, ownSiteId, secondSiteId } = server.fixtures;
    const body = { site_id: secondSiteId, group_name: "Moved", robot_ids: [ownRobot.id] };
    expect((await admin.call(updateGroup, { params: { groupId }, body })).status).toBe(400);
    expect(await audit()).toMatchObject([
      {
        ...row("UPDATE_GROUP", groupId, ownSiteId, "The site of a group cannot be changed."),
        before: { group_name: "Ownfield East", robot_ids: [ownRobot.id] },
        after: { group_name: "Moved" },
      },
    ]);
  });

  test("decisions, audit: a command that names another site, or a robot that is not in the group", async () => {
    const { ownRobot2, ownSiteId, secondSiteId } = server.fixtures;
    const body = { siteId: ownSiteId, groupId, command: "START" as const };
    const stray = { ...body, robotObjectIds: [ownRobot2.id] };
    expect((await admin.call(groupSendCommand, { body: { ...body, siteId: secondSiteId } })).status).toBe(400);
    expect((await admin.call(groupSendCommand, { body: stray })).status).toBe(400);
    expect(await audit()).toMatchObject([
      row("START_GROUP", groupId, ownSiteId, "siteId must be the site of the group"),
      row("START_GROUP", groupId, ownSiteId, "robotObjectIds must name robots of the group"),
    ]);
  });

  test("decisions, audit: a command or lock of a group without robots, and a Stop of a site without any", async () => {
    const { ownSiteId: siteId, secondSiteId } = server.fixtures;
    await emptyGroup();
    for (const command of ["START", "STOP"] as const) {
      expect(await admin.ask(groupSendCommand, { body: { siteId, groupId, command } })).toMatchObject({ results: [] });
    }
    const params = { groupId };
    await admin.ask(groupMaintenance, { params, body: { enabled: true, reason: "The row is washed" } });
    await admin.ask(groupMaintenance, { params, body: { enabled: false } });
    await admin.ask(siteStop, { body: { siteId: secondSiteId } });
    expect(await audit()).toMatchObject([
      row("START_GROUP", groupId, siteId, "The group has no robot to start."),
      row("STOP_GROUP", groupId, siteId, "The group has no robot to stop."),
      row("MAINTENANCE_ON", groupId, siteId, "The group has no robot to lock."),
      row("MAINTENANCE_OFF", groupId, siteId, "The group has no robot to release."),
      row("STOP_SITE", secondSiteId, secondSiteId, "There is no robot at this site."),
    ]);
  });
});
