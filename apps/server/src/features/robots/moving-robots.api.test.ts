import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { deleteRobot, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { deleteSite } from "@suncrew/contract/sites/site-forms.ts";
import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FREE_SERIAL, setState } from "../../../test/fixtures.ts";
import { createTestApp, TEST_NOW, type TestApp } from "../../../test/test-app.ts";
import type { Answer } from "../../../test/test-client.ts";

let server: TestApp;
beforeEach(async () => {
  server = await createTestApp();
});
afterEach(() => server.close());

const before = (seconds: number) => new Date(TEST_NOW.getTime() - seconds * 1_000);
const ownRobot = () => server.fixtures.ownRobot;

async function update(change: { serial_number?: string; site_id?: number; robot_name?: string }): Promise<Answer> {
  const { id, serial, siteId } = ownRobot();
  const form = { site_id: siteId, robot_name: serial, serial_number: serial, installation_date: "2024-02-29" };
  const body = { ...form, motor_type: "BLDC", control_type: "PLC", ...change };
  return (await server.as("admin")).call(updateRobot, { params: { id }, body });
}

/** Every call that takes a robot away from those who could stop it, and how it is refused. */
const lettingGo: Record<string, { readonly status: number; readonly call: () => Promise<Answer> }> = {
  deleted: {
    status: 400,
    call: async () => (await server.as("admin")).call(deleteRobot, { params: { id: ownRobot().id } }),
  },
  "deleted with its site": {
    status: 409,
    call: async () => (await server.as("admin")).call(deleteSite, { params: { id: ownRobot().siteId } }),
  },
  "given another serial number": { status: 409, call: () => update({ serial_number: FREE_SERIAL }) },
  "moved to another site": { status: 409, call: () => update({ site_id: server.fixtures.secondSiteId }) },
};

interface Order {
  readonly verb: "START" | "STOP" | "MAINTENANCE_ON";
  readonly seq?: number;
  readonly outcome?: "UNCONFIRMED" | "NEVER_SENT" | "REJECTED";
  readonly claimed?: boolean;
  readonly serial?: string;
}

/** An order from five minutes ago; a START in it lasts ten. */
async function giveOrder({ verb, seq = 10, outcome, claimed = true, serial }: Order): Promise<void> {
  const robot = ownRobot();
  const at = before(300);
  await server.db
    .insertInto("commands")
    .values({
      id: uuidv7(),
      robot_id: robot.id,
      site_id: robot.siteId,
      serial_number: serial ?? robot.serial,
      robot_name: robot.serial,
      verb,
      seq,
      session: 1,
      issued_at: at,
      expires_at: at,
      settle_by: at,
      ...(claimed && { claimed_by: uuidv7(), claimed_at: at }),
      ...(verb === "START" && { run_id: uuidv7(), max_duration_s: 600 }),
      ...(outcome && { settled_at: at, answered_at: at, outcome }),
      params: "{}",
      requested_by: "Omkar Jain",
    })
    .execute();
}

/** A run that began 7 minutes ago and lasts `minutes`. */
async function beginRun(minutes: number): Promise<void> {
  const { id, siteId, serial } = ownRobot();
  const began_at = before(420);
  const planned_end_at = new Date(began_at.getTime() + minutes * 60_000);
  await server.db
    .insertInto("runs")
    .values({
      id: uuidv7(),
      robot_id: id,
      site_id: siteId,
      robot_name: serial,
      serial_number: serial,
      started_by: "Omkar Jain",
      began_at,
      planned_end_at,
    })
    .execute();
}

const there = { online: true, connection: "ONLINE", motion: "STOPPED", live_at: before(5) } as const;
/** Silent for seven minutes, although the broker has not reported it lost. */
const silent = { online: false, connection: "ONLINE", motion: "STOPPED", live_at: before(420) } as const;
/** The broker lost it a minute ago. */
const lost = {
  online: false,
  connection: "CONNECTION_BROKEN",
  connection_at: before(60),
  motion: "STOPPED",
  live_at: before(500),
} as const;

