import { robotDetailsWithSettings, updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import type { Person } from "../../../test/fixtures.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;

beforeEach(async () => {
  harness = await CommandHarness.open({ wrapBroker: (inner) => (broker = new InterruptibleBroker(inner)) });
  await harness.live();
});
afterEach(() => harness.close());

const robot = () => harness.robot();
const set = async (body: object, as: Person = "owner") => {
  const client = await harness.server.as(as);
  const params = { robotId: harness.fixtures.ownRobot.id };
  return client.call(robotMaintenance, { params, body: { enabled: true, ...body } });
};
const lock = (reason = "Brush worn", as?: Person) => set({ reason }, as);
const release = (more: object = {}) => set({ enabled: false, ...more });
/** As the lists and the live stream show it. */
const shown = async () => {
  const client = await harness.server.as("owner");
  const { robots } = await client.ask(robotDetailsWithSettings, { params: { siteId: harness.fixtures.ownSiteId } });
  return robots.find(({ robot_id }) => robot_id === harness.fixtures.ownRobot.id);
};
const locks = () => harness.db.selectFrom("maintenance_locks").selectAll().orderBy("id").execute();
const verbs = async () => (await harness.commands()).map(({ verb, outcome }) => `${verb} ${outcome ?? "open"}`);
const confirmed = () => harness.until(async () => (await locks()).at(-1)?.confirmed_at);
const settled = () =>
  harness.until(async () => (await harness.commands()).every(({ settled_at }) => settled_at !== null));

describe("protocol rule 8: a lock", () => {
  test("protocol rule 8: stops a robot that is cleaning, is confirmed by it, and says who, why and since when", async () => {
    await harness.press("START");
    expect(await lock()).toMatchObject({
      status: 200,
      body: {
        success: true,
        confirmed: true,
        start: null,
        message: expect.stringContaining("OWN-1 switched to maintenance mode"),
      },
    });
    expect(robot().truth()).toMatchObject({ motion: "STOPPED", mode: "MAINTENANCE" });
    expect(await shown()).toMatchObject({
      operating_mode: "maintenance",
      status: "offline",
      online: true,
      maintenance: { reason: "Brush worn", locked_by: "Omkar Jain", confirmed: true },
    });
    const [row] = await locks();
    expect(row).toMatchObject({
      former_mode: "auto",
      released_at: null,
      locked_by_user_id: harness.fixtures.userIds.owner,
    });
    expect(await harness.audit()).toMatchObject([
      { action: "START_ROBOT" },
      {
        action: "MAINTENANCE_ON",
        outcome: "DONE",
        actor: "Omkar Jain",
        before: { operating_mode: "auto" },
        after: { operating_mode: "maintenance", reason: "Brush worn" },
      },
    ]);
    const [run] = await harness.db.selectFrom("runs").selectAll().execute();
    expect(run).toMatchObject({ reason: "MAINTENANCE" });
  });

  test("protocol rule 8: every moving command is refused with a clear message, STOP is accepted, and it cannot be locked twice", async () => {
    await lock();
    const words = "Robot OWN-1 is in maintenance. Exit maintenance first.";
    expect(await harness.press("START")).toMatchObject({ status: 409, body: { success: false, message: words } });
    const admin = await harness.server.as("admin");
    const params = { robotId: harness.fixtures.ownRobot.id };
    const settings = await admin.call(updateRobotSettings, { params, body: { cleaning_direction: "REVERSE" } });
    expect(settings).toMatchObject({ status: 409, body: { success: false, message: words } });
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
    expect(await lock("Again", "admin")).toMatchObject({
      status: 409,
      body: {
        success: false,
        message: expect.stringMatching(
          /^Robot OWN-1 is already in maintenance: locked by Omkar Jain since \d{4}-\d\d-\d\d \d\d:\d\d \(Brush worn\)\.$/,
        ),
      },
    });
    expect((await harness.audit()).at(-1)).toMatchObject({
      action: "MAINTENANCE_ON",
      outcome: "REFUSED",
      actor: "Anita Rao",
    });
    expect(await locks()).toHaveLength(1);
  });

  test("decisions, stubs: the status stays offline whatever the device says, with its true connection beside it", async () => {
    await lock();
    const { state_seq: before } = await harness.state();
    robot().setByHand({ battery: 51 });
    await harness.until(async () => (await harness.state()).state_seq !== before);
    expect(await shown()).toMatchObject({ status: "offline", online: true, battery_level: 51 });
  });

  test("protocol rule 8: it remains for an offline robot, and is delivered when the robot returns", async () => {
    robot().inject({ kind: "away" });
    await harness.until(async () => !(await harness.state()).online);
    expect(await lock()).toMatchObject({
      status: 200,
      body: { success: true, confirmed: false, message: expect.stringContaining("not confirmed by the robot") },
    });
    expect(await shown()).toMatchObject({
      maintenance: { confirmed: false },
      open_command: { verb: "MAINTENANCE_ON", pending: true },
    });
    expect(await release()).toMatchObject({ status: 504, body: { success: false } });
    robot().clear("away");
    await confirmed();
    expect(robot().truth().mode).toBe("MAINTENANCE");
    expect(await shown()).toMatchObject({ maintenance: { confirmed: true }, open_command: null });
  });

  test("protocol rule 8: without a broker it remains, and is sent when the broker is back", async () => {
    broker.setCut(true);
    expect(await lock()).toMatchObject({
      status: 200,
      body: { confirmed: false, message: expect.stringContaining("the broker cannot be reached") },
    });
    broker.setCut(false);
    await confirmed();
    expect(robot().truth().mode).toBe("MAINTENANCE");
  });

  test("protocol rule 8: a robot that has lost it is locked again by Suncrew", async () => {
    await lock();
    robot().setByHand({ maintenance: false });
    await harness.until(async () => (await harness.commands()).length === 2);
    await settled();
    await confirmed();
    expect(robot().truth().mode).toBe("MAINTENANCE");
    expect((await harness.commands())[1]).toMatchObject({
      verb: "MAINTENANCE_ON",
      requested_by: "Suncrew",
      user_id: null,
    });
    expect(await locks()).toMatchObject([{ locked_by: "Omkar Jain", reason: "Brush worn", released_at: null }]);
    expect((await harness.audit()).at(-1)).toMatchObject({
      actor: "Suncrew",
      action: "MAINTENANCE_ON",
      outcome: "DONE",
    });
  });

  test("wire, Commands: a lock without a reason, and one that would start, are 400", async () => {
    expect(await lock("  ")).toMatchObject({ status: 400, body: { errors: [{ field: "reason" }] } });
    expect(await set({ reason: "Worn", start_after: true })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "start_after" }] },
    });
    expect(await locks()).toEqual([]);
  });
});

