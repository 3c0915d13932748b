import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { settingsRefusal } from "@suncrew/domain/commands/command-refusals.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { forbidden, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { acceptOrder, candidateOf, type FirstSeen, type Order } from "./accept-orders.ts";
import { MISSING_OR_PROCESSING, refusalMessages, refusedBy } from "./command-answers.ts";
import { auditCommand } from "./command-records.repository.ts";
import { findRobotOf, findTarget } from "./commands.queries.ts";
import {
  findEarlier,
  insertCommand,
  type KeyedRequest,
  type LockedRobot,
  lockRobot,
  type Press,
  readOpenCommands,
  rememberRequest,
} from "./commands.repository.ts";
import type { StopPress } from "./direct-stops.ts";

export type CommandBody = BodyOf<typeof sendCommand>;

/** What a press came to in its transaction; a refusal is on record and is thrown after the commit. */
type Accepted =
  | { readonly kind: "stored"; readonly commandId: string; readonly robotAway: boolean }
  | { readonly kind: "repeated"; readonly commandId: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/** How a call came: its Idempotency-Key, the press that it told of, and what it found as it began. */
export interface RequestContext {
  readonly key: string | null;
  readonly press: Press | null;
  readonly seen: FirstSeen;
  /** For a STOP, which may have gone out before it is decided about. */
  readonly stop?: StopPress | null;
}

/** Decides about a person's START or STOP of one robot under the lock on the robot, and stores it. */
export async function acceptCommand(
  tx: Tx,
  deps: Pick<Dependencies, "clock" | "clocks" | "settings">,
  viewer: Viewer,
  body: CommandBody,
  { key, press, seen, stop = null }: RequestContext,
): Promise<Accepted> {
  const target = await findTarget(viewer, tx, body);
  seen.note(target.robotId, target.lastSeq);
  const robot = await lockRobot(tx, target.robotId);
  // It was moved or deleted, or became another machine, while this call waited for the lock.
  const isGone = robot === null || robot.deleted_at !== null || robot.site_id !== target.siteId;
  if (isGone || robot.serial_number !== body.robotId)
    throw new HttpError(404, "ROBOT_MISSING_OR_BUSY", MISSING_OR_PROCESSING);
  const request: KeyedRequest | null = key === null ? null : { userId: viewer.userId, key, body: JSON.stringify(body) };
  const earlier = request && (await findEarlier(tx, request));
  if (earlier !== null) return { kind: "repeated", commandId: earlier };
  const decidedAt = deps.clock.now();
  const now = stop?.recordedAt(decidedAt) ?? decidedAt;
  const open = await readOpenCommands(tx, [robot.id]);
  const order = {
    ...orderOf(viewer, body, deps.settings, press),
    pressed: stop?.of(robot.id),
    unless: { afterSeq: seen.seqOf(robot.id), withoutTime: isClockWrong(deps) },
  };
  const accepted = await acceptOrder(tx, { robot, open }, order, now);
  if (accepted.kind === "refused") {
    if (request !== null) await rememberRequest(tx, request, accepted.error, now);
    return accepted;
  }
  if (request !== null) await rememberRequest(tx, request, accepted.command.id, now);
  return { kind: "stored", commandId: accepted.command.id, robotAway: accepted.robotAway };
}

/** A Super Admin's `params` hold for this run, missing ones come from the stored settings; a PARTNER's speeds are the stored ones. */
export function orderOf(viewer: Viewer, body: CommandBody, settings: Dependencies["settings"], press: Press | null) {
  const { direction, "main-speed": main, "brush-speed": brush } = body.params;
  const maySetSpeeds = may(viewer.role, "changeMotorSpeeds");
  return {
    verb: body.command,
    by: { userId: viewer.userId, name: viewer.name, actionType: "MANUAL", press },
    mode: body.mode,
    params: {
      ...(direction !== undefined && { direction }),
      ...(maySetSpeeds && main !== undefined && { "main-speed": main }),
      ...(maySetSpeeds && brush !== undefined && { "brush-speed": brush }),
    },
    maxDurationS: settings.manualRunMaxMinutes * 60,
  } as const satisfies Order;
}

/** The settings to change; those left out stay. Speeds in percent. */
export interface SettingsChange {
  readonly cleaning_direction?: "FORWARD" | "REVERSE" | undefined;
  readonly main_motor_speed?: number | undefined;
  readonly brush_motor_speed?: number | undefined;
}

type AcceptedSettings =
  | { readonly kind: "stored"; readonly commandId: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/** Decides about a change of settings under the lock on the robot, and stores it as a SET; the robot's row changes once it is confirmed. */
export async function acceptSettings(
  tx: Tx,
  deps: Pick<Dependencies, "clock">,
  viewer: Viewer,
  robotId: number,
  change: SettingsChange,
): Promise<AcceptedSettings> {
  const target = await findRobotOf(viewer, tx, robotId);
  const robot = await lockRobot(tx, target.robotId);
  if (robot === null || robot.deleted_at !== null || robot.site_id !== target.siteId) throw notFound("Robot");
  const now = deps.clock.now();
  const refusal = await settingsRefusalOf(tx, viewer, robot, change, now);
  const who = { verb: "SET", user_id: viewer.userId, requested_by: viewer.name } as const;
  if (refusal !== null) {
    await auditCommand(tx, robot, who, { outcome: "REFUSED", reason: refusal.message, after: { ...change } }, now);
    return { kind: "refused", error: refusal };
  }
  const { cleaning_direction: direction, main_motor_speed: main, brush_motor_speed: brush } = change;
  const stored = await insertCommand(
    tx,
    robot,
    {
      verb: "SET",
      params: {
        ...(direction !== undefined && { direction: direction === "FORWARD" ? ("FWD" as const) : ("REV" as const) }),
        ...(main !== undefined && { "main-speed": main }),
        ...(brush !== undefined && { "brush-speed": brush }),
      },
      mode: "AUTO",
      actionType: "MANUAL",
      userId: viewer.userId,
      requestedBy: viewer.name,
    },
    now,
  );
  return { kind: "stored", commandId: stored.id };
}

async function settingsRefusalOf(
  tx: Tx,
  viewer: Viewer,
  robot: LockedRobot,
  change: SettingsChange,
  now: Date,
): Promise<HttpError | null> {
  const { main_motor_speed: main, brush_motor_speed: brush } = change;
  const speedsDiffer =
    (main ?? robot.main_motor_speed) !== robot.main_motor_speed ||
    (brush ?? robot.brush_motor_speed) !== robot.brush_motor_speed;
  if (speedsDiffer && !may(viewer.role, "changeMotorSpeeds"))
    return forbidden("Only Super Admins can change motor speeds.", "SPEED_CHANGE_FORBIDDEN");
  const open = await readOpenCommands(tx, [robot.id]);
  const refusal = settingsRefusal(candidateOf({ robot, open }), now);
  return refusal && refusedBy(refusal, refusalMessages[refusal](robot.serial_number));
}
