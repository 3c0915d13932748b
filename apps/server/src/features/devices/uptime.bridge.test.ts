import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type BridgeHarness, createBridge } from "../../../test/bridge-harness.ts";
import { addSite, setState } from "../../../test/fixtures.ts";
import { connectionMessage, stateMessage } from "../../../test/robot-messages.ts";

let harness: BridgeHarness;
let robotId: number;
let serial: string;
let beganMs = 0;
let count = 0;

beforeAll(async () => {
  harness = await createBridge();
  await harness.bridge.start();
  await harness.bridge.idle();
});
afterAll(() => harness.close());
beforeEach(async () => {
  count += 1;
  serial = `PRES-${count}`;
  robotId = await harness.robot(serial);
  beganMs = harness.clock.now().getTime();
});

const connection = (session: number, state: "ONLINE" | "CONNECTION_BROKEN") =>
  harness.says(serial, "connection", connectionMessage(harness.clock.now(), session, state));
const shows = (session: number, seq: number) =>
  harness.says(serial, "state", stateMessage(harness.clock.now(), session, seq));

/** Seconds since the test began; null while the interval is open. */
async function presence() {
  const rows = await harness.database.db
    .selectFrom("robot_presence")
    .selectAll()
    .where("robot_id", "=", robotId)
    .orderBy("id")
    .execute();
  const seconds = (at: Date) => (at.getTime() - beganMs) / 1_000;
  return rows.map(({ online_at, offline_at }) => [seconds(online_at), offline_at && seconds(offline_at)]);
}

test("decisions, uptime: a robot is reachable from its connection to its will", async () => {
  connection(1, "ONLINE");
  shows(1, 1);
  await harness.pass(30_000);
  shows(1, 2);
  await harness.pass(20_000);
  expect(await presence()).toEqual([[0, null]]);
  connection(1, "CONNECTION_BROKEN");
  await harness.pass(40_000);
  connection(2, "ONLINE");
  await harness.pass(1_000);
  expect(await presence()).toEqual([
    [0, 50],
    [90, null],
  ]);
});

test("decisions, uptime: silence ends it 90 s after the last state, whenever that is noticed", async () => {
  connection(1, "ONLINE");
  await harness.pass(20_000);
  shows(1, 1);
  await harness.pass(OFFLINE_AFTER_MS + 7_500);
  expect(await harness.stateOf(robotId)).toMatchObject({ online: false });
  shows(1, 2);
  await harness.pass(1_000);
  expect(await presence()).toEqual([
    [0, 20 + OFFLINE_AFTER_MS / 1_000],
    [117.5, null],
  ]);
});

test("decisions, uptime: a time that no server observed counts as unreachable, and one of up to 90 s does not", async () => {
  const { db } = harness.database;
  const at = (seconds: number) => new Date(beganMs + seconds * 1_000);
  await setState(db, robotId, { online: true, session: 1, connection_at: at(0), live_at: at(10) });
  await setState(db, robotId, { live_at: at(100) });
  expect(await presence()).toEqual([[0, null]]);
  await setState(db, robotId, { live_at: at(300) });
  await setState(db, robotId, { session: 2, connection_at: at(600), live_at: at(605) });
  expect(await presence()).toEqual([
    [0, 190],
    [300, 390],
    [600, null],
  ]);
});

test("decisions, uptime: a robot that moves between sites is reachable at one and then the other; another machine starts again", async () => {
  const { db } = harness.database;
  const at = (seconds: number) => new Date(beganMs + seconds * 1_000);
  await setState(db, robotId, { online: true, connection_at: at(0), live_at: at(40) });
  const other = await addSite(db, `Other Park ${robotId}`, null);
  await db.updateTable("robots").set({ site_id: other }).where("id", "=", robotId).execute();
  await setState(db, robotId, { live_at: at(70) });
  await db.deleteFrom("robot_state").where("robot_id", "=", robotId).execute();
  expect(await presence()).toEqual([
    [0, 40],
    [40, 70],
  ]);
  const sites = await db
    .selectFrom("robot_presence")
    .select("site_id")
    .where("robot_id", "=", robotId)
    .orderBy("id")
    .execute();
  expect(sites.map(({ site_id }) => site_id)).toEqual([harness.siteId, other]);
});