describe("protocol rule 8: a release", () => {
  test("decisions, stubs: the former mode and the device's status return, and the robot does not move unless a start is requested", async () => {
    await harness.db.updateTable("robots").set({ operating_mode: "manual" }).execute();
    await lock();
    expect(await release()).toMatchObject({ status: 200, body: { success: true, confirmed: true, start: null } });
    expect(robot().truth()).toMatchObject({ motion: "STOPPED", mode: "AUTO" });
    expect(await shown()).toMatchObject({ operating_mode: "manual", status: "idle", maintenance: null });
    expect(await locks()).toMatchObject([{ released_by: "Omkar Jain", released_at: expect.any(Date) }]);
    expect((await harness.audit()).at(-1)).toMatchObject({
      action: "MAINTENANCE_OFF",
      outcome: "DONE",
      before: { operating_mode: "maintenance", reason: "Brush worn" },
      after: { operating_mode: "manual" },
    });
    expect(await release()).toMatchObject({ status: 409, body: { message: "Robot OWN-1 is not in maintenance." } });
  });

  test("decisions, stubs: a requested start follows once the robot has confirmed the release", async () => {
    await lock();
    expect(await release({ start_after: true })).toMatchObject({
      status: 200,
      body: { confirmed: true, start: { success: true, message: "START command sent to Robot OWN-1" } },
    });
    expect(robot().truth()).toMatchObject({ motion: "MOVING", mode: "AUTO" });
    const commands = await harness.commands();
    expect(commands.map(({ verb }) => verb)).toEqual(["MAINTENANCE_ON", "MAINTENANCE_OFF", "START"]);
    expect(commands[2]).toMatchObject({ action_type: "MANUAL", user_id: harness.fixtures.userIds.owner });
    expect(commands[2]?.issued_at.getTime()).toBeGreaterThanOrEqual(commands[1]?.settled_at?.getTime() ?? Infinity);
  });

  test("decisions, stubs: a start that fails does not undo the release", async () => {
    await lock();
    robot().inject({ kind: "refuse", verbs: ["START"], code: "BATTERY_LOW" });
    expect(await release({ start_after: true })).toMatchObject({
      status: 200,
      body: { confirmed: true, start: { success: false, message: "Robot OWN-1 refused: its battery is too low." } },
    });
    expect(await shown()).toMatchObject({ operating_mode: "auto", maintenance: null });
  });

  test("protocol rule 8: a robot that refuses it answers 502, and the lock remains", async () => {
    await lock();
    robot().inject({ kind: "refuse", verbs: ["MAINTENANCE_OFF"], code: "FAULT" });
    expect(await release()).toMatchObject({ status: 502, body: { message: "Robot OWN-1 refused: it has a fault." } });
    expect(await shown()).toMatchObject({ operating_mode: "maintenance" });
  });

  test("protocol rule 8: a robot that was locked locally is not started, and can be released", async () => {
    robot().setByHand({ maintenance: true });
    await harness.until(async () => (await harness.state()).mode === "MAINTENANCE");
    expect(await harness.press("START")).toMatchObject({ status: 409 });
    expect(await release()).toMatchObject({ status: 200, body: { confirmed: true } });
    expect(robot().truth().mode).toBe("AUTO");
    expect(await locks()).toEqual([]);
    expect(await shown()).toMatchObject({ operating_mode: "auto", status: "idle" });
  });

  test("protocol rule 8: without a broker it has failed, and the lock remains", async () => {
    await lock();
    broker.setCut(true);
    expect(await release()).toMatchObject({ status: 503, body: { success: false } });
    broker.setCut(false);
    expect(await shown()).toMatchObject({ operating_mode: "maintenance" });
    expect(await verbs()).toEqual(["MAINTENANCE_ON CONFIRMED", "MAINTENANCE_OFF NEVER_SENT"]);
  });
});
