import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { clearUnconfirmed } from "./alert-commands.repository.ts";
import { auditCommands } from "./command-records.repository.ts";
import type { Command } from "./command-rows.repository.ts";
import { settled } from "./command-sentences.ts";
import { applyReleases, confirmLocks } from "./settle-maintenance.repository.ts";
import { closeAll, logAll, type OpenCommand } from "./settle.repository.ts";

/** The robots showed them (protocol rule 6): closes what was open until now, and does what follows from it. */
export async function settleConfirmed(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<void> {
  const closed = await closeAll(tx, shown, "CONFIRMED", now);
  await clearUnconfirmed(tx, closed, now);
  const of = (verb: Command["verb"]) => closed.filter(({ command }) => command.verb === verb);
  await logAll(
    tx,
    closed.map((each) => ({ ...each, status: "SUCCESS" as const, details: confirmedSentence(each.command, now) })),
    now,
  );
  await storeSettings(tx, of("SET"), now);
  await confirmLocks(tx, of("MAINTENANCE_ON"), now);
  await applyReleases(tx, of("MAINTENANCE_OFF"), now);
}

function confirmedSentence({ verb, answered_at }: Command, now: Date): string {
  if (verb === "START") return settled.startConfirmed;
  return answered_at === null ? settled.stopConfirmed : settled.stopDelivered(now);
}

/** The settings are the robots' now, so they are stored; those not named stay. One robot may have taken several. */
async function storeSettings(tx: Tx, shown: readonly OpenCommand[], now: Date): Promise<void> {
  if (shown.length === 0) return;
  const rows = await tx
    .selectFrom("robots")
    .select(["id", "cleaning_direction", "main_motor_speed", "brush_motor_speed"])
    .where("id", "=", sql<number>`any(${shown.map(({ robot }) => robot.id)}::int[])`)
    .execute();
  const stored = new Map(rows.map(({ id, ...settings }) => [id, settings]));
  const audited = shown.flatMap(({ robot, command }) => {
    const before = stored.get(robot.id);
    if (before === undefined) return [];
    const { direction, "main-speed": main, "brush-speed": brush } = command.params;
    const after = {
      ...before,
      ...(direction !== undefined && {
        cleaning_direction: direction === "FWD" ? ("FORWARD" as const) : ("REVERSE" as const),
      }),
      ...(main !== undefined && { main_motor_speed: main }),
      ...(brush !== undefined && { brush_motor_speed: brush }),
    };
    stored.set(robot.id, after);
    return [{ robot, command, outcome: "DONE" as const, before, after }];
  });
  const settings = JSON.stringify([...stored].map(([id, each]) => ({ id, ...each })));
  await sql`
    update robots r set cleaning_direction = n.cleaning_direction, main_motor_speed = n.main_motor_speed,
      brush_motor_speed = n.brush_motor_speed
    from json_populate_recordset(null::robots, ${settings}::json) n where r.id = n.id`.execute(tx);
  await auditCommands(tx, audited, now);
}
