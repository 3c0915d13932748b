import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { addSite } from "../../../test/fixtures.ts";
import { eventMessage, stateMessage } from "../../../test/robot-messages.ts";

const serial = "MOVED-1";
let harness: BridgeHarness;
let robotId: number;
beforeAll(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
  robotId = await harness.robot(serial);
});
afterAll(() => harness.close());

const now = () => harness.clock.now();
const runs = () =>
  harness.database.db.selectFrom("runs").selectAll().where("robot_id", "=", robotId).orderBy("began_at").execute();

test("§6: a run reported after its robot moved stays at the site, and with the names, of its START", async () => {
  const runId = randomUUID();
  await harness.command(robotId, "START", 5, runId);
  const began = eventMessage(now(), 1, 1, { kind: "RUN_BEGAN", runId, battery: 88 });
  await harness.pass(60_000);
  const ended = eventMessage(now(), 1, 2, { kind: "RUN_ENDED", runId, battery: 70, reason: "LINK_LOST" });
  const { db } = harness.database;
  const elsewhere = await addSite(db, "Elsewhere", null);
  await db.updateTable("robots").set({ site_id: elsewhere, robot_name: "Renamed" }).where("id", "=", robotId).execute();
  harness.says(serial, "event", began);
  harness.says(serial, "event", ended);
  await harness.pass(100);
  const then = { site_id: harness.siteId, robot_name: serial, serial_number: serial };
  expect(await runs()).toMatchObject([{ id: runId, started_by: "Anita Rao", ...then }]);

  const next = stateMessage(now(), 1, 1, { motion: "MOVING", status: "start", runId: randomUUID() });
  harness.says(serial, "state", next);
  await harness.pass(100);
  expect(await runs()).toMatchObject([{ id: runId }, { site_id: elsewhere, robot_name: "Renamed" }]);
});
