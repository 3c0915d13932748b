import { randomUUID } from "node:crypto";
import type { Db } from "../src/platform/database/database.ts";
import { addRobot, addSite } from "./fixtures.ts";

let count = 0;

export async function siteIn(db: Db, timezone: string): Promise<number> {
  count += 1;
  const siteId = await addSite(db, `Days ${count}`, null);
  await db.updateTable("sites").set({ timezone }).where("id", "=", siteId).execute();
  return siteId;
}

export async function robotAt(
  db: Db,
  siteId: number,
  presence: readonly (readonly [string, string | null])[],
): Promise<number> {
  count += 1;
  const { id } = await addRobot(db, siteId, `DAYS-${count}`);
  const rows = presence.map(([from, to]) => ({
    robot_id: id,
    site_id: siteId,
    online_at: new Date(from),
    offline_at: to === null ? null : new Date(to),
  }));
  if (rows.length > 0) await db.insertInto("robot_presence").values(rows).execute();
  return id;
}

export async function addRun(
  db: Db,
  robotId: number,
  siteId: number,
  run: { due?: [string, string]; moved: [string, string | null] | null; outcome: "COMPLETED" | "MISSED" | null },
): Promise<string> {
  const id = randomUUID();
  const ended = run.moved === null ? (run.due?.[0] ?? null) : run.moved[1];
  await db
    .insertInto("runs")
    .values({
      id,
      robot_id: robotId,
      site_id: siteId,
      started_by: "Scheduler",
      planned: run.due !== undefined,
      schedule_id: run.due === undefined ? null : 1_000_000 + robotId,
      due_at: run.due === undefined ? null : new Date(run.due[0]),
      stop_due_at: run.due === undefined ? null : new Date(run.due[1]),
      began_at: run.moved === null ? null : new Date(run.moved[0]),
      ended_at: ended === null ? null : new Date(ended),
      outcome: run.outcome,
      reason: run.outcome === null ? null : "Not known.",
    })
    .execute();
  return id;
}

export async function addReadings(
  db: Db,
  robotId: number,
  siteId: number,
  readings: readonly { at: string; battery: number; motion?: "MOVING"; mode?: "MANUAL" | "MAINTENANCE" }[],
): Promise<void> {
  const rows = readings.map(({ at, battery, motion = "STOPPED" as const, mode = "AUTO" as const }, seq) => ({
    robot_id: robotId,
    site_id: siteId,
    received_at: new Date(at),
    robot_ts: new Date(at),
    session: 1,
    seq,
    status: "stop",
    robot_status: "idle" as const,
    motion,
    mode,
    battery,
    charging: false,
    sample: false,
  }));
  await db.insertInto("readings").values(rows).execute();
}
