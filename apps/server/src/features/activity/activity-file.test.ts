import { once } from "node:events";
import type { ActivityCsvRow } from "@suncrew/domain/activity/activity-csv.ts";
import { describe, expect, test } from "vitest";
import { activityFile, activityFileName } from "./activity.routes.ts";

const PAGE = 2_000;

function entry(id: number): ActivityCsvRow {
  return {
    log_id: String(id),
    created_at: "2026-06-15T06:00:00.000Z",
    action: "STOP",
    action_type: "GROUP",
    user_name: "Asha Rathore",
    status: "SUCCESS",
    site_name: "Bhadla Solar Park",
    robot_name: "R",
    serial_number: "SCR-1001",
    details: "The robot showed that it has stopped.",
    paramsObj: { robotSerial: "SCR-1001", mode: "MANUAL", direction: "REV", "main-speed": 75, "brush-speed": 80 },
    timezone: "Asia/Kolkata",
  };
}

/** An endless log, and which of its pages were requested. */
class EndlessLog {
  readonly requested: (string | undefined)[] = [];
  readonly read = async (cursor: string | undefined): Promise<readonly ActivityCsvRow[]> => {
    this.requested.push(cursor);
    const newest = Number(cursor ?? 1_000_000) - 1;
    return Array.from({ length: PAGE }, (_, index) => entry(newest - index));
  };
}

describe("§9 CSV exports: robot-activity-log-<date>.csv, however many rows", () => {
  test("named by its day", () => {
    expect(activityFileName(new Date("2026-06-15T23:59:59Z"))).toBe("robot-activity-log-2026-06-15.csv");
  });

  test("no page is read before the previous ones were consumed, and none after the caller has disconnected", async () => {
    const log = new EndlessLog();
    const file = await activityFile(log.read, false);
    expect(log.requested).toEqual([undefined]);
    const pieces: AsyncIterator<unknown> = file[Symbol.asyncIterator]();
    for (let piece = 0; piece < 4; piece += 1) await pieces.next();
    const readSoFar = log.requested.length;
    expect(readSoFar).toBeLessThan(8);
    const closed = once(file, "close");
    file.destroy();
    await closed;
    expect(log.requested.length).toBeLessThanOrEqual(readSoFar + 1);
  });

  test("a first page that cannot be read fails the call, a later one ends the file with an error", async () => {
    await expect(activityFile(async () => Promise.reject(new Error("Nobody answers.")), false)).rejects.toThrow(
      "Nobody",
    );
    let reads = 0;
    const file = await activityFile(async () => {
      reads += 1;
      if (reads > 1) throw new Error("Gone since.");
      return [entry(1)];
    }, false);
    await expect(file.toArray()).rejects.toThrow("Gone since.");
  });

  test("times are the site's and in UTC, and texts are those on screen", async () => {
    const [rows] = [[entry(1)], []];
    const file = await activityFile(async (cursor) => (cursor === undefined ? rows : []), false);
    const [, row] = (await file.toArray()).join("").trim().split("\r\n");
    expect(row).toBe(
      '"2026-06-15 11:30:00","Asia/Kolkata","2026-06-15T06:00:00.000Z","Stop","Group","Asha Rathore","Success","Bhadla Solar Park","R","SCR-1001","MANUAL","The robot showed that it has stopped.","Reverse","75","80"',
    );
  });

  test("§6: only a Super Admin has the partner's column", async () => {
    const head = async (withPartner: boolean) => {
      const file = await activityFile(async () => [], withPartner);
      return (await file.toArray()).join("").trim().split(",").includes('"Partner"');
    };
    expect([await head(true), await head(false)]).toEqual([true, false]);
  });
});