type Shown = Parameters<typeof setState>[2];
const mayMove: [string, Shown, () => Promise<void>, RegExp][] = [
  [
    "has a Stop that it has not confirmed",
    there,
    () => giveOrder({ verb: "STOP" }),
    /has a Stop that it has not confirmed\. Please try again once it has/,
  ],
  [
    "has a lock that it has not confirmed",
    there,
    () => giveOrder({ verb: "MAINTENANCE_ON" }),
    /has a maintenance lock that it has not confirmed\. Please try again/,
  ],
  [
    "went offline with a Stop that it has not confirmed",
    lost,
    () => giveOrder({ verb: "STOP" }),
    /has a Stop that it has not confirmed, and its connection was lost\. It stops by itself within 5 minutes/,
  ],
  [
    "went offline with a lock that it has not confirmed",
    lost,
    () => giveOrder({ verb: "MAINTENANCE_ON" }),
    /has a maintenance lock that it has not confirmed, and its connection was lost\./,
  ],
  [
    "went away after a START that failed",
    lost,
    () => giveOrder({ verb: "START", outcome: "UNCONFIRMED" }),
    /may have accepted a Start that it has not confirmed, and its connection was lost\./,
  ],
  [
    "is online and has shown nothing since a START that failed",
    there,
    () => giveOrder({ verb: "START", outcome: "UNCONFIRMED" }),
    /may have accepted a Start that it has not confirmed\. Stop it first\./,
  ],
  [
    "is cleaning, was heard 7 minutes ago, and may still be connected",
    { ...silent, motion: "MOVING" },
    () => beginRun(60),
    /was cleaning when it was last heard from, and it is not known whether it is connected\. .* or in 54 minutes\./,
  ],
  [
    "has a Stop pending, was heard 7 minutes ago, and may still be connected",
    silent,
    () => giveOrder({ verb: "STOP" }),
    /has a Stop that it has not confirmed, and it is not known whether it is connected\./,
  ],
];

describe.each(Object.keys(lettingGo))("protocol rule 3: a robot is not %s while a Stop may be needed", (how) => {
  const { status, call } = lettingGo[how] ?? { status: 0, call: () => update({}) };

  test.each(mayMove)(
    "one that %s: the answer says which and what to do, and nothing changes",
    async (_title, state, bring, message) => {
      await setState(server.db, ownRobot().id, { session: 1, ...state });
      await bring();
      const answer = await call();
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/Robot OWN-1 /)]);
      expect(answer.text).toMatch(message);
      const robots = server.db.selectFrom("robots").where("id", "=", ownRobot().id);
      expect(await robots.select(["serial_number", "site_id", "deleted_at"]).execute()).toEqual([
        { serial_number: "OWN-1", site_id: ownRobot().siteId, deleted_at: null },
      ]);
      const settled = server.db.selectFrom("commands").select("id").where("settled_at", ">", before(300));
      expect(await settled.execute()).toEqual([]);
    },
  );

  test.each<[string, Shown, () => Promise<void>]>([
    [
      "was lost 360 s ago with a Stop and a lock pending",
      { ...lost, motion: "MOVING", connection_at: before(360) },
      async () => {
        await giveOrder({ verb: "STOP" });
        await giveOrder({ verb: "MAINTENANCE_ON", seq: 11 });
        await beginRun(60);
      },
    ],
    ["never connected, with a Stop pending", {}, () => giveOrder({ verb: "STOP" })],
    ["is silent, but its run is over for more than a minute", { ...silent, motion: "MOVING" }, () => beginRun(5)],
    [
      "showed after a START that failed that it is stopped",
      { ...there, last_seq: 11 },
      () => giveOrder({ verb: "START", outcome: "UNCONFIRMED" }),
    ],
    ["was never sent its START", there, () => giveOrder({ verb: "START", outcome: "NEVER_SENT" })],
    ["refused its START", there, () => giveOrder({ verb: "START", outcome: "REJECTED" })],
    [
      "was to be started, but no server took the START",
      there,
      () => giveOrder({ verb: "START", outcome: "UNCONFIRMED", claimed: false }),
    ],
    [
      "is a different machine from the one whose START failed",
      there,
      () => giveOrder({ verb: "START", outcome: "UNCONFIRMED", serial: "OWN-2" }),
    ],
  ])("one that %s is let go", async (_title, state, bring) => {
    await setState(server.db, ownRobot().id, { session: 1, ...state });
    await bring();
    expect((await call()).status).toBe(200);
  });

  test("a server without the broker hears of no return: a robot known to be lost may be back", async () => {
    await setState(server.db, ownRobot().id, { session: 1, ...lost, connection_at: before(900), live_at: before(960) });
    await giveOrder({ verb: "STOP" });
    server.broker.setConnected(false);
    const refused = await call();
    expect([refused.status, refused.text]).toEqual([
      status,
      expect.stringContaining("is not known whether it is connected"),
    ]);
    server.broker.setConnected(true);
    expect((await call()).status).toBe(200);
  });

  test("protocol rule 9: a retired device blocks nothing: no order reaches it", async () => {
    await setState(server.db, ownRobot().id, { session: 1, ...lost, motion: "MOVING" });
    await beginRun(60);
    await server.db
      .updateTable("devices")
      .set({ retired_at: before(1) })
      .where("serial", "=", "OWN-1")
      .execute();
    expect((await call()).status).toBe(200);
  });
});

