import { robotDetailsWithSettings, robotsList } from "@suncrew/contract/robots/robots.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { v7 as uuidv7 } from "uuid";
import { setState } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp } from "../../../test/test-app.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 6, minute));
const iso = (minute: number) => at(minute).toISOString();

async function firstRobot() {
  const owner = await server.as("owner");
  const { robots } = await owner.ask(robotDetailsWithSettings, { params: { siteId: server.fixtures.ownSiteId } });
  return robots[0];
}

describe("§7 Robots: lists of a site", () => {
  test("a robot that never reported shows its initial values and is offline", async () => {
    expect(await firstRobot()).toEqual({
      robot_id: server.fixtures.ownRobot.id,
      site_id: server.fixtures.ownSiteId,
      serial_number: "OWN-1",
      robot_name: "OWN-1",
      motor_type: "BLDC",
      control_type: "PLC",
      installation_date: "2024-02-29",
      version: 1,
      status: "offline",
      online: false,
      motion: null,
      lost_while_moving: null,
      charging: false,
      battery_level: 100,
      operating_mode: "auto",
      cleaning_direction: "FORWARD",
      main_motor_speed: 75,
      brush_motor_speed: 80,
      firmware_version: "1.0.0",
      alerts: [],
      alert_severities: [],
      last_updated_at: null,
      last_cleaned_at: null,
      current_run: null,
      open_command: null,
      last_run: null,
      run_not_begun: null,
      maintenance: null,
      group_id: null,
      firmware_update: null,
    });
  });

  test("both lists have the same robots, named `robot_id` in one and `id` in the other", async () => {
    const owner = await server.as("owner");
    const params = { siteId: String(server.fixtures.ownSiteId) };
    const { robots } = await owner.ask(robotDetailsWithSettings, { params });
    const list = await owner.ask(robotsList, { params });
    expect(list).toEqual(robots.map(({ robot_id, ...robot }) => ({ ...robot, id: robot_id })));
    expect(list.map(({ serial_number }) => serial_number)).toEqual(["OWN-1", "OWN-2"]);
  });

  test("what a robot reported is shown, fractions of its battery too", async () => {
    await setState(server.db, server.fixtures.ownRobot.id, {
      online: true,
      status: "start",
      robot_status: "normal",
      motion: "MOVING",
      battery: 63.25,
      charging: false,
      firmware: "2.4.1",
      received_at: at(5),
      live_at: at(4),
    });
    expect(await firstRobot()).toMatchObject({
      status: "normal",
      online: true,
      motion: "MOVING",
      battery_level: 63.25,
      firmware_version: "2.4.1",
      last_updated_at: iso(4),
    });
  });

  test("a robot known only from a retained message shows when that came", async () => {
    await setState(server.db, server.fixtures.ownRobot.id, { received_at: at(5), live_at: null });
    expect(await firstRobot()).toMatchObject({ last_updated_at: iso(5) });
  });

  test("open alerts come as text, the worst first; cleared ones do not", async () => {
    const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
    const alert = (severity: "INFO" | "WARNING" | "CRITICAL", text: string, minute: number, cleared = false) => ({
      robot_id,
      site_id,
      source: "ROBOT" as const,
      code: text,
      severity,
      text,
      raised_at: at(minute),
      cleared_at: cleared ? at(minute + 1) : null,
    });
    await server.db
      .insertInto("alerts")
      .values([
        alert("INFO", "Brush is worn", 1),
        alert("CRITICAL", "Motor is jammed", 3),
        alert("WARNING", "Battery is low", 2),
        alert("CRITICAL", "Was jammed", 0, true),
      ])
      .execute();
    expect(await firstRobot()).toMatchObject({
      alerts: ["Motor is jammed", "Battery is low", "Brush is worn"],
      alert_severities: ["CRITICAL", "WARNING", "INFO"],
    });
  });

  test("the open run is shown, and when the last one ended", async () => {
    const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
    const run = (began: number, ended: number | null, outcome: "COMPLETED" | null) => ({
      id: uuidv7(),
      robot_id,
      site_id,
      started_by: "Omkar Jain",
      began_at: at(began),
      planned_end_at: at(began + 30),
      ended_at: ended === null ? null : at(ended),
      outcome,
    });
    const open = run(20, null, null);
    const last = { ...run(6, 9, "COMPLETED"), reason: "MAX_DURATION" };
    // It was due, but its robot never moved: no cleaning.
    const skipped = {
      ...run(10, 10, null),
      began_at: null,
      outcome: "SKIPPED" as const,
      planned: true,
      due_at: at(10),
      stop_due_at: at(40),
      schedule_id: 1,
    };
    await server.db
      .insertInto("runs")
      .values([run(1, 5, "COMPLETED"), last, open])
      .execute();
    await server.db.insertInto("runs").values(skipped).execute();
    expect(await firstRobot()).toMatchObject({
      current_run: { run_id: open.id, began_at: iso(20), planned_end_at: iso(50), started_by: "Omkar Jain" },
      last_cleaned_at: iso(9),
      last_run: {
        run_id: last.id,
        began_at: iso(6),
        ended_at: iso(9),
        outcome: "COMPLETED",
        started_by: "Omkar Jain",
        reason: "Reached the maximum duration of a run.",
      },
      run_not_begun: null,
    });
    // Without the newer one that is in progress.
    await server.db.deleteFrom("runs").where("id", "=", open.id).execute();
    expect(await firstRobot()).toMatchObject({
      last_run: { run_id: last.id },
      run_not_begun: { run_id: skipped.id, at: iso(10), planned: true, outcome: "SKIPPED" },
    });
  });

  test.each([
    [true, { planned: true, schedule_id: 1, due_at: at(0), stop_due_at: at(480) }, 480],
    // A failed start of a schedule was tried again.
    [true, { action_type: "SCHEDULED" as const }, 480],
    [true, {}, 30],
    [false, {}, 480],
    [false, { started_by: "Robot", planned_end_at: null }, 0],
  ])("progress: whether a run has a plan is %s, case %#", async (planned, change, minutes) => {
    const { id: robot_id, siteId: site_id } = server.fixtures.ownRobot;
    const run = { id: uuidv7(), robot_id, site_id, started_by: "Omkar Jain", began_at: at(0) };
    await server.db
      .insertInto("runs")
      .values({ ...run, planned_end_at: at(minutes), ...change })
      .execute();
    expect(await firstRobot()).toMatchObject({ current_run: { planned } });
  });

  test("protocol rule 3: a STOP still open after its answer is pending; a START never is", async () => {
    await addCommand("START", 1, null);
    expect(await firstRobot()).toMatchObject({ open_command: { verb: "START", pending: false, issued_at: iso(1) } });
    await addCommand("STOP", 2, at(3));
    expect(await firstRobot()).toMatchObject({ open_command: { verb: "STOP", pending: true } });
    await server.db
      .updateTable("commands")
      .set({ settled_at: at(9), outcome: "CONFIRMED" })
      .execute();
    expect(await firstRobot()).toMatchObject({ open_command: null });
  });

  test("a nonexistent site and another partner's look the same", async () => {
    const owner = await server.as("owner");
    const answers = [];
    for (const siteId of [server.fixtures.foreignSiteId, 999_999]) {
      for (const route of [robotsList, robotDetailsWithSettings]) {
        const { status, text } = await owner.call(route, { params: { siteId } });
        answers.push(`${status} ${text}`);
      }
    }
    expect(new Set(answers)).toEqual(new Set(['404 {"message":"Site not found","code":"SITE_NOT_FOUND"}']));
  });

  test("a site without robots has an empty list", async () => {
    const owner = await server.as("owner");
    expect(await owner.ask(robotsList, { params: { siteId: server.fixtures.secondSiteId } })).toEqual([]);
  });
});

async function addCommand(verb: "START" | "STOP", minute: number, answeredAt: Date | null): Promise<void> {
  const { id, siteId, serial } = server.fixtures.ownRobot;
  await server.db
    .insertInto("commands")
    .values({
      id: uuidv7(),
      robot_id: id,
      site_id: siteId,
      serial_number: serial,
      verb,
      seq: minute,
      session: 1,
      issued_at: at(minute),
      expires_at: at(minute + 1),
      settle_by: at(minute + 1),
      ...(verb === "START" && { run_id: uuidv7(), max_duration_s: 600 }),
      params: "{}",
      requested_by: "Omkar Jain",
      answered_at: answeredAt,
    })
    .execute();
}
