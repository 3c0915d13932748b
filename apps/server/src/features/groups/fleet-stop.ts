import type { FleetStopBody, FleetStopResponse, RobotResult, SiteStopResult } from "@suncrew/contract/groups/groups.ts";
import { sharesOf } from "@suncrew/domain/commands/shares.ts";
import { setImmediate } from "node:timers/promises";
import { withTimeout } from "../../platform/clock.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordChange } from "../audit/public.ts";
import { type Commands, type KnownRobot, newTurns, requestForMany, RESULT_UNKNOWN } from "../commands/public.ts";
import { readFleet, readRobotsAmong } from "./groups.queries.ts";
import { manyRobotsAnswer, type PersonsCall, siteWording } from "./groups.service.ts";

/** So that no transaction holds the locks of thousands of robots, and no file or loop is about all of them. */
const ROBOTS_PER_SHARE = 500;
/** The rows of the last share wait for those of all others. */
const ANSWER_DELAY_MS = 4_000;
/** How long the answer waits for the database where the robots are being stopped without it. */
const DATABASE_WAIT_MS = 1_000;

const wording = { ...siteWording, nobody: "There is no robot to stop." };

type FleetRobot = Pick<KnownRobot, "id" | "serial" | "siteId" | "siteName" | "state" | "partnerId">;

interface ShareOutcome {
  readonly results: readonly RobotResult[];
  /** Why the whole share failed; null if it did not. */
  readonly error: unknown;
}

/**
 * Fleet Stop: every robot in the viewer's scope, or those of a state, a partner or a list; for offline robots the Stop is
 * stored. Robots that this server knows are stopped at once, those seen moving first and whatever the database does; it
 * names the others. Throws 404 if the partner is not the viewer's, or none of the named robots is.
 */
export async function stopFleet(
  deps: Dependencies,
  commands: Commands,
  viewer: Viewer,
  part: FleetStopBody,
  { key, press }: PersonsCall,
): Promise<FleetStopResponse> {
  const { db, clock } = deps;
  const order = {
    mode: "AUTO",
    by: { userId: viewer.userId, name: viewer.name, actionType: "MANUAL", press },
    request: requestForMany(viewer, part, key),
    turns: newTurns(),
    answerDelayMs: ANSWER_DELAY_MS,
  } as const;
  const stopShare = async (share: readonly FleetRobot[], known: readonly KnownRobot[]): Promise<ShareOutcome> => {
    const robotIds = share.map(({ id }) => id);
    const choose = async (tx: Executor) => {
      const among = await readRobotsAmong(viewer, tx, robotIds);
      const inScope = new Set(among.map(({ id }) => id));
      const siteId = [...new Set(among.map(({ site_id }) => site_id))];
      return { siteId, robotIds: robotIds.filter((id) => inScope.has(id)) };
    };
    try {
      return { results: await commands.stopMany(choose, () => known, order), error: null };
    } catch (error) {
      const message = error instanceof HttpError ? error.message : RESULT_UNKNOWN;
      const failed = { outcome: "FAILED", message, pending: false } as const;
      return { results: share.map(({ id, serial }) => ({ robotId: serial, robotObjectId: id, ...failed })), error };
    }
  };
  const reading = readFleet(viewer, db, part);
  // Awaited below, once the known robots are being stopped.
  reading.catch(() => {});
  const known = commands
    .knownRobots(viewer)
    .filter(isPartOf(part))
    .toSorted((one, other) => Number(other.wasMoving) - Number(one.wasMoving));
  const stopping: Promise<ShareOutcome>[] = [];
  for (const share of sharesOf(known, ROBOTS_PER_SHARE)) {
    stopping.push(stopShare(share, share));
    // Another person's Stop may come in between.
    await setImmediate();
  }
  const robots = new Map<number, FleetRobot>(known.map((robot) => [robot.id, robot]));
  const stopUnknown = (inScope: readonly FleetRobot[]): Promise<ShareOutcome>[] => {
    const unknown = inScope.filter(isPartOf(part)).filter(({ id }) => !robots.has(id));
    for (const robot of unknown) robots.set(robot.id, robot);
    return sharesOf(unknown, ROBOTS_PER_SHARE).map((share) => stopShare(share, []));
  };
  const inScope =
    known.length === 0 ? await reading : await withTimeout(clock, reading, DATABASE_WAIT_MS).catch(() => []);
  if (inScope !== null) stopping.push(...stopUnknown(inScope));
  // Those that only the database names are stopped as soon as it does, even after the answer.
  else
    void reading.then(
      (late) => Promise.all(stopUnknown(late)),
      () => {},
    );
  const outcomes = await Promise.all(stopping);
  const [first] = outcomes;
  if (first !== undefined && outcomes.every(({ error }) => error !== null)) throw first.error;
  const results = outcomes.flatMap((outcome) => outcome.results);
  const { success, message } = manyRobotsAnswer(results, wording);
  const sites = resultsBySite(results, robots);
  await recordFleetStop(deps, viewer, part, { robots: results.length, sites: sites.length });
  return { success, message, sites };
}

/** Each robot's Stop has its own record, whatever becomes of this one. */
async function recordFleetStop(
  { db, clock, log }: Dependencies,
  viewer: Viewer,
  { state, partnerId }: FleetStopBody,
  counts: { readonly robots: number; readonly sites: number },
): Promise<void> {
  const after = { state, partner_id: partnerId, ...counts };
  const change = { actor: viewer, action: "STOP_FLEET", entity: "fleet", after, at: clock.now() };
  const recording = recordChange(db, change, counts.robots === 0 ? wording.nobody : null);
  await withTimeout(clock, recording, DATABASE_WAIT_MS).catch((error: unknown) => {
    log.warn({ reason: error }, "a fleet stop could not be recorded as one");
  });
}

/** Whether the Stop is for a robot. */
function isPartOf({ state, partnerId, robotObjectIds }: FleetStopBody): (robot: FleetRobot) => boolean {
  const named = robotObjectIds && new Set(robotObjectIds);
  return (robot) =>
    (state === undefined || robot.state === state) &&
    (partnerId === undefined || robot.partnerId === partnerId) &&
    named?.has(robot.id) !== false;
}

function resultsBySite(results: readonly RobotResult[], robots: ReadonlyMap<number, FleetRobot>): SiteStopResult[] {
  const bySite = Map.groupBy(results, ({ robotObjectId }) => robots.get(robotObjectId)?.siteId ?? 0);
  return [...bySite].map(([siteId, each]) => {
    const [first] = each;
    const stopped = each.filter(({ outcome, pending }) => outcome === "SUCCESS" && !pending);
    const pending = each.filter((result) => result.pending).length;
    return {
      siteId,
      name: robots.get(first?.robotObjectId ?? 0)?.siteName ?? "",
      robots: each.length,
      stopped: stopped.length,
      moved: stopped.filter(({ was_moving }) => was_moving === true).length,
      pending,
      failed: each.length - stopped.length - pending,
      results: each.filter((result) => result.outcome !== "SUCCESS" || result.pending),
    };
  });
}
