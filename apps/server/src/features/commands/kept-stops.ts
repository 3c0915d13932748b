import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { SuccessAnswer } from "./command-answers.ts";
import { keptUnrecorded, RESULT_UNKNOWN, SENT_UNRECORDED, settled } from "./command-sentences.ts";
import type { StopPress } from "./stop-press.ts";

type Result = Pick<RobotResult, "outcome" | "message" | "pending">;

/** What came of one robot whose Stop the journal has and the database does not. */
export function keptResult(press: StopPress, robotId: number, serial: string): Result {
  if (press.wasSent(robotId)) return { outcome: "SUCCESS", message: SENT_UNRECORDED, pending: true };
  return { outcome: "FAILED", message: keptUnrecorded(serial), pending: true };
}

/** What came of all robots of a press, where the database does not say. */
export function keptResults(press: StopPress): RobotResult[] {
  return press.robots.map(({ id, serial }) => {
    const result: Result = press.isKeptOnly(id)
      ? keptResult(press, id, serial)
      : { outcome: "FAILED", message: RESULT_UNKNOWN, pending: press.isStored(id) };
    return { robotId: serial, robotObjectId: id, ...result };
  });
}

/** The answer about one robot: it was told, but nobody has seen yet that it stands. Throws what is not a success. */
export function answerToKept(press: StopPress, serial: string): SuccessAnswer {
  const [robot] = press.robots;
  const pressed = robot && press.of(robot.id);
  if (robot === undefined || pressed === undefined || !press.isKeptOnly(robot.id)) {
    throw new HttpError(504, settled.notKnownYet(serial), { success: false, pending: true });
  }
  const { outcome, message } = keptResult(press, robot.id, serial);
  if (outcome === "FAILED") throw new HttpError(503, message, { success: false, pending: true });
  return { success: true, message, command_id: pressed.id, pending: true };
}
