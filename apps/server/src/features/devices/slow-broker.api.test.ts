import { retireDevice, rotateDeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { importRobots } from "@suncrew/contract/robots/robot-files.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { FREE_SERIAL, type TestRobot } from "../../../test/fixtures.ts";
import { MemoryAccounts } from "../../../test/memory-accounts.ts";

let harness: CommandHarness;
let robot: TestRobot;
let accounts: MemoryAccounts;
let called: PromiseWithResolvers<void>;
let answers: PromiseWithResolvers<void>;

beforeEach(async () => {
  accounts = new MemoryAccounts();
  called = Promise.withResolvers();
  answers = Promise.withResolvers();
  accounts.beforeAnswer = async () => {
    called.resolve();
    await answers.promise;
  };
  harness = await CommandHarness.open({ brokerAccounts: accounts });
  robot = harness.fixtures.ownRobot;
  await harness.live(robot);
});
afterEach(async () => {
  answers.resolve();
  await harness.close();
});

const admin = () => harness.server.as("admin");
const rotate = async (serial = robot.serial) => (await admin()).call(rotateDeviceSecret, { params: { serial } });

describe("protocol rule 9: while the broker is slow to accept a new secret", () => {
  test("protocol rule 9: the robot's name is edited, it is stopped, and its states are stored", async () => {
    const rotated = rotate();
    await called.promise;
    const form = { installation_date: "2026-01-01", motor_type: "BLDC", control_type: "PLC" };
    const body = { ...form, robot_name: "Renamed", site_id: robot.siteId, serial_number: robot.serial };
    expect(await (await admin()).call(updateRobot, { params: { id: robot.id }, body })).toMatchObject({ status: 200 });
    expect(await harness.press("STOP")).toMatchObject({ status: 200 });
    harness.robot().setByHand({ battery: 51 });
    await harness.until(async () => (await harness.state()).battery === 51);
    answers.resolve();
    expect(await rotated).toMatchObject({ status: 200 });
  });

  test("protocol rule 9: a concurrent retirement completes immediately, at the broker too", async () => {
    const rotated = rotate();
    await called.promise;
    expect(await (await admin()).call(retireDevice, { params: { serial: robot.serial } })).toMatchObject({
      status: 200,
    });
    // The broker stores the new secret only now.
    accounts.secrets.set(robot.serial, "of nobody");
    answers.resolve();
    expect(await rotated).toMatchObject({ status: 409, body: { message: "The device OWN-1 was retired." } });
    const row = harness.db.selectFrom("devices").select("broker_pending").where("serial", "=", robot.serial);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ broker_pending: "RETIRE" });
  });

  test("protocol rule 9: another device gets its secret at the same time", async () => {
    const rotated = rotate();
    await called.promise;
    accounts.beforeAnswer = async () => {};
    expect(await rotate(FREE_SERIAL)).toMatchObject({ status: 200 });
    answers.resolve();
    expect(await rotated).toMatchObject({ status: 200 });
  });
});

test("Import of robots: its preview does not wait for a locked device", async () => {
  const file = `serial_number,site,robot_name,motor_type,control_type,installation_date\n${FREE_SERIAL},Ownfield Park,New,BLDC,PLC,2026-01-01`;
  await harness.db.transaction().execute(async (tx) => {
    await tx.selectFrom("devices").select("serial").where("serial", "=", FREE_SERIAL).forUpdate().execute();
    const answer = await (await admin()).ask(importRobots, { body: { csv: file, apply: false } });
    expect(answer).toMatchObject({ rows: [{ problems: [] }] });
  });
});
