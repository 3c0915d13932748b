import {
  acknowledgeAttention,
  type AttentionItem,
  attentionList,
  undoAcknowledgement,
} from "@suncrew/contract/attention/attention.ts";
import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { type RobotResult, robotsSendCommand } from "@suncrew/contract/groups/groups.ts";
import { groupOutcomeOf, groupSuccessMessage, robotCountText } from "@suncrew/domain/groups/groups.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { isShortcut } from "../../platform/shortcuts.ts";
import { toast } from "../../platform/toast.tsx";
import { confirmedRobots, newPressHeaders, reasonOf } from "../commands/public.ts";
import { stopAtOnce } from "../groups/public.ts";
import { showConfirmedCommands } from "../robots/public.ts";
import { subjectOf } from "./attention-looks.ts";

const lists = [queryKeyOf(attentionList), queryKeyOf(alertList)];

/** True once it is stored. */
export async function acknowledge(item: AttentionItem, comment: string): Promise<boolean> {
  const { kind } = await change({
    send: () => call(acknowledgeAttention, { params: { itemId: item.key }, body: { comment } }),
    invalidates: lists,
    success: null,
    failure: { title: "Not Acknowledged", message: `${subjectOf(item)}: ${item.cause}` },
  });
  return kind === "done";
}

export async function undoAcknowledged(item: AttentionItem): Promise<void> {
  await change({
    send: () => call(undoAcknowledgement, { params: { itemId: item.key } }),
    invalidates: lists,
    success: null,
    failure: { title: "Not Undone", message: `${subjectOf(item)} stays acknowledged.` },
  });
}

const idsOf = ({ robots }: AttentionItem) => robots.map(({ robot_id: id }) => id);

/** Sends the Stop at once, ahead of everything else, and shows the outcome in a toast; never throws. */
export async function stopRobots(item: AttentionItem): Promise<void> {
  const { robots, robot_count: count, site_id: siteId } = item;
  // The item names a limited number of its robots.
  const outcome = await stopAtOnce(count > robots.length && siteId !== null ? { siteId } : { robotIds: idsOf(item) });
  if (outcome === null) return;
  const { results, failure } = outcome;
  const failed = { title: "Control Failed", message: `Failed to send STOP command to ${subjectOf(item)}` };
  if (failure !== null) return toast.failure({ ...failed, reason: failure });
  if (groupOutcomeOf(results) === "all") {
    return toast.success({ title: "Robot Control", message: groupSuccessMessage(results, "stopped") });
  }
  const pending = results.filter((result) => result.pending).length;
  const waiting = `The STOP is stored for ${robotCountText(pending)} until confirmed.`;
  const [first] = results.filter(({ outcome: each }) => each !== "SUCCESS");
  toast.failure({
    title: failed.title,
    message: groupSuccessMessage(results, "stopped"),
    reason: pending === 0 ? first?.message : waiting,
  });
}

/** S pressed within an item stops its robots, as its Stop does. */
export function stopByKey(event: KeyboardEvent, item: AttentionItem): void {
  if (!isShortcut(event, "stopRobot")) return;
  event.preventDefault();
  void stopRobots(item);
}

/** The result of each robot, or why the call itself failed. */
export type Retried = { readonly results: readonly RobotResult[] } | { readonly failure: string };

/** Starts these robots for the time that was planned; never throws. Null if the session has expired. */
export async function startAgain(robotObjectIds: number[], minutes: number): Promise<Retried | null> {
  const body = { command: "START", robotObjectIds, duration_minutes: minutes } as const;
  const headers = newPressHeaders();
  try {
    const { results } = await callSlots.run({
      kind: "start",
      robotIds: robotObjectIds,
      send: (signal) => call(robotsSendCommand, { body }, { headers: headers(), signal }),
    });
    showConfirmedCommands(confirmedRobots(results), "START");
    return { results };
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    return { failure: reasonOf(error) ?? "The server gave no reason." };
  }
}
