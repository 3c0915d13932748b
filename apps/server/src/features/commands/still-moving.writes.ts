import { mayStillMove, type StillMoving } from "@suncrew/domain/robots/may-still-move.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** A robot that must not be taken away now, and why. */
export interface StillMovingRobot {
  readonly id: number;
  readonly serial_number: string;
  readonly robot_name: string;
  readonly why: StillMoving;
}

/** Those of the robots, which this transaction has locked, that may move, by serial number. */
export async function readStillMoving(
  tx: Tx,
  robotIds: readonly number[],
  now: Date,
): Promise<readonly StillMovingRobot[]> {
  if (robotIds.length === 0) return [];
  const rows = await tx
    .selectFrom("robots as r")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.serial_number", "r.robot_name", "s.online", "s.motion"])
    .select(sql<Date | null>`greatest(s.live_at, s.received_at, s.connection_at)`.as("lastHeardAt"))
    .select((eb) => [
      eb
        .exists(
          eb
            .selectFrom("runs")
            .select("runs.id")
            .whereRef("runs.robot_id", "=", "r.id")
            .where("runs.ended_at", "is", null)
            .where("runs.began_at", "is not", null),
        )
        .as("hasOpenRun"),
      eb
        .exists(
          eb
            .selectFrom("commands")
            .select("commands.id")
            .whereRef("commands.robot_id", "=", "r.id")
            .where("commands.verb", "=", "START")
            .where("commands.settled_at", "is", null),
        )
        .as("hasOpenStart"),
    ])
    .where("r.id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .orderBy("r.serial_number")
    .execute();
  return rows.flatMap(({ id, serial_number, robot_name, ...shown }) => {
    const why = mayStillMove({ ...shown, hasOpenRun: !!shown.hasOpenRun, hasOpenStart: !!shown.hasOpenStart }, now);
    return why === null ? [] : [{ id, serial_number, robot_name, why }];
  });
}

/** Why a robot cannot be taken away now, for people. */
export const stillMovingSentences: Record<StillMoving, (serial: string) => string> = {
  cleaning: (serial) => `Robot ${serial} is cleaning. Stop it first.`,
  starting: (serial) => `Robot ${serial} is being started. Stop it first.`,
  "away-cleaning": (serial) =>
    `Robot ${serial} was cleaning as its connection was lost and stops by itself within 6 minutes. Please try again then.`,
};
