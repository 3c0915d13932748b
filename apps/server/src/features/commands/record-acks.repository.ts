import type { AckMessage, RejectCode } from "@suncrew/contract/devices/messages.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { type Command, lockRobots, showChange } from "./commands.repository.ts";
import { settleAllRejected } from "./settle.repository.ts";

/** An ack with the serial of the topic it came on. */
export interface ReceivedAck {
  readonly serial: string;
  readonly ack: AckMessage;
}

/**
 * Notes acks, and settles as REJECTED what the robot refused. An ack counts only for a command of the serial it came
 * from. A refusal after an acceptance or of a STOP changes nothing: there the state decides, and a STOP is repeated. Of
 * settled commands only STARTs that were not confirmed are noted: what the robot says of one decides whether its run
 * gets another. Called by the bridge with no other lock taken.
 */
export async function recordAcks(tx: Tx, acks: readonly ReceivedAck[], now: Date): Promise<void> {
  const named = await readNamed(tx, acks);
  if (named.length === 0) return;
  const robots = await lockRobots(
    tx,
    named.map((command) => command.robot_id),
  );
  const current = new Map((await readNamed(tx, acks)).map((command) => [command.id, command]));
  const notTaken: string[] = [];
  const noted = new Map<string, Command>();
  const rejected: Parameters<typeof settleAllRejected>[1][number][] = [];
  for (const { serial, ack } of acks) {
    const command = current.get(ack.id);
    const robot = command && robots.get(command.robot_id);
    if (command === undefined || robot === undefined || command.serial_number !== serial) continue;
    if (ack.status === "REJECTED" && hasAccepted(command)) continue;
    const told = { ...command, ack: ack.status, ack_code: ack.code };
    noted.set(command.id, told);
    current.set(command.id, told);
    if (command.settled_at !== null) {
      if (ack.status === "REJECTED" && ack.code !== null && tooOld.includes(ack.code)) notTaken.push(command.id);
      continue;
    }
    if (ack.status !== "REJECTED" || command.verb === "STOP" || command.verb === "MAINTENANCE_ON") continue;
    rejected.push({ robot, command: told, code: ack.code });
    current.delete(command.id);
  }
  await storeAcks(tx, [...noted.values()]);
  await settleAllRejected(tx, rejected, now);
  await markNotTaken(tx, notTaken, now);
  await showChange(
    tx,
    rejected.map(({ robot }) => robot.id),
  );
}

/** The robot refused it as too old, so it will not take it any more either. */
const tooOld: readonly string[] = ["OLD_SESSION", "EXPIRED"] satisfies RejectCode[];

async function markNotTaken(tx: Tx, commandIds: readonly string[], now: Date): Promise<void> {
  if (commandIds.length === 0) return;
  await sql`update commands set not_taken_at = coalesce(not_taken_at, ${now}) where id = any(${commandIds}::uuid[])`.execute(
    tx,
  );
}

async function storeAcks(tx: Tx, commands: readonly Command[]): Promise<void> {
  if (commands.length === 0) return;
  const rows = commands.map(({ id, ack, ack_code }) => ({ id, ack, ack_code }));
  await sql`
    update commands set ack = n.ack, ack_code = n.ack_code
    from json_populate_recordset(null::commands, ${JSON.stringify(rows)}::json) n
    where commands.id = n.id`.execute(tx);
}

function hasAccepted(command: Command): boolean {
  return command.ack === "ACCEPTED" || command.ack === "DONE";
}

/** The open commands, and STARTs that were not confirmed, that the acks name, each of the serial it was acknowledged from. */
async function readNamed(tx: Tx, acks: readonly ReceivedAck[]): Promise<Command[]> {
  if (acks.length === 0) return [];
  const rows = await tx
    .selectFrom("commands")
    .selectAll()
    .where("id", "=", sql<string>`any(${acks.map(({ ack }) => ack.id)}::uuid[])`)
    .where((eb) =>
      eb.or([eb("settled_at", "is", null), eb.and([eb("verb", "=", "START"), eb("outcome", "=", "UNCONFIRMED")])]),
    )
    .execute();
  const serialsOf = Map.groupBy(acks, ({ ack }) => ack.id);
  return rows.filter(({ id, serial_number }) => serialsOf.get(id)?.some(({ serial }) => serial === serial_number));
}
