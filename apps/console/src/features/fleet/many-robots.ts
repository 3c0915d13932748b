import {
  type RobotResult,
  ROBOTS_PER_COMMAND_MAX,
  ROBOTS_PER_FLEET_STOP_MAX,
  robotsSendCommand,
} from "@suncrew/contract/groups/groups.ts";
import { sharesOf } from "@suncrew/domain/commands/shares.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { liveStore } from "../../platform/live/live.ts";
import { confirmedRobots, newPress, newPressHeaders, reasonOf, sendFleetStop } from "../commands/public.ts";
import { type ManyOutcome, stopAtOnce } from "../groups/public.ts";
import { showConfirmedCommands } from "../robots/public.ts";

/** A robot that starts long after the press surprises people near it, in milliseconds. */
const LAST_START_AFTER_MS = 10_000;

export interface ManyProgress {
  /** Ends what has not been sent yet. */
  readonly signal: AbortSignal;
  /** Called with the results so far. */
  readonly onResults: (results: readonly RobotResult[]) => void;
}

/**
 * Starts robots of any sites; never throws. A share that one call takes follows the other, each as pressed now: a Stop
 * that is pressed in between holds for the shares that come after it.
 */
export async function startRobots(ids: readonly number[], { signal, onResults }: ManyProgress): Promise<ManyOutcome> {
  const press = newPress();
  const latestAt = performance.now() + LAST_START_AFTER_MS;
  let results: readonly RobotResult[] = [];
  for (const share of sharesOf(ids, ROBOTS_PER_COMMAND_MAX)) {
    if (signal.aborted) return { results, failure: "Stop was pressed before the others were started." };
    if (performance.now() > latestAt) return { results, failure: "The others were not started: it took too long." };
    const headers = newPressHeaders(press);
    try {
      const answer = await callSlots.run({
        kind: "start",
        robotIds: share,
        signal,
        send: (sending) =>
          call(
            robotsSendCommand,
            { body: { command: "START", mode: "AUTO", robotObjectIds: [...share] } },
            { headers: headers(), signal: sending },
          ),
      });
      showConfirmedCommands(confirmedRobots(answer.results), "START");
      results = [...results, ...answer.results];
      onResults(results);
    } catch (error) {
      return { results, failure: failureOf(error) };
    }
  }
  return { results, failure: null };
}

/** Stops robots of any sites: sent at once, whatever else waits; never throws. */
export async function stopRobots(
  ids: readonly number[],
  { onResults }: Pick<ManyProgress, "onResults">,
): Promise<ManyOutcome> {
  if (ids.length > ROBOTS_PER_COMMAND_MAX) return stopMany(ids, onResults);
  const outcome = (await stopAtOnce({ robotIds: ids })) ?? { results: [], failure: SESSION_EXPIRED };
  if (outcome.failure === null) onResults(outcome.results);
  return outcome;
}

/** The answer names only robots that did not simply stop; what each has shown, the live stream says. */
async function stopMany(ids: readonly number[], onResults: ManyProgress["onResults"]): Promise<ManyOutcome> {
  let results: readonly RobotResult[] = [];
  let failure: string | null = null;
  const stop = async (share: readonly number[]) => {
    const { sites, error } = await sendFleetStop({ robotObjectIds: [...share] }, ids);
    if (error !== undefined) {
      failure = failureOf(error);
      return;
    }
    const named = new Map(sites.flatMap((site) => site.results).map((result) => [result.robotObjectId, result]));
    results = [...results, ...share.map((id) => named.get(id) ?? stoppedResult(id))];
    onResults(results);
  };
  await Promise.all(sharesOf(ids, ROBOTS_PER_FLEET_STOP_MAX).map(stop));
  return { results, failure };
}

function stoppedResult(id: number): RobotResult {
  const robotId = liveStore.robot(id)?.serial_number;
  if (robotId === undefined) {
    const message = "This robot is not known any more.";
    return { robotId: String(id), robotObjectId: id, outcome: "FAILED", message, pending: false };
  }
  return { robotId, robotObjectId: id, outcome: "SUCCESS", message: `Robot ${robotId} has stopped.`, pending: false };
}

const SESSION_EXPIRED = "Your session has expired.";

function failureOf(error: unknown): string {
  if (error instanceof TokenExpiredError) return SESSION_EXPIRED;
  return reasonOf(error) ?? "The server gave no reason.";
}
