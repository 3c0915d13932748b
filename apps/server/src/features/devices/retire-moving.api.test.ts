import { retireDevice, rotateDeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { topicOf } from "@suncrew/contract/devices/topics.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setState } from "../../../test/fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import {
  authCallbackAccounts,
  manualAccounts,
  accountsWithoutKick,
} from "../../platform/broker-accounts/broker-accounts.ts";

const forms = {
  manual: manualAccounts,
  "http without kicks": accountsWithoutKick,
  http: authCallbackAccounts("http", async () => {}),
};
let server: TestApp;

/** A robot that was cleaning when the broker lost it, this many seconds ago. */
async function open(form: keyof typeof forms, lostSecondsAgo: number): Promise<void> {
  server = await createTestApp({ brokerAccounts: forms[form] });
  const lostAt = new Date(TEST_NOW.getTime() - lostSecondsAgo * 1_000);
  await setState(server.db, server.fixtures.ownRobot.id, {
    session: 1,
    motion: "MOVING",
    live_at: lostAt,
    connection: "CONNECTION_BROKEN",
    connection_at: lostAt,
  });
}
afterEach(() => server.close());

const params = { serial: "OWN-1" };
const retire = async () => (await server.as("admin")).call(retireDevice, { params });
const rotate = async () => (await server.as("admin")).call(rotateDeviceSecret, { params });
const why = "Robot OWN-1 was cleaning when its connection was lost and will stop by itself within 5 minutes.";
const told = () => server.broker.published.filter(({ topic }) => topic === topicOf("OWN-1", "command"));

describe("protocol rule 9: a robot that was cleaning when its connection was lost", () => {
  describe.each(["manual", "http without kicks"] as const)("if nothing ends its connection (%s)", (form) => {
    beforeEach(() => open(form, 60));

    test("its device is not retired: nobody could stop the robot", async () => {
      const message = `The device OWN-1 cannot be retired now. ${why} Please try again then.`;
      expect(await retire()).toMatchObject({ status: 409, body: { message } });
      const devices = server.db.selectFrom("devices").select("retired_at").where("serial", "=", "OWN-1");
      expect(await devices.execute()).toEqual([{ retired_at: null }]);
    });
  });

  test("its device is retired if that cuts it off from its broker, and a last Stop goes out", async () => {
    await open("http", 60);
    expect((await retire()).status).toBe(200);
    expect(told().map(({ payload }) => payload.includes('"STOP"'))).toEqual([true]);
  });

  test("its device is retired once it must have stopped, and nothing is sent", async () => {
    await open("manual", 360);
    expect((await retire()).status).toBe(200);
    expect(told()).toEqual([]);
  });

  test.each(["manual", "http"] as const)("its secret is not rotated until it must have stopped (%s)", async (form) => {
    await open(form, 60);
    expect(await rotate()).toMatchObject({
      status: 409,
      body: {
        message: `The device OWN-1 cannot be given a new secret now: its robot would lose its connection. ${why} Please try again then.`,
      },
    });
    const audit = server.db.selectFrom("audit").select("outcome").where("action", "=", "ROTATE_DEVICE");
    expect(await audit.execute()).toEqual([{ outcome: "REFUSED" }]);
    server.clock.advance(300_000);
    expect((await rotate()).status).toBe(200);
  });
});
