import { isDeepStrictEqual } from "node:util";
import type { updateGroup } from "@suncrew/contract/groups/groups.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import { editConflict, conflict, type HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { requireSite } from "../sites/public.ts";
import { findGroup, strayRobotAt } from "./groups.queries.ts";
import {
  changeGroup,
  type GroupContent,
  insertGroup,
  isNameTaken,
  lockGroup,
  membersOf,
  readTaken,
} from "./groups.repository.ts";

/** `version` is of an edit alone. */
export type GroupBody = BodyOf<typeof updateGroup>;

/** What saving came to in its transaction; a refusal is on record and is thrown after the commit. */
export type SavedGroup =
  | { readonly kind: "saved"; readonly groupId: number }
  | { readonly kind: "refused"; readonly error: HttpError };

/** §5 Robot group: creates a group, or changes the one of that id. Throws 404. */
export async function saveGroup(
  tx: Tx,
  viewer: Viewer,
  groupId: number | null,
  body: GroupBody,
  now: Date,
): Promise<SavedGroup> {
  const { site_id: siteId, robot_ids } = body;
  const found = groupId === null ? null : await findGroup(viewer, tx, groupId);
  await requireSite(viewer, tx, siteId);
  const stray = await strayRobotAt(viewer, tx, found?.site_id ?? siteId, robot_ids);
  const former = groupId === null ? [] : await membersOf(tx, groupId);
  const after: GroupContent = { group_name: body.group_name, robot_ids: robot_ids.toSorted((a, b) => a - b) };
  const unfit = stray ?? (found !== null && found.site_id !== siteId ? siteChanged() : null);
  if (unfit !== null) {
    const before = found && { group_name: found.group_name, robot_ids: former.toSorted((a, b) => a - b) };
    const of = { siteId: found?.site_id ?? siteId, groupId };
    await audit({ tx, viewer, ...of, before, after, refused: unfit.message, now });
    return { kind: "refused", error: unfit };
  }
  const concerned = [...new Set([...former, ...robot_ids])];
  const robots = await lockRobots(tx, concerned);
  // Deleted or moved while this call waited for the locks.
  if (robot_ids.some((id) => robots.get(id)?.deleted_at !== null || robots.get(id)?.site_id !== siteId)) {
    throw notFound("Robot");
  }
  const locked = groupId === null ? null : await lockGroup(tx, groupId);
  if (groupId !== null && locked === null) throw notFound("Group");
  const before = locked?.content ?? null;
  if (before?.robot_ids.some((id) => !robots.has(id))) throw new ConcurrentChangeError();
  const change = { tx, viewer, siteId, before, after, now };
  const isStale = locked !== null && body.version !== undefined && body.version !== locked.version;
  const error = isStale ? editConflict("group") : await refusalOf(tx, siteId, groupId, after);
  if (error !== null) {
    await audit({ ...change, groupId, refused: error.message });
    return { kind: "refused", error };
  }
  const id = groupId ?? (await insertGroup(tx, siteId, after, now));
  // One that changes nothing counts as no edit, so that it is no conflict for anybody else.
  const isSame = before !== null && isDeepStrictEqual(before, after);
  if (groupId !== null && !isSame) await changeGroup(tx, groupId, siteId, after, now);
  await audit({ ...change, groupId: id, refused: null });
  await showChange(tx, concerned);
  return { kind: "saved", groupId: id };
}

function siteChanged(): HttpError {
  return invalid("site_id", "The site of a group cannot be changed.");
}

async function refusalOf(
  tx: Tx,
  siteId: number,
  groupId: number | null,
  content: GroupContent,
): Promise<HttpError | null> {
  if (await isNameTaken(tx, siteId, content.group_name, groupId)) {
    return conflict("Group name already exists for this site");
  }
  const taken = await readTaken(tx, content.robot_ids, groupId);
  if (taken.length === 0) return null;
  const words = taken.map((robot) => `Robot ${robot.serial_number} is already in the group "${robot.group_name}".`);
  return conflict(words.join(" "));
}

interface Change {
  readonly tx: Tx;
  readonly viewer: Viewer;
  readonly siteId: number;
  readonly groupId: number | null;
  readonly before: GroupContent | null;
  readonly after: GroupContent;
  readonly refused: string | null;
  readonly now: Date;
}

async function audit({ tx, viewer, siteId, groupId, before, after, refused, now }: Change): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: before === null ? "CREATE_GROUP" : "UPDATE_GROUP",
    entity: "group",
    entityId: groupId,
    siteId,
    outcome: refused === null ? "DONE" : "REFUSED",
    reason: refused,
    before: before && { ...before },
    after: { ...after },
    at: now,
  });
}
