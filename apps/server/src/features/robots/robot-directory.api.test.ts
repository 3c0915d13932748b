import { robotDirectory } from "@suncrew/contract/robots/robots.ts";
import { createGroup } from "@suncrew/contract/groups/groups.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Person } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const read = async (who: Person | null, etag?: string) =>
  (await server.as(who)).call(robotDirectory, etag === undefined ? {} : { headers: { "if-none-match": etag } });

test("Robots page: the directory has the names of every robot and group that the viewer may see, and nobody else's", async () => {
  const { ownRobot, ownSiteId } = server.fixtures;
  const owner = await server.as("owner");
  const body = { site_id: ownSiteId, group_name: "East Row", robot_ids: [ownRobot.id] };
  const { groupId } = await owner.ask(createGroup, { body });
  const own = robotDirectory.response.parse((await read("owner")).body);
  expect(own.robots).toContainEqual({
    robot_id: ownRobot.id,
    robot_name: "OWN-1",
    motor_type: "BLDC",
    control_type: "PLC",
    installation_date: "2024-02-29",
  });
  expect(own.groups).toContainEqual({ id: groupId, site_id: ownSiteId, group_name: "East Row" });
  const foreign = robotDirectory.response.parse((await read("stranger")).body);
  expect(foreign.robots.map(({ robot_id }) => robot_id)).not.toContain(ownRobot.id);
  expect(foreign.groups.map(({ id }) => id)).not.toContain(groupId);
  const all = robotDirectory.response.parse((await read("admin")).body);
  expect(all.robots).toHaveLength(own.robots.length + foreign.robots.length);
  expect((await read(null)).status).toBe(401);
});

test("Robots page: an unchanged directory is not sent again", async () => {
  const first = await read("owner");
  const etag = first.headers["etag"] as string;
  expect((await read("owner", etag)).status).toBe(304);
  const owner = await server.as("owner");
  const { ownRobot, ownSiteId } = server.fixtures;
  await owner.ask(createGroup, { body: { site_id: ownSiteId, group_name: "West Row", robot_ids: [ownRobot.id] } });
  expect((await read("owner", etag)).status).toBe(200);
});
