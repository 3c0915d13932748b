import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { deleteRobot, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { retireDevice, rotateDeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { InterruptibleBroker } from "../../../test/interruptible-broker.ts";
import { FastClock } from "../../../test/fast-clock.ts";
import { FREE_SERIAL } from "../../../test/fixtures.ts";
import type { Answer } from "../../../test/test-client.ts";

let harness: CommandHarness;
let broker: InterruptibleBroker;
beforeEach(async () => {
  const wrapBroker = (inner: ConstructorParameters<typeof InterruptibleBroker>[0]) =>
    (broker = new InterruptibleBroker(inner));
  harness = await CommandHarness.open({ clock: new FastClock(4), wrapBroker });
  await harness.live();
});
afterEach(() => harness.close());

const admin = () => harness.server.as("admin");

async function update(change: { serial_number?: string; site_id?: number }): Promise<Answer> {
  const { id, siteId, serial } = harness.fixtures.ownRobot;
  const form = { site_id: siteId, robot_name: serial, serial_number: serial, installation_date: "2024-02-29" };
  const body = { ...form, motor_type: "BLDC", control_type: "PLC", ...change };
  return (await admin()).call(updateRobot, { params: { id }, body });
}

/** Every call that would take the robot away from those who could stop it. */
const lettingGo: Record<string, { readonly status: number; readonly call: () => Promise<Answer> }> = {
  "delete the robot": {
    status: 400,
    call: async () => (await admin()).call(deleteRobot, { params: { id: harness.fixtures.ownRobot.id } }),
  },
  "delete its site": {
    status: 409,
    call: async () => (await admin()).call(deleteSite, { params: { id: harness.fixtures.ownSiteId } }),
  },
  "replace it": { status: 409, call: () => update({ serial_number: FREE_SERIAL }) },
  "move it": { status: 409, call: () => update({ site_id: harness.fixtures.secondSiteId }) },
  "rotate its secret": {
    status: 409,
    call: async () => (await admin()).call(rotateDeviceSecret, { params: { serial: "OWN-1" } }),
  },
};

const refusals = async (): Promise<unknown[]> => {
  const answers: unknown[] = [];
  for (const [name, { call }] of Object.entries(lettingGo)) {
    const { status, text } = await call();
    answers.push([name, status, text.includes("Robot OWN-1 ")]);
  }
  return answers;
};
const refused = Object.entries(lettingGo).map(([name, { status }]) => [name, status, true]);

/** The robot accepts a START and moves, and nothing that it publishes arrives. Returns the press's answer. */
async function startSilently(): Promise<{ readonly started: Promise<Answer> }> {
  harness.robot().inject({ kind: "silent" });
  const started = harness.press("START");
  await harness.robot().until(({ motion }) => motion === "MOVING");
  return { started };
}

const openVerbs = async () =>
  (await harness.commands()).filter(({ settled_at }) => settled_at === null).map(({ verb }) => verb);

/** The robot is heard again, and what is pending for it reaches it. */
async function heal(): Promise<void> {
  broker.setCut(false);
  harness.robot().clear();
  harness.robot().setByHand({ battery: 70 });
  await harness.until(async () => (await openVerbs()).length === 0);
  expect(harness.robot().truth().motion).toBe("STOPPED");
}

describe("protocol rule 3: a Stop that is not confirmed is not lost", () => {
  test("protocol rule 3: a START, an unreachable broker, a Stop: the robot cannot be removed until it has stopped", async () => {
    const { started } = await startSilently();
    broker.setCut(true);
    expect((await harness.press("STOP")).status).not.toBe(200);
    expect((await started).status).not.toBe(200);
    expect(await openVerbs()).toEqual(["STOP"]);
    expect(await refusals()).toEqual(refused);
    expect([harness.robot().truth().motion, await openVerbs()]).toEqual(["MOVING", ["STOP"]]);
    await heal();
    expect((await lettingGo["delete the robot"]?.call())?.status).toBe(200);
  });

  test("protocol rule 6: a START that is not confirmed within 8 s: the Stop that follows keeps the robot from being removed", async () => {
    const { started } = await startSilently();
    // It receives nothing after this.
    broker.deliveryOf = () => "lose";
    expect((await started).status).toBe(504);
    expect([harness.robot().truth().motion, await openVerbs()]).toEqual(["MOVING", ["STOP"]]);
    expect(await refusals()).toEqual(refused);
    broker.deliveryOf = () => "pass";
    await heal();
    expect((await lettingGo["delete its site"]?.call())?.status).toBe(200);
  });

  test("protocol rule 8: a START and a lock: nothing removes the robot before it has confirmed the lock", async () => {
    const { started } = await startSilently();
    broker.deliveryOf = () => "lose";
    const params = { robotId: harness.fixtures.ownRobot.id };
    const body = { enabled: true, reason: "Brush worn" } as const;
    const owner = await harness.server.as("owner");
    expect((await owner.call(robotMaintenance, { params, body })).body).toMatchObject({ confirmed: false });
    expect((await started).status).not.toBe(200);
    expect([harness.robot().truth().motion, await openVerbs()]).toEqual(["MOVING", ["MAINTENANCE_ON"]]);
    expect(await refusals()).toEqual(refused);
    broker.deliveryOf = () => "pass";
    await heal();
    expect((await lettingGo["move it"]?.call())?.status).toBe(200);
  });

  test("protocol rule 3: a robot whose connection broke with a Stop in progress cannot be removed, and stops when it returns", async () => {
    await harness.press("START");
    harness.robot().inject({ kind: "drop-link", forSeconds: 60 });
    await harness.until(async () => !(await harness.state()).online);
    expect(await harness.press("STOP")).toMatchObject({ status: 504, body: { pending: true } });
    expect(await refusals()).toEqual(refused);
    await heal();
    expect((await lettingGo["replace it"]?.call())?.status).toBe(200);
  });
});

describe("protocol rule 9: a device is not retired without a Stop for its robot", () => {
  const retire = async () => (await admin()).call(retireDevice, { params: { serial: "OWN-1" } });
  const device = () =>
    harness.db.selectFrom("devices").select("retired_at").where("serial", "=", "OWN-1").executeTakeFirstOrThrow();

  test("protocol rule 9: if no Stop reaches its broker, it is not retired; later it is stopped and retired", async () => {
    await harness.press("START");
    broker.setCut(true);
    expect(await retire()).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^The device OWN-1 cannot be retired now\. Robot OWN-1 has a Stop/) },
    });
    expect([await device(), harness.robot().truth().motion]).toEqual([{ retired_at: null }, "MOVING"]);
    const audit = harness.db.selectFrom("audit").select("outcome").where("action", "=", "RETIRE_DEVICE");
    expect(await audit.execute()).toEqual([{ outcome: "REFUSED" }]);
    await heal();
    expect((await retire()).status).toBe(200);
  });

  test("protocol rule 9: an unconfirmed Stop goes out once more when the device is cut off", async () => {
    await harness.press("START");
    harness.robot().inject({ kind: "silent" });
    broker.deliveryOf = (_topic, payload) => (payload.includes('"STOP"') ? "lose" : "pass");
    expect((await harness.press("STOP")).status).toBe(504);
    const before = broker.published.length;
    expect((await retire()).status).toBe(200);
    const last = (await harness.commands()).at(-1);
    expect(last).toMatchObject({ verb: "STOP", outcome: "UNCONFIRMED", action_type: "SYSTEM" });
    expect(broker.published.slice(before).some(({ payload }) => payload.includes(last?.id ?? "-"))).toBe(true);
  });

  test("protocol rule 9: the robot of a device that is retired while stopped is sent nothing, and nothing is logged", async () => {
    const before = broker.published.length;
    expect((await retire()).status).toBe(200);
    expect(broker.published.slice(before).filter(({ payload }) => payload.includes('"STOP"'))).toEqual([]);
    expect([await harness.activity(), await harness.commands()]).toEqual([[], []]);
  });
});
