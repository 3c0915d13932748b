import type { sendCommand } from "@suncrew/contract/commands/commands.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Tx } from "../../platform/database/database.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { acceptOrder, type Order } from "./accept-order.ts";
import { findEarlier, type KeyedRequest, rememberRequest } from "./command-requests.repository.ts";
import { lockRobot, readOpenCommands } from "./command-rows.repository.ts";
import { MISSING_OR_PROCESSING } from "./command-sentences.ts";
import { findTarget } from "./commands.queries.ts";
import type { Press } from "./press.ts";
import type { FirstSeen } from "./start-guard.ts";
import type { StopPress } from "./stop-press.ts";

export type CommandBody = BodyOf<typeof sendCommand>;

/** What a press came to in its transaction; a refusal is on record and is thrown after the commit. */
export type Accepted =
  | { readonly kind: "stored"; readonly commandId: string; readonly robotAway: boolean }
  | { readonly kind: "repeated"; readonly commandId: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/** How a call came: its Idempotency-Key, the press that it told of, and what it found as it began. */
export interface CameBy {
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
  { key, press, seen, stop = null }: CameBy,
): Promise<Accepted> {
  const target = await findTarget(viewer, tx, body);
  seen.note(target.robotId, target.lastSeq);
  const robot = await lockRobot(tx, target.robotId);
  // It was moved or deleted, or became another machine, while this call waited for the lock.
  const isGone = robot === null || robot.deleted_at !== null || robot.site_id !== target.siteId;
  if (isGone || robot.serial_number !== body.robotId) throw new HttpError(404, MISSING_OR_PROCESSING);
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
  const accepted = await acceptOrder(tx, robot, open, order, now);
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
