import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { type StartRefusal, startRefusal } from "@suncrew/domain/commands/start-refusal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Parts } from "../../platform/parts.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { auditCommand, directionOf, logCommand } from "./command-records.writes.ts";
import { findEarlier, type KeyedRequest, rememberRequest } from "./command-requests.writes.ts";
import {
  type Command,
  insertCommand,
  type LockedRobot,
  lockRobot,
  type NewCommand,
  readOpenCommands,
} from "./command-rows.writes.ts";
import { MISSING_OR_PROCESSING, refusalSentences, settled } from "./command-sentences.ts";
import { findTarget } from "./commands.queries.ts";
import { answerPending, settleOvertaken } from "./settle.writes.ts";

export type CommandBody = BodyOf<typeof sendCommand>;

/** What a press came to in its transaction; a refusal is on record and is thrown after the commit. */
export type Accepted =
  | { readonly kind: "stored"; readonly commandId: string; readonly robotAway: boolean }
  | { readonly kind: "repeated"; readonly commandId: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/** Decides about a START or STOP under the lock on the robot, and stores it (protocol rules 2, 3 and 5). */
export async function acceptCommand(
  tx: Tx,
  parts: Pick<Parts, "clock" | "settings">,
  viewer: Viewer,
  body: CommandBody,
  key: string | null,
): Promise<Accepted> {
  const target = await findTarget(viewer, tx, body);
  const robot = await lockRobot(tx, target.robotId);
  // It was moved or deleted while this call waited for the lock.
  if (robot === null || robot.deleted_at !== null || robot.site_id !== target.siteId) {
    throw new HttpError(404, MISSING_OR_PROCESSING);
  }
  const request: KeyedRequest | null = key === null ? null : { userId: viewer.userId, key, body: JSON.stringify(body) };
  const earlier = request && (await findEarlier(tx, request));
  if (earlier !== null) return { kind: "repeated", commandId: earlier };
  const now = parts.clock.now();
  const open = await readOpenCommands(tx, [robot.id]);
  const command = newCommand(viewer, body, robot, parts.settings.manualRunMaxMinutes * 60);
  const refusal = body.command === "START" ? refusalOf(robot, open, now) : null;
  if (refusal !== null) {
    await recordRefusal(tx, robot, body.command, command, refusal, now);
    if (request !== null) await rememberRequest(tx, request, refusal, now);
    return { kind: "refused", error: refusal };
  }
  if (body.command === "STOP") await overtakeStarts(tx, robot, open, now);
  const stored = await insertCommand(tx, robot, command, now);
  await auditCommand(tx, robot, stored, { outcome: "DONE", after: { ...stored.params, mode: stored.mode } }, now);
  const robotAway = !robot.state.online;
  if (body.command === "STOP" && robotAway) {
    await answerPending(tx, robot, stored, settled.stopAway(robot.serial_number), now);
  }
  if (request !== null) await rememberRequest(tx, request, stored.id, now);
  return { kind: "stored", commandId: stored.id, robotAway };
}

/** No START may be confirmed once a later STOP is accepted: its caller is answered, and the STOP's higher seq fences it. */
async function overtakeStarts(tx: Tx, robot: LockedRobot, open: readonly Command[], now: Date): Promise<void> {
  for (const start of open.filter((each) => each.verb === "START")) await settleOvertaken(tx, robot, start, now);
}

function refusalOf(robot: LockedRobot, open: readonly Command[], now: Date): HttpError | null {
  const refusal = startRefusal(
    {
      online: robot.state.online,
      motion: robot.state.motion,
      operatingMode: robot.operating_mode,
      deviceMode: robot.state.mode,
      liveStateAt: robot.state.live_at,
      clockSkewMs: robot.state.clock_skew_ms,
      hasOpenStart: open.some((command) => command.verb === "START"),
      hasUnsettledStop: open.some((command) => command.verb === "STOP"),
      hasUnsettledMaintenanceOn: open.some((command) => command.verb === "MAINTENANCE_ON"),
    },
    now,
  );
  return refusal && refusedStart(refusal, robot.serial_number);
}

function refusedStart(refusal: StartRefusal, serial: string): HttpError {
  return new HttpError(refusal === "away" || refusal === "stale" ? 504 : 409, refusalSentences[refusal](serial), {
    success: false,
  });
}

async function recordRefusal(
  tx: Tx,
  robot: LockedRobot,
  verb: "START" | "STOP",
  command: NewCommand,
  refusal: HttpError,
  now: Date,
): Promise<void> {
  const who = { user_id: command.userId, requested_by: command.requestedBy };
  const pressed = {
    ...who,
    id: null,
    verb,
    mode: command.mode,
    action_type: command.actionType,
    params: command.params,
  };
  await logCommand(tx, robot, pressed, { status: "REFUSED", details: refusal.message }, now);
  await auditCommand(tx, robot, { ...who, verb }, { outcome: "REFUSED", reason: refusal.message }, now);
}

/** A Super Admin's `params` hold for this run, missing ones come from the stored settings; a PARTNER's speeds are the stored ones. */
function newCommand(viewer: Viewer, body: CommandBody, robot: LockedRobot, maxDurationS: number): NewCommand {
  const speeds = may(viewer.role, "changeMotorSpeeds") ? body.params : {};
  return {
    verb: body.command,
    params: {
      status: body.command === "START" ? "start" : "stop",
      direction: body.params.direction ?? directionOf(robot),
      "main-speed": speeds["main-speed"] ?? robot.main_motor_speed,
      "brush-speed": speeds["brush-speed"] ?? robot.brush_motor_speed,
    },
    mode: body.mode,
    actionType: "MANUAL",
    userId: viewer.userId,
    requestedBy: viewer.name,
    ...(body.command === "START" && { maxDurationS }),
  };
}
