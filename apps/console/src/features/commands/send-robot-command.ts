import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { toast } from "../../platform/toast.tsx";
import {
  commandBodyOf,
  type CommandTarget,
  leavesRobotOffline,
  newPressHeaders,
  reasonOf,
  type StartOrStop,
} from "./robot-command.ts";

/**
 * The outcome of a press: done; refused, or sent but not yet recorded, which both keep the status;
 * or failed, which sets the robot offline.
 */
export type CommandOutcome =
  /** `position` says from where on the live stream shows it; null if the answer does not say. */
  { readonly kind: "done"; readonly position: string | null } | { readonly kind: "sent" | "refused" | "failed" };

/** Sends one START or STOP, shows the outcome in a toast (§8 Robot Control, Control Failed) and never throws. */
export async function sendRobotCommand(robot: CommandTarget, command: StartOrStop): Promise<CommandOutcome> {
  try {
    const { pending = false, message, live_position } = await sendWithoutQueueing(robot, command);
    toast.success({
      title: "Robot Control",
      message: `${command} command sent to Robot ${robot.serialNumber}`,
      reason: pending ? message : undefined,
    });
    return pending ? { kind: "sent" } : { kind: "done", position: live_position ?? null };
  } catch (error) {
    if (error instanceof TokenExpiredError) return { kind: "refused" };
    toast.failure({
      title: "Control Failed",
      message: `Failed to send ${command} command to Robot ${robot.serialNumber}`,
      reason: reasonOf(error),
    });
    return { kind: leavesRobotOffline(error) ? "failed" : "refused" };
  }
}

/** A Stop takes no slot and is sent at once. A Start takes one, or fails: it is never sent late. */
function sendWithoutQueueing(robot: CommandTarget, command: StartOrStop): Promise<ResponseOf<typeof sendCommand>> {
  const body = commandBodyOf(robot, command);
  const headers = newPressHeaders();
  const robotIds = [robot.id];
  if (command === "STOP") {
    callSlots.preemptForStop({ robotIds });
    return call(sendCommand, { body }, { headers: headers() });
  }
  return callSlots.run({
    kind: "start",
    robotIds,
    siteId: robot.siteId,
    send: (signal) => call(sendCommand, { body }, { headers: headers(), signal }),
  });
}
