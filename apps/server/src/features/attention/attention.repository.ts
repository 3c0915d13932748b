import { DRAIN_MIN_RUNS, DRAIN_OVER_MS } from "@suncrew/domain/attention/attention.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";

/** So long after its acknowledgement whatever still needs a person counts anew. */
const FORGOTTEN_AFTER_MS = 90 * 86_400_000;

export interface StoredAcknowledgement {
  readonly key: string;
  readonly siteId: number;
  readonly robotIds: readonly number[];
  readonly by: { readonly userId: number; readonly name: string };
  readonly comment: string | null;
}

/** Replaces one of before, which was about other robots; old ones of anything are deleted. */
export async function storeAcknowledgement(
  tx: Tx,
  { key, siteId, robotIds, by, comment }: StoredAcknowledgement,
  now: Date,
): Promise<void> {
  await tx
    .deleteFrom("attention_acknowledgements")
    .where((eb) =>
      eb.or([eb("key", "=", key), eb("acknowledged_at", "<", new Date(now.getTime() - FORGOTTEN_AFTER_MS))]),
    )
    .execute();
  await tx
    .insertInto("attention_acknowledgements")
    .values({
      key,
      site_id: siteId,
      robot_ids: [...robotIds],
      acknowledged_at: now,
      acknowledged_by_user_id: by.userId,
      acknowledged_by: by.name,
      comment,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await announceChange(tx);
}

/** The row stays, so that live streams tell of it. */
export async function undoAcknowledgement(tx: Tx, key: string, now: Date): Promise<void> {
  await tx
    .updateTable("attention_acknowledgements")
    .set({ undone_at: now, change_no: changedNow })
    .where("key", "=", key)
    .execute();
  await announceChange(tx);
}

/** What the battery of each robot drains, in percent a minute, by its own runs; of hundreds of thousands of rows. */
export async function readDrains(db: Executor, now: Date): Promise<Map<number, number>> {
  const { rows } = await sql<{ robot_id: number; per_minute: number }>`
    select robot_id, (sum(battery_began - battery_ended) / (sum(extract(epoch from ended_at - began_at)) / 60))::float8 as per_minute
    from runs
    where at >= ${new Date(now.getTime() - DRAIN_OVER_MS)} and ended_at > began_at and battery_began > battery_ended
    group by robot_id having count(*) >= ${DRAIN_MIN_RUNS}`.execute(db);
  return new Map(rows.map(({ robot_id, per_minute }) => [robot_id, per_minute]));
}
