import type { Group, ManyRobotsResponse } from "@suncrew/contract/groups/groups.ts";
import { groupMaintenance, robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import type { ResponseOf, SentBodyOf } from "@suncrew/contract/http/route.ts";
import { groupOutcomeOf } from "@suncrew/domain/groups/groups.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { messageOf } from "../../platform/api/errors.ts";
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

/** Locks or releases every robot of a group; null if the call itself failed. */
export async function changeGroupMaintenance(group: Group, body: MaintenanceBody): Promise<ManyRobotsResponse | null> {
  const params = { groupId: group.id };
  const robotIds = group.robots.map(({ id }) => id);
  const press = newPress();
  if (body.enabled) callSlots.preemptForStop({ robotIds });
  const outcome = await change({
    send: () =>
      body.enabled
        ? call(groupMaintenance, { params, body }, { headers: press() })
        : callSlots.run({
            kind: body.start_after === true ? "start" : "set",
            robotIds,
            siteId: group.site_id,
            send: (signal) => call(groupMaintenance, { params, body }, { headers: press(), signal }),
          }),
    onDone: ({ results, message }) => {
      const result = groupOutcomeOf(results);
      const content = { title: groupOutcomeTitle[result], message };
      if (result === "all") toast.success(content);
      else toast.failure(content);
    },
    success: null,
    failure: {
      title: groupOutcomeTitle.none,
      message: body.enabled
        ? "Failed to put the group in maintenance."
        : "Failed to release the group from maintenance.",
    },
    reasonOf: messageOf,
  });
  return outcome.kind === "done" ? outcome.answer : null;
}
