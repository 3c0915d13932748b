import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { toast } from "../../platform/toast.tsx";
import { commandBodyOf, leavesRobotOffline, reasonOf } from "./command-call.ts";
import type { CommandTarget, StartOrStop } from "./command-call.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";

/** What became of a press: done, refused with the status kept, or failed, which sets the robot offline. */
export type CommandOutcome = "done" | "refused" | "failed";

/** Sends one START or STOP, says in a toast what became of it (§8 Robot Control, Control Failed) and never throws. */
export async function sendRobotCommand(robot: CommandTarget, command: StartOrStop): Promise<CommandOutcome> {
  try {
    await sendNowOrNever(robot, command);
    toast.success({
      title: "Robot Control",
      message: `${command} command sent to Robot ${robot.serialNumber}`,
    });
    return "done";
  } catch (error) {
    if (error instanceof TokenExpiredError) return "refused";
    toast.failure({
      title: "Control Failed",
      message: `Failed to send ${command} command to Robot ${robot.serialNumber}`,
      reason: reasonOf(error),
    });
    return leavesRobotOffline(error) ? "failed" : "refused";
  }
}

/** A Stop takes no slot and is sent at once. A Start takes one, or fails: it is never sent late. */
async function sendNowOrNever(robot: CommandTarget, command: StartOrStop): Promise<void> {
  const body = commandBodyOf(robot, command);
  const headers = { "Idempotency-Key": newIdempotencyKey() };
  const { serialNumber } = robot;
  if (command === "STOP") {
    callSlots.giveWayToStop(serialNumber);
    await call(sendCommand, { body }, { headers });
    return;
  }
  await callSlots.run({
    kind: "start",
    serialNumber,
    send: (signal) => call(sendCommand, { body }, { headers, signal }),
  });
}
