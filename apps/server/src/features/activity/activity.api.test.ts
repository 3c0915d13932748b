import { details } from "../../../test/details.ts";
import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestRobot } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";
import { readSession } from "../../platform/sessions.ts";
import { readActivity } from "./activity.queries.ts";
import { recordActivity } from "./activity.repository.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const at = (second: number) => new Date(Date.UTC(2026, 5, 15, 6, 0, second));

async function record(robot: TestRobot, second: number, action: "START" | "STOP" = "START"): Promise<void> {
  await recordActivity(server.db, {
    at: at(second),
    robotId: robot.id,
    siteId: robot.siteId,
    commandId: null,
    action,
    actionType: "MANUAL",
    status: "SUCCESS",
    userId: server.fixtures.userIds.owner,
    userName: "Omkar Jain",
    details: details(`press ${second}`),
    mode: "AUTO",
    params: { direction: "FWD", "main-speed": 75, "brush-speed": 80 },
  });
}

async function signedIn(person: "admin" | "owner") {
  await server.signIn(person);
  const { id } = await server.db
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", server.fixtures.userIds[person])
    .executeTakeFirstOrThrow();
  const viewer = await readSession(server.db, id, server.clock.now());
  if (viewer === null) throw new Error("The session is not there.");
  return viewer;
}

describe("§7 GET api/site/robot/activity_logs", () => {
  test("a row has the names at its time, later renamings change nothing", async () => {
    await record(server.fixtures.ownRobot, 1);
    await server.db.updateTable("sites").set({ name: "Renamed" }).where("id", "=", server.fixtures.ownSiteId).execute();
    await server.db
      .updateTable("robots")
      .set({ robot_name: "Renamed" })
      .where("id", "=", server.fixtures.ownRobot.id)
      .execute();
    const { logs, total, next_cursor } = await (await server.as("admin")).ask(activityLogs);
    expect({ total, next_cursor }).toEqual({ total: 1, next_cursor: null });
    expect(logs).toEqual([
      {
        log_id: "1",
        created_at: at(1).toISOString(),
        action: "START",
        action_type: "MANUAL",
        user_name: "Omkar Jain",
        status: "SUCCESS",
        site_id: server.fixtures.ownSiteId,
        site_name: "Ownfield Park",
        partner_name: "Owncare Services",
        robot_name: "OWN-1",
        serial_number: "OWN-1",
        details: "press 1",
        paramsObj: { robotSerial: "OWN-1", mode: "AUTO", direction: "FWD", "main-speed": 75, "brush-speed": 80 },
        sample: false,
      },
    ]);
  });

  test("pages follow each other newest first, even if times are equal and rows are added in between", async () => {
    for (let second = 0; second < 10; second += 1) await record(server.fixtures.ownRobot, Math.floor(second / 3));
    const admin = await server.as("admin");
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await admin.ask(activityLogs, { query: { limit: 3, cursor } });
      seen.push(...page.logs.map(({ log_id }) => log_id));
      cursor = page.next_cursor ?? undefined;
      await record(server.fixtures.foreignRobot, 50);
    } while (cursor !== undefined);
    expect(seen).toEqual(["10", "9", "8", "7", "6", "5", "4", "3", "2", "1"]);
  });

  test("§6: only Super Admins may make this call", async () => {
    const answer = await (await server.as("owner")).call(activityLogs);
    expect([answer.status, answer.body]).toEqual([
      403,
      { message: "Your role does not allow this.", code: "FORBIDDEN" },
    ]);
  });

  test("§6: in the live stream a partner has its own sites' rows, without partners' names", async () => {
    await record(server.fixtures.ownRobot, 1);
    await record(server.fixtures.foreignRobot, 2, "STOP");
    const mine = await readActivity(await signedIn("owner"), server.db);
    expect(mine.map(({ serial_number }) => serial_number)).toEqual(["OWN-1"]);
    expect(mine[0]).not.toHaveProperty("partner_name");
    const all = await readActivity(await signedIn("admin"), server.db, { logIds: ["1", "2"] });
    expect(all.map(({ partner_name }) => partner_name)).toEqual(["Farcare Services", "Owncare Services"]);
  });
});
