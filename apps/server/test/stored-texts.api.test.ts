import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { groupSendCommand } from "@suncrew/contract/groups/groups.ts";
import {
  alertText,
  clockSkewAlert,
  counterTooHighAlert,
  lostWhileMovingAlert,
  memoryLostAlert,
  messagesLostAlert,
  offlineTooLongAlert,
  runCutShortAlert,
  runMissedAlert,
  runNotStartedAlert,
  runSkippedAlert,
  type ServerAlert,
  type ServerAlertCode,
  sensorSilentAlert,
  siteOutageAlert,
  siteSoiledAlert,
  tooManyConnectionsAlert,
  tooManyMessagesAlert,
  unconfirmedAlert,
  unconfirmedStopAlert,
  unknownStatusAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { lowBattery } from "@suncrew/domain/alerts/low-battery.ts";
import { bareOutcomeSentence, outcomeSentence, outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { TextParams } from "@suncrew/contract/http/coded-text.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { raiseAlerts, raiseSiteAlert } from "../src/features/alerts/alerts.repository.ts";
import { insertPlannedRuns } from "../src/features/runs/public.ts";
import { seedFirmware } from "./firmware-fixtures.ts";
import { seedGroups } from "./group-fixtures.ts";
import { addMonthlyReports } from "./monthly-report-fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "./test-app.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await seedGroups(server.db, server.fixtures, "planned");
});
afterAll(() => server.close());

const away = "Robot OWN-1 is offline: it has no connection at the moment.";

/** A stored code with its parameters, as they were written. */
function stored(code: string | null, params: unknown) {
  return { code: code ?? "", params: params as TextParams };
}

async function newestActivity() {
  return server.db
    .selectFrom("activity")
    .select(["details", "details_code", "details_params"])
    .orderBy("log_id", "desc")
    .executeTakeFirstOrThrow();
}

async function newestRun() {
  return server.db.selectFrom("runs").selectAll().orderBy("ended_at", "desc").orderBy("id", "desc").executeTakeFirst();
}

describe("stored texts: the sentence can be rebuilt from the code and its parameters", () => {
  test("of a refused START, in its answer and in the activity log", async () => {
    const { ownRobot } = server.fixtures;
    const body = { robotId: "OWN-1", robotObjectId: ownRobot.id, siteId: ownRobot.siteId, command: "START" } as const;
    const answer = await (await server.as("owner")).call(sendCommand, { body });
    expect([answer.status, answer.body]).toEqual([504, { success: false, message: away, code: "ROBOT_AWAY" }]);
    const row = await newestActivity();
    expect(row).toMatchObject({ details: away, details_code: "ROBOT_AWAY", details_params: { serial: "OWN-1" } });
    expect(outcomeSentence(stored(row.details_code, row.details_params))).toBe(row.details);
  });

  test("of a robot that a group's START left out", async () => {
    const { ownSiteId, ownGroup } = server.fixtures;
    const body = { siteId: ownSiteId, groupId: ownGroup.groupId, command: "START" } as const;
    await (await server.as("owner")).call(groupSendCommand, { body });
    const run = await newestRun();
    expect(run).toMatchObject({ outcome: "SKIPPED", reason: away, reason_code: "ROBOT_AWAY" });
    expect(outcomeSentence(stored(run?.reason_code ?? null, run?.reason_params))).toBe(run?.reason);
  });

  test("of a planned run, without advice, and of its alert", async () => {
    const { ownRobot, ownGroup } = server.fixtures;
    const reason = outcomeText("ROBOT_SILENT", { serial: "OWN-1" });
    const occurrence = {
      schedule_id: ownGroup.scheduleId,
      site_id: ownRobot.siteId,
      group_id: ownGroup.groupId,
      group_name: "Ownfield East",
      due_at: TEST_NOW,
      stop_due_at: new Date(TEST_NOW.getTime() + 3_600_000),
    };
    const at = new Date(TEST_NOW.getTime() + 1_000);
    const runs = [{ robotId: ownRobot.id, outcome: "SKIPPED", reason, isAlert: true }] as const;
    await server.db.transaction().execute((tx) => insertPlannedRuns(tx, occurrence, runs, at));
    const run = await newestRun();
    expect(run).toMatchObject({
      reason: "Robot OWN-1 has not reported for 45 seconds.",
      reason_code: "ROBOT_SILENT",
      reason_params: { serial: "OWN-1" },
    });
    expect(bareOutcomeSentence(stored(run?.reason_code ?? null, run?.reason_params))).toBe(run?.reason);
    const alert = await server.db.selectFrom("alerts").selectAll().executeTakeFirstOrThrow();
    expect(alert).toMatchObject({
      code: "RUN_SKIPPED",
      text: "A planned run was skipped. Robot OWN-1 has not reported for 45 seconds.",
      params: { reason: { code: "ROBOT_SILENT", params: { serial: "OWN-1" } } },
    });
  });

  test("of every alert of the server's own", async () => {
    const { ownRobot } = server.fixtures;
    const { db } = server;
    const lost = { state: "MAY_BE_MOVING", lostAt: TEST_NOW, stopsBy: TEST_NOW } as const;
    const reason = outcomeText("RUN_TOO_LATE", {});
    const battery = [5, 15].map((batteryPercent) => lowBattery({ batteryPercent, charging: false, listed: [] }));
    const alerts: ServerAlert[] = [
      clockSkewAlert(31_000),
      clockSkewAlert(-31_000),
      unknownStatusAlert("dancing"),
      ...battery.flatMap((said) => (typeof said === "string" ? [] : [said])),
      lostWhileMovingAlert(lost, (at) => at.toISOString().slice(11, 16)),
      lostWhileMovingAlert({ ...lost, state: "MUST_HAVE_STOPPED" }, (at) => at.toISOString().slice(11, 16)),
      offlineTooLongAlert(),
      unconfirmedAlert("START"),
      unconfirmedAlert("STOP"),
      unconfirmedAlert("MAINTENANCE_ON"),
      unconfirmedStopAlert(false),
      runMissedAlert(reason),
      runNotStartedAlert(reason),
      runSkippedAlert(reason),
      runCutShortAlert(reason),
      messagesLostAlert(),
      tooManyMessagesAlert(),
      tooManyConnectionsAlert(),
      memoryLostAlert(),
      counterTooHighAlert("session"),
    ];
    for (const alert of alerts) {
      await db.deleteFrom("alerts").execute();
      const raised = [{ robotId: ownRobot.id, siteId: ownRobot.siteId, alert }];
      await db.transaction().execute((tx) => raiseAlerts(tx, raised, TEST_NOW));
      const row = await db.selectFrom("alerts").selectAll().executeTakeFirstOrThrow();
      expect([row.text, row.params]).toEqual([alert.text, alert.params]);
      expect(alertText(alert.code, stored(row.code, row.params).params)).toBe(row.text);
    }
    const ratio = { value: 0.93, low: 0.88, high: 0.965 };
    const soiled = [1, 1.5].map((factor) => siteSoiledAlert({ ratio, limit: 5, isOpen: false, factor }));
    const silent = sensorSilentAlert({ serial: "WX-1", since: "2026-06-15 05:12" });
    for (const alert of [siteOutageAlert(7), silent, ...soiled]) {
      await db.deleteFrom("alerts").execute();
      if (alert === null) throw new Error("The site is soiled.");
      await db.transaction().execute((tx) => raiseSiteAlert(tx, ownRobot.siteId, alert, TEST_NOW));
      const { code, params, text } = await db.selectFrom("alerts").selectAll().executeTakeFirstOrThrow();
      expect([code, text]).toEqual([alert.code, alert.text]);
      expect(alertText(code as ServerAlertCode, stored(code, params).params)).toBe(text);
    }
  });
});

