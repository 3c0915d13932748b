import {
  type Group,
  GROUP_ROBOTS_MAX,
  type ManyRobotsResponse,
  type RobotResult,
} from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance, robotMaintenance, robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import type { ResponseOf, SentBodyOf } from "@suncrew/contract/http/route.ts";
import { sharesOf } from "@suncrew/domain/commands/shares.ts";
import { groupOutcomeOf, groupSuccessMessage } from "@suncrew/domain/groups/groups.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { messageOf } from "../../platform/api/errors.ts";
import { liveStore } from "../../platform/live/live.ts";
import { toast } from "../../platform/toast.tsx";
import { groupOutcomeTitle, newPress } from "../commands/public.ts";
import type { MaintainedRobot } from "./maintained-robot.ts";

type MaintenanceBody = SentBodyOf<typeof robotMaintenance>;

/** The result of a release; `start` is null if none was requested. */
export type ReleaseAnswer = Pick<ResponseOf<typeof robotMaintenance>, "message" | "start">;

/** Locks a robot; true once the lock is stored. */
export async function lockRobot({ id, serialNumber }: MaintainedRobot, reason: string): Promise<boolean> {
  // Like a Stop it takes no slot: it is sent at once.
  callSlots.preemptForStop({ robotIds: [id] });
  const press = newPress();
  const outcome = await change({
    send: () =>
      call(robotMaintenance, { params: { robotId: id }, body: { enabled: true, reason } }, { headers: press() }),
    success: ({ confirmed, message }) => ({
      title: "Robot Control",
      message: `Robot ${serialNumber} switched to maintenance mode`,
      reason: confirmed ? undefined : message,
    }),
    failure: { title: "Control Failed", message: `Failed to send MAINTENANCE command to Robot ${serialNumber}` },
    reasonOf: messageOf,
  });
  return outcome.kind === "done";
}

/** Releases a robot, and starts it if requested; null if it stays locked. */
export async function releaseRobot(robot: MaintainedRobot, startAfter: boolean): Promise<ReleaseAnswer | null> {
  const { id, siteId, serialNumber } = robot;
  const body: MaintenanceBody = { enabled: false, start_after: startAfter };
  const press = newPress();
  const outcome = await change({
    send: () =>
      callSlots.run({
        kind: startAfter ? "start" : "set",
        robotIds: [id],
        siteId,
        send: (signal) => call(robotMaintenance, { params: { robotId: id }, body }, { headers: press(), signal }),
      }),
    onDone: (answer) => showRelease(serialNumber, answer),
    success: null,
    failure: { title: "Control Failed", message: `Failed to send EXIT MAINTENANCE command to Robot ${serialNumber}` },
    reasonOf: messageOf,
  });
  return outcome.kind === "done" ? outcome.answer : null;
}

function showRelease(serialNumber: string, { start }: ReleaseAnswer): void {
  if (start?.success === false) {
    toast.failure({
      title: "Control Failed",
      message: `Failed to send START command to Robot ${serialNumber}`,
      reason: start.message,
    });
    return;
  }
  toast.success({
    title: "Robot Control",
    message: `Robot ${serialNumber} left maintenance mode`,
    reason: start === null ? undefined : `START command sent to Robot ${serialNumber}`,
  });
}

interface ManyRobots {
  readonly robotIds: readonly number[];
  /** Their site, if they have one in common. */
  readonly siteId?: number;
  readonly send: (options: { headers: Record<string, string>; signal?: AbortSignal }) => Promise<ManyRobotsResponse>;
  readonly failure: string;
}

/** Locks or releases many robots by one call; null if the call itself failed. */
async function changeMany(
  body: MaintenanceBody,
  { robotIds, siteId, send, failure }: ManyRobots,
): Promise<ManyRobotsResponse | null> {
  const press = newPress();
  if (body.enabled) callSlots.preemptForStop({ robotIds });
  const outcome = await change({
    send: () =>
      body.enabled
        ? send({ headers: press() })
        : callSlots.run({
            kind: body.start_after === true ? "start" : "set",
            robotIds,
            ...(siteId !== undefined && { siteId }),
            send: (signal) => send({ headers: press(), signal }),
          }),
    success: null,
    failure: { title: groupOutcomeTitle.none, message: failure },
    reasonOf: messageOf,
  });
  return outcome.kind === "done" ? outcome.answer : null;
}

function showMany(answer: ManyRobotsResponse | null): ManyRobotsResponse | null {
  if (answer === null) return null;
  const result = groupOutcomeOf(answer.results);
  const content = { title: groupOutcomeTitle[result], message: answer.message };
  if (result === "all") toast.success(content);
  else toast.failure(content);
  return answer;
}

/** Locks or releases every robot of a group; null if the call itself failed. */
export async function changeGroupMaintenance(group: Group, body: MaintenanceBody): Promise<ManyRobotsResponse | null> {
  return showMany(
    await changeMany(body, {
      robotIds: group.robots.map(({ id }) => id),
      siteId: group.site_id,
      send: (options) => call(groupMaintenance, { params: { groupId: group.id }, body }, options),
      failure: body.enabled
        ? "Failed to put the group in maintenance."
        : "Failed to release the group from maintenance.",
    }),
  );
}

/** The same for robots of any sites, in shares that one call takes; null if not even the first call succeeded. */
export async function changeRobotsMaintenance(
  robotIds: readonly number[],
  body: MaintenanceBody,
): Promise<ManyRobotsResponse | null> {
  const shares = sharesOf(robotIds, GROUP_ROBOTS_MAX);
  const send = (share: readonly number[]) =>
    changeMany(body, {
      robotIds: share,
      send: (options) => call(robotsMaintenance, { body: { ...body, robotObjectIds: [...share] } }, options),
      failure: body.enabled
        ? "Failed to put the robots in maintenance."
        : "Failed to release the robots from maintenance.",
    });
  // Locks wait for nothing, not even for each other. A failed call has its message.
  const answers = await Promise.all(shares.map(send));
  if (answers.every((answer) => answer === null)) return null;
  const results = answers.flatMap((answer, nth) => answer?.results ?? (shares[nth] ?? []).map(notSent));
  const message = groupSuccessMessage(results, body.enabled ? "locked for maintenance" : "released");
  return showMany({ success: groupOutcomeOf(results) === "all", message, results });
}

function notSent(robotObjectId: number): RobotResult {
  const robotId = liveStore.robot(robotObjectId)?.serial_number ?? String(robotObjectId);
  return { robotId, robotObjectId, outcome: "FAILED", message: "The server could not be reached.", pending: false };
}
