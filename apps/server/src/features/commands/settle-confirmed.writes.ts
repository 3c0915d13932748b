import type { Tx } from "../../platform/database/database.ts";
import { clearUnconfirmed } from "./alert-commands.writes.ts";
import { auditCommand } from "./command-records.writes.ts";
import type { Command, LockedRobot } from "./command-rows.writes.ts";
import { settled } from "./command-sentences.ts";
import { applyReleases, confirmLocks } from "./settle-maintenance.writes.ts";
import { closeAll, logAll, type OpenCommand } from "./settle.writes.ts";

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
  for (const { robot, command } of of("SET")) await storeSettings(tx, robot, command, now);
  await confirmLocks(tx, of("MAINTENANCE_ON"), now);
  await applyReleases(tx, of("MAINTENANCE_OFF"), now);
}

function confirmedSentence({ verb, answered_at }: Command, now: Date): string {
  if (verb === "START") return settled.startConfirmed;
  return answered_at === null ? settled.stopConfirmed : settled.stopDelivered(now);
}

/** The settings are the robot's now, so they are stored; those not named stay. */
async function storeSettings(tx: Tx, robot: LockedRobot, command: Command, now: Date): Promise<void> {
  const { direction, "main-speed": main, "brush-speed": brush } = command.params;
  const after = {
    ...(direction !== undefined && {
      cleaning_direction: direction === "FWD" ? ("FORWARD" as const) : ("REVERSE" as const),
    }),
    ...(main !== undefined && { main_motor_speed: main }),
    ...(brush !== undefined && { brush_motor_speed: brush }),
  };
  const before = await tx
    .selectFrom("robots")
    .select(["cleaning_direction", "main_motor_speed", "brush_motor_speed"])
    .where("id", "=", robot.id)
    .executeTakeFirstOrThrow();
  await tx.updateTable("robots").set(after).where("id", "=", robot.id).execute();
  await auditCommand(tx, robot, command, { outcome: "DONE", before, after: { ...before, ...after } }, now);
}
