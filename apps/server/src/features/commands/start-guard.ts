import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { Press } from "./press.ts";

/** What undoes a START that is decided later than a person asked for it: a wrong START is worse than a missing one. */
export interface StartGuard {
  /** The robot's newest command as the call came: refused where a STOP or a lock, by whomever, has a higher number. */
  readonly afterSeq: number;
  /** Asked under the lock: its caller has given up or is about to, and nobody expects the robot to move any more. */
  readonly isTooLate?: () => boolean;
  /** This server's clock, which tells until when an order holds, cannot be relied on (protocol rule 12). */
  readonly withoutTime?: boolean;
}

export type GuardRefusal = "stopped-since" | "locked-since" | "too-late" | "without-time";

interface Guarded {
  readonly robot: { readonly id: number };
  readonly order: {
    readonly verb: string;
    readonly by: { readonly press?: Press | null };
    readonly unless?: StartGuard;
  };
}

/** The network brings no order later than this after a Stop of the same browser, which gives a call up before. */
const LATE_BY_MS = 30_000;

/** Of a robot's commands those that can have come since: a person's order waits for seconds, not for years. */
const NEWEST = 50;

/** The newest command of each robot as a call came, whatever it waited for since and however often it was decided. */
export class FirstSeen {
  readonly #seqs = new Map<number, number>();

  note(robotId: number, lastSeq: number): void {
    if (!this.#seqs.has(robotId)) this.#seqs.set(robotId, lastSeq);
  }

  /** Where nothing is known, every Stop counts as later. */
  seqOf(robotId: number): number {
    return this.#seqs.get(robotId) ?? 0;
  }
}

/**
 * Why STARTs of robots that this transaction has locked come too late, by robot. No order that was given before a STOP
 * or a lock goes out after it: while it waited here, while it waited in its browser, or on its way from the browser
 * that pressed both.
 */
export async function guardRefusals(tx: Tx, asked: readonly Guarded[], now: Date): Promise<Map<number, GuardRefusal>> {
  const refusals = new Map<number, GuardRefusal>();
  const guards = asked.flatMap(({ robot, order: { verb, by, unless } }) => {
    return verb === "START" && unless !== undefined ? [{ robotId: robot.id, press: by.press ?? null, ...unless }] : [];
  });
  if (guards.length === 0) return refusals;
  for (const { robotId, isTooLate, withoutTime } of guards) {
    if (withoutTime === true) refusals.set(robotId, "without-time");
    if (isTooLate?.() === true) refusals.set(robotId, "too-late");
  }
  const fences = guards.map(({ robotId, afterSeq, press }) => ({
    robot_id: robotId,
    seq: afterSeq,
    waits_since: press?.waitsSince ?? null,
    pressed_in: press?.sessionId ?? null,
    pressed_ms: press?.atMs ?? null,
  }));
  const { rows } = await sql<{ robot_id: number; verb: string }>`
    select distinct on (c.robot_id) c.robot_id, c.verb
    from json_to_recordset(${JSON.stringify(fences)}::json)
      g (robot_id int, seq bigint, waits_since timestamptz, pressed_in uuid, pressed_ms bigint)
    cross join lateral (
      select robot_id, verb, seq, issued_at, pressed_in, pressed_ms from commands
      where robot_id = g.robot_id order by seq desc limit ${NEWEST}
    ) c
    where c.verb in ('STOP', 'MAINTENANCE_ON') and (c.seq > g.seq
      or (c.issued_at >= g.waits_since and (c.pressed_in is distinct from g.pressed_in or c.pressed_ms > g.pressed_ms))
      or (c.pressed_in = g.pressed_in and c.pressed_ms > g.pressed_ms
        and c.issued_at > ${new Date(now.getTime() - LATE_BY_MS)}))
    order by c.robot_id, c.seq desc
  `.execute(tx);
  for (const { robot_id, verb } of rows) refusals.set(robot_id, verb === "STOP" ? "stopped-since" : "locked-since");
  return refusals;
}
