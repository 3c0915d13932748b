import type { Rollout, RolloutRobot } from "@suncrew/contract/firmware/firmware.ts";
import { offerRefusal } from "@suncrew/domain/firmware/offer-refusal.ts";
import { turnText, waitingText } from "@suncrew/domain/firmware/rollout-text.ts";
import type { Executor } from "../../platform/database/database.ts";
import { readCandidates } from "./candidates.repository.ts";
import { skippedSentences } from "./firmware-sentences.ts";
import { readRolloutRobots } from "./rollout-robots.repository.ts";
import { type Counts, findRollout, readCounts, readRollouts, type StoredRollout } from "./rollout-rows.repository.ts";

const MAX_ROLLOUTS = 100;

function rolloutOf(row: StoredRollout, counts: Counts): Rollout {
  const { bytes: _b, sha256: _s, resumed_at: _r, created_at, ended_at, ...rollout } = row;
  return { ...rollout, created_at: created_at.toISOString(), ended_at: ended_at?.toISOString() ?? null, counts };
}

/** The newest first. */
export async function listRollouts(db: Executor): Promise<Rollout[]> {
  const rows = await readRollouts(db, MAX_ROLLOUTS);
  const counts = await readCounts(
    db,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const of = counts.get(row.id);
    return of ? [rolloutOf(row, of)] : [];
  });
}

/** A rollout with each robot's progress; null where there is none. */
export async function rolloutWithRobots(
  db: Executor,
  rolloutId: number,
  seen: { readonly now: Date; readonly canSend: boolean },
): Promise<(Rollout & { robots: RolloutRobot[] }) | null> {
  const row = await findRollout(db, rolloutId);
  const counts = row && (await readCounts(db, [rolloutId])).get(rolloutId);
  if (!row || !counts) return null;
  const waits = await whatTheyWaitFor(db, row, counts, seen);
  const robots = (await readRolloutRobots(db, rolloutId)).map(({ offered_at, ended_at, ...robot }) => ({
    ...robot,
    reason: robot.state === "WAITING" ? (waits.get(robot.robot_id) ?? null) : robot.reason,
    offered_at: offered_at?.toISOString() ?? null,
    ended_at: ended_at?.toISOString() ?? null,
  }));
  return { ...rolloutOf(row, counts), robots };
}

/** As it would be decided now. */
async function whatTheyWaitFor(
  db: Executor,
  { id, version, state }: StoredRollout,
  counts: Counts,
  { now, canSend }: { readonly now: Date; readonly canSend: boolean },
): Promise<Map<number, string>> {
  if (counts.WAITING === 0) return new Map();
  const open = counts.OFFERED + counts.DOWNLOADING + counts.INSTALLING;
  const turn = turnText({ paused: state === "PAUSED", canSend, open, done: counts.DONE });
  return new Map(
    (await readCandidates(db, id)).map((robot) => {
      const refusal = offerRefusal(robot, version, now);
      if (refusal === null) return [robot.robotId, turn];
      if (refusal.kind === "skip") return [robot.robotId, skippedSentences[refusal.why](version)];
      return [robot.robotId, waitingText(refusal.why, robot, robot.refused)];
    }),
  );
}