describe("upgrades without a stop: a server of an older version", () => {
  test("that rewrites a text leaves no code that would produce another one", async () => {
    const { db } = server;
    await db
      .updateTable("activity")
      .set({ details: "Something else." })
      .where("details_code", "is not", null)
      .execute();
    expect(await newestActivity()).toMatchObject({ details_code: null, details_params: null });
    await db.updateTable("runs").set({ reason: "Something else." }).where("reason_code", "is not", null).execute();
    expect(await newestRun()).toMatchObject({ reason: "Something else.", reason_code: null, reason_params: null });
    await db.updateTable("alerts").set({ text: "Something else." }).execute();
    expect(await db.selectFrom("alerts").select(["text", "params"]).executeTakeFirst()).toEqual({
      text: "Something else.",
      params: null,
    });
  });

  test("nor does one that gives another reason for a rollout, its robot, a monthly report or its mail", async () => {
    const { db, fixtures } = server;
    await seedFirmware(db, fixtures);
    await addMonthlyReports(db, fixtures);
    const coded = { reason: "Because.", reason_code: "OTHER", reason_params: {} };
    const rewritten = { reason: "Something else." };
    await db
      .updateTable("rollouts")
      .set({ ...coded, state: "PAUSED" })
      .execute();
    await db.updateTable("rollouts").set(rewritten).execute();
    await db.updateTable("rollout_robots").set(coded).execute();
    await db.updateTable("rollout_robots").set(rewritten).execute();
    const mail = { mail_reason: "Because.", mail_reason_code: "OTHER", mail_reason_params: {} };
    await db
      .updateTable("kept_reports")
      .set({ ...coded, ...mail })
      .execute();
    await db
      .updateTable("kept_reports")
      .set({ ...rewritten, mail_reason: "Something else." })
      .execute();
    const expected = { reason: "Something else.", reason_code: null, reason_params: null };
    expect(await db.selectFrom("rollouts").selectAll().executeTakeFirst()).toMatchObject(expected);
    expect(await db.selectFrom("rollout_robots").selectAll().executeTakeFirst()).toMatchObject(expected);
    const ofMail = { mail_reason: "Something else.", mail_reason_code: null, mail_reason_params: null };
    expect(await db.selectFrom("kept_reports").selectAll().executeTakeFirst()).toMatchObject({
      ...expected,
      ...ofMail,
    });
  });
});
