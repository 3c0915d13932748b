import type { AckMessage } from "@suncrew/contract/devices/messages.ts";
import type { Tx } from "../../platform/database/database.ts";
import { type Command, lockRobots, showChange } from "./command-rows.writes.ts";
import { settleRejected } from "./settle.writes.ts";

/** An ack with the serial of the topic it came on. */
export interface ReceivedAck {
  readonly serial: string;
  readonly ack: AckMessage;
}

/**
 * Notes acks, and settles as REJECTED what the robot refused. An ack counts only for a command of the serial it came
 * from. A refusal after an acceptance, of a settled command or of a STOP changes nothing: there the state decides,
 * and a STOP is repeated. Called by the bridge with no other lock taken.
 */
export async function recordAcks(tx: Tx, acks: readonly ReceivedAck[], now: Date): Promise<void> {
  const named = await readNamed(tx, acks);
  if (named.length === 0) return;
  const robots = await lockRobots(
    tx,
    named.map((command) => command.robot_id),
  );
  const current = new Map((await readNamed(tx, acks)).map((command) => [command.id, command]));
  const changed = new Set<number>();
  for (const { serial, ack } of acks) {
    const command = current.get(ack.id);
    const robot = command && robots.get(command.robot_id);
    if (command === undefined || robot === undefined || command.serial_number !== serial) continue;
    if (command.settled_at !== null || (ack.status === "REJECTED" && hasAccepted(command))) continue;
    await tx
      .updateTable("commands")
      .set({ ack: ack.status, ack_code: ack.code })
      .where("id", "=", command.id)
      .execute();
    current.set(command.id, { ...command, ack: ack.status, ack_code: ack.code });
    if (ack.status !== "REJECTED" || command.verb === "STOP" || command.verb === "MAINTENANCE_ON") continue;
    await settleRejected(tx, robot, command, ack.code, now);
    current.delete(command.id);
    changed.add(robot.id);
  }
  await showChange(tx, [...changed]);
}

function hasAccepted(command: Command): boolean {
  return command.ack === "ACCEPTED" || command.ack === "DONE";
}

/** The open commands that the acks name, each of the serial it was acknowledged from. */
async function readNamed(tx: Tx, acks: readonly ReceivedAck[]): Promise<Command[]> {
  if (acks.length === 0) return [];
  const rows = await tx
    .selectFrom("commands")
    .selectAll()
    .where(
      "id",
      "in",
      acks.map(({ ack }) => ack.id),
    )
    .where("settled_at", "is", null)
    .execute();
  return rows.filter((command) =>
    acks.some(({ serial, ack }) => ack.id === command.id && serial === command.serial_number),
  );
}
