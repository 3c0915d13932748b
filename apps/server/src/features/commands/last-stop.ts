import { withTimeout } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Requester } from "./accept-order.ts";
import { messageOf, publishCommandMessage } from "./command-message.ts";
import { auditCommand, directionOf } from "./command-records.repository.ts";
import { type Command, insertCommand, type LockedRobot } from "./command-rows.repository.ts";

/** The broker has this long to take it: the device is cut off at once after. */
const TAKEN_MS = 1_000;

/** A STOP that goes out once, although its robot's device is retired in the same transaction. */
export interface LastStop {
  readonly command: Command;
  readonly session: number;
}

/**
 * Stores the last order of a robot that this transaction has locked and cuts off. It is claimed with its insertion, so
 * that nobody else sends it; its seq is above every START that may still be on its way (protocol rule 3).
 */
export async function insertLastStop(
  tx: Tx,
  robot: LockedRobot,
  by: Requester,
  serverId: string,
  now: Date,
): Promise<LastStop> {
  const command = await insertCommand(
    tx,
    robot,
    {
      verb: "STOP",
      params: {
        status: "stop",
        direction: directionOf(robot),
        "main-speed": robot.main_motor_speed,
        "brush-speed": robot.brush_motor_speed,
      },
      mode: "AUTO",
      actionType: by.actionType,
      userId: by.userId,
      requestedBy: by.name,
    },
    now,
  );
  await tx
    .updateTable("commands")
    .set({ claimed_by: serverId, claimed_at: now })
    .where("id", "=", command.id)
    .execute();
  await auditCommand(tx, robot, command, { outcome: "DONE", reason: "Its device is retired." }, now);
  return { command, session: robot.state.session };
}

/** Sends it after the commit. Resolves when the broker has taken it, cannot, or has been given long enough. */
export async function sendLastStop(
  { broker, clock, log }: Pick<Dependencies, "broker" | "clock" | "log">,
  { command, session }: LastStop,
): Promise<void> {
  try {
    await withTimeout(
      clock,
      publishCommandMessage(broker, command.serial_number, messageOf(command, session)),
      TAKEN_MS,
    );
  } catch (error) {
    log.warn({ reason: error, command: command.id }, "a retired device may not have got its last Stop");
  }
}