const runs = () => server.db.selectFrom("runs").select(["outcome", "reason", "site_id"]).execute();

describe("§7 Robots: what was in progress ends", () => {
  test.each([
    ["replaced", () => update({ serial_number: FREE_SERIAL })],
    ["moved to another site", () => update({ site_id: server.fixtures.secondSiteId })],
  ])("with a robot that is %s: its run ends when it must have stopped, at its former site", async (_title, change) => {
    await setState(server.db, ownRobot().id, { session: 1, ...lost, motion: "MOVING", connection_at: before(400) });
    await beginRun(60);
    expect((await change()).status).toBe(200);
    expect(await runs()).toEqual([{ outcome: "CUT_SHORT", reason: "LINK_LOST", site_id: ownRobot().siteId }]);
  });

  test("not with a robot that is renamed", async () => {
    await setState(server.db, ownRobot().id, { session: 1, ...there, motion: "MOVING" });
    await beginRun(60);
    expect((await update({ robot_name: "Sweeper" })).status).toBe(200);
    expect(await runs()).toEqual([{ outcome: null, reason: null, site_id: ownRobot().siteId }]);
  });
});

describe("protocol rule 9: a robot in maintenance whose device was retired", () => {
  beforeEach(async () => {
    const { id, siteId } = ownRobot();
    await setState(server.db, id, { session: 1, ...lost, mode: "MAINTENANCE" });
    await server.db.updateTable("robots").set({ operating_mode: "maintenance" }).where("id", "=", id).execute();
    const lock = {
      reason: "Brush worn",
      locked_by: "Omkar Jain",
      locked_at: before(900),
      former_mode: "manual",
    } as const;
    await server.db
      .insertInto("maintenance_locks")
      .values({ robot_id: id, site_id: siteId, ...lock })
      .execute();
    await server.db
      .updateTable("devices")
      .set({ retired_at: before(1) })
      .where("serial", "=", "OWN-1")
      .execute();
  });

  test("is renamed", async () => {
    expect((await update({ robot_name: "Sweeper" })).status).toBe(200);
  });

  test("does not make people wait for a robot that never comes back", async () => {
    const params = { robotId: ownRobot().id };
    const answer = await (await server.as("owner")).call(robotMaintenance, { params, body: { enabled: false } });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("The device OWN-1 was retired")]);
  });

  test("is given another machine, which the former one's lock does not affect", async () => {
    expect((await update({ serial_number: FREE_SERIAL })).status).toBe(200);
    const locks = server.db.selectFrom("maintenance_locks").select(["released_at", "released_by"]);
    expect(await locks.execute()).toEqual([{ released_at: TEST_NOW, released_by: "Anita Rao" }]);
    const robot = server.db.selectFrom("robots").select("operating_mode").where("id", "=", ownRobot().id);
    expect(await robot.execute()).toEqual([{ operating_mode: "manual" }]);
  });
});
