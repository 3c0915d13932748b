import type {
  groupSendCommand,
  robotsSendCommand,
  ManyRobotsResponse,
  RobotResult,
  siteStop,
  updateGroup,
} from "@suncrew/contract/groups/groups.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { groupOutcomeOf, groupSuccessMessage } from "@suncrew/domain/groups/groups.ts";
import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../platform/change-signal.ts";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, type AuditRecord, recordChange } from "../audit/public.ts";
import {
  type Commands,
  type KnownFleet,
  lockRobots,
  type Press,
  requestForMany,
  showChange,
} from "../commands/public.ts";
import { openRunsOf } from "../runs/public.ts";
import { requireSite } from "../sites/public.ts";
import {
  findGroup,
  findRobots,
  readMembers,
  readRobotsAmong,
  readSiteRobots,
  findRobotAtOtherSite,
} from "./groups.queries.ts";
import {
  changeGroup,
  type GroupContent,
  insertGroup,
  isNameTaken,
  lockGroup,
  lockScheduleOf,
  membersOf,
  readRobotsInOtherGroups,
  removeGroup,
} from "./groups.repository.ts";

/** Only an edit has a `version`. */
export type GroupBody = BodyOf<typeof updateGroup>;

/** §5 Robot group: creates a group, or changes the one with that id; returns its id. Throws 400, 404 and 409. */
export async function saveGroup(
  db: Executor,
  viewer: Viewer,
  groupId: number | null,
  body: GroupBody,
  at: Date,
): Promise<number> {
  const { site_id: siteId, robot_ids } = body;
  const after: GroupContent = { group_name: body.group_name, robot_ids: robot_ids.toSorted((a, b) => a - b) };
  const action = groupId === null ? "CREATE_GROUP" : "UPDATE_GROUP";
  const change = { actor: viewer, action, entity: "group", entityId: groupId, siteId, after, at };
  return auditedChange(db, change, async (tx, details) => {
    const found = groupId === null ? null : await findGroup(viewer, tx, groupId);
    await requireSite(viewer, tx, siteId);
    const stray = await findRobotAtOtherSite(viewer, tx, found?.site_id ?? siteId, robot_ids);
    const former = groupId === null ? [] : await membersOf(tx, groupId);
    if (found !== null) {
      details.siteId = found.site_id;
      details.before = { group_name: found.group_name, robot_ids: former.toSorted((a, b) => a - b) };
    }
    if (stray !== null) throw stray;
    if (found !== null && found.site_id !== siteId) {
      throw invalid("site_id", "The site of a group cannot be changed.", "GROUP_SITE_FIXED");
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
    details.before = before;
    if (locked !== null && body.version !== undefined && body.version !== locked.version) throw editConflict("group");
    const refusal = await refusalOf(tx, siteId, groupId, after);
    if (refusal !== null) throw refusal;
    const id = groupId ?? (await insertGroup(tx, siteId, after, at));
    details.entityId = id;
    // Not counted as an edit, so it conflicts with no other.
    const isSame = before !== null && isDeepStrictEqual(before, after);
    if (groupId !== null && !isSame) await changeGroup(tx, groupId, siteId, after, at);
    await showChange(tx, concerned);
    return id;
  });
}

async function refusalOf(
  tx: Tx,
  siteId: number,
  groupId: number | null,
  content: GroupContent,
): Promise<HttpError | null> {
  if (await isNameTaken(tx, siteId, content.group_name, groupId)) {
    return conflict("GROUP_NAME_TAKEN", "Group name already exists for this site");
  }
  const taken = await readRobotsInOtherGroups(tx, content.robot_ids, groupId);
  if (taken.length === 0) return null;
  const wording = taken.map((robot) => `Robot ${robot.serial_number} is already in the group "${robot.group_name}".`);
  return conflict("ROBOT_IN_OTHER_GROUP", wording.join(" "));
}

/**
 * Deletes a group with its schedule and frees its robots. Those that are cleaning continue: their end belongs to their
 * run, so a planned run still ends in time. Throws 404.
 */
export async function deleteGroupOf(db: Executor, viewer: Viewer, groupId: number, at: Date): Promise<void> {
  const change = { actor: viewer, action: "DELETE_GROUP", entity: "group", entityId: groupId, at };
  await auditedChange(db, change, async (tx, details) => {
    const { site_id: siteId } = await findGroup(viewer, tx, groupId);
    const schedule = await lockScheduleOf(tx, groupId);
    const members = await membersOf(tx, groupId);
    const robots = await lockRobots(tx, members);
    const locked = await lockGroup(tx, groupId);
    if (locked === null) throw notFound("Group");
    const { content: group } = locked;
    if (group.robot_ids.some((id) => !robots.has(id))) throw new ConcurrentChangeError();
    const running = await openRunsOf(tx, group.robot_ids);
    const cleaning = group.robot_ids.filter((id) => running.has(id));
    details.siteId = siteId;
    details.before = { ...group, schedule, cleaning_robot_ids: cleaning };
    if (cleaning.length > 0)
      details.reason = "Its robots that are cleaning continue until their planned end or a Stop.";
    await removeGroup(tx, groupId, at);
    await showChange(tx, members);
    // Even if it had no robot left.
    await announceChange(tx);
  });
}

type GroupCommandBody = BodyOf<typeof groupSendCommand>;

const groupWording: Record<GroupCommandBody["command"], ActionWording> = {
  START: { done: "started", nobody: "The group has no robot to start.", kept: "Stop" },
  STOP: { done: "stopped", nobody: "The group has no robot to stop.", kept: "Stop", maySkipDatabase: true },
};
export const siteWording: ActionWording = { ...groupWording.STOP, nobody: "There is no robot at this site." };

/** The wording for robots that were named, which may all have been deleted meanwhile. */
const namedWording = {
  START: { ...groupWording.START, nobody: "None of these robots exists any more." },
  STOP: { ...groupWording.STOP, nobody: "None of these robots exists any more." },
} satisfies Record<string, ActionWording>;

/** The headers of a call by which a person gives an order. */
export interface PersonsCall {
  /** The Idempotency-Key. */
  readonly key: string | null;
  readonly press: Press | null;
}

/**
 * Starts or stops every member of a group together, or those named. Throws 404 if anything is outside the viewer's
 * scope and 400 if it does not match; the answer has each robot's outcome.
 */
export async function commandGroup(
  deps: Dependencies,
  commands: Commands,
  viewer: Viewer,
  body: GroupCommandBody,
  { key, press }: PersonsCall,
): Promise<ManyRobotsResponse> {
  const { command: verb, mode } = body;
  const by = { userId: viewer.userId, name: viewer.name, actionType: "GROUP", press } as const;
  const refused = { action: `${verb}_GROUP`, entity: "group", entityId: body.groupId } as const;
  try {
    const { siteId, groupId, robotObjectIds } = body;
    const choose = (tx: Executor) => chooseMembers(viewer, tx, body);
    const known = (fleet: KnownFleet) => fleet.inGroup(viewer, siteId, groupId, robotObjectIds);
    const request = requestForMany(viewer, body, key);
    const results =
      verb === "STOP"
        ? await commands.stopMany(choose, known, { mode, by, request })
        : await commands.sendMany(choose, { verb, mode, by, request });
    const wording = groupWording[verb];
    if (results.length === 0) await auditNoRobots(deps, viewer, { ...refused, siteId }, wording.nobody);
    return manyRobotsAnswer(results, wording);
  } catch (error) {
    if (error instanceof GroupMismatch)
      await auditNoRobots(deps, viewer, { ...refused, siteId: error.siteId }, error.message);
    throw error;
  }
}

/**
 * Starts or stops robots at any sites of the viewer together; the answer has each robot's outcome. Throws 404 if one is
 * outside the viewer's scope; a Stop only if all are: one that was deleted in the meantime keeps no other from stopping.
 */
export async function commandRobots(
  commands: Commands,
  viewer: Viewer,
  body: BodyOf<typeof robotsSendCommand>,
  { key, press }: PersonsCall,
): Promise<ManyRobotsResponse> {
  const { command: verb, mode, robotObjectIds, duration_minutes: durationMinutes } = body;
  const order = {
    mode,
    by: { userId: viewer.userId, name: viewer.name, actionType: "MANUAL", press },
    request: requestForMany(viewer, body, key),
  } as const;
  const choose = async (tx: Executor) => {
    const robots = await (verb === "STOP" ? readRobotsAmong : findRobots)(viewer, tx, robotObjectIds);
    if (robots.length === 0) throw notFound("Robot");
    const inScope = new Set(robots.map(({ id }) => id));
    const siteId = [...new Set(robots.map(({ site_id }) => site_id))];
    return { siteId, robotIds: robotObjectIds.filter((id) => inScope.has(id)) };
  };
  const wanted = new Set(robotObjectIds);
  const known = () => commands.knownRobots(viewer).filter(({ id }) => wanted.has(id));
  const results =
    verb === "STOP"
      ? await commands.stopMany(choose, known, order)
      : await commands.sendMany(choose, { ...order, verb, durationMinutes });
  return manyRobotsAnswer(results, namedWording[verb]);
}

/** Stop everything: every robot of a site, whatever it does; for offline robots the Stop is stored. Throws 404. */
export async function stopSite(
  deps: Dependencies,
  commands: Commands,
  viewer: Viewer,
  body: BodyOf<typeof siteStop>,
  { key, press }: PersonsCall,
): Promise<ManyRobotsResponse> {
  const { siteId } = body;
  const by = { userId: viewer.userId, name: viewer.name, actionType: "MANUAL", press } as const;
  const choose = async (tx: Executor) => ({ siteId, robotIds: await readSiteRobots(viewer, tx, siteId) });
  const known = (fleet: KnownFleet) => fleet.atSite(viewer, siteId);
  const results = await commands.stopMany(choose, known, {
    mode: "AUTO",
    by,
    request: requestForMany(viewer, body, key),
  });
  const about = { action: "STOP_SITE", entity: "site", entityId: siteId, siteId };
  if (results.length === 0) await auditNoRobots(deps, viewer, about, siteWording.nobody);
  return manyRobotsAnswer(results, siteWording);
}

/** Named robots or a site that do not match the group: 400, recorded for the group's site. */
class GroupMismatch extends HttpError {
  readonly siteId: number;

  constructor({ site_id }: { readonly site_id: number }, { status, code, message, extra }: HttpError) {
    super(status, code, message, extra);
    this.siteId = site_id;
  }
}

async function chooseMembers(
  viewer: Viewer,
  db: Executor,
  { siteId, groupId, robotObjectIds }: GroupCommandBody,
): Promise<{ siteId: number; robotIds: number[] }> {
  const group = await findGroup(viewer, db, groupId);
  await requireSite(viewer, db, siteId);
  if (robotObjectIds) await findRobots(viewer, db, robotObjectIds);
  if (group.site_id !== siteId)
    throw new GroupMismatch(group, invalid("siteId", "siteId must be the site of the group", "SITE_MISMATCH"));
  const members = await readMembers(viewer, db, groupId);
  if (!robotObjectIds) return { siteId, robotIds: members };
  const wanted = new Set(robotObjectIds);
  const robotIds = members.filter((id) => wanted.has(id));
  const stray = invalid("robotObjectIds", "robotObjectIds must name robots of the group", "NOT_OF_GROUP");
  if (robotIds.length < wanted.size) throw new GroupMismatch(group, stray);
  return { siteId, robotIds };
}

/** What was done to robots, as worded in the answer. */
export interface ActionWording {
  /** Such as "started". */
  readonly done: string;
  /** If there is no robot at all. */
  readonly nobody: string;
  /** What is stored for those that are pending, such as "Stop". */
  readonly kept: string;
  /**
   * Robots that are pending although it succeeded were sent the Stop without the database, and have not been seen to
   * obey.
   */
  readonly maySkipDatabase?: true;
}

/** §4 Group action outcome, in plain words: a skipped robot counts as not succeeded. */
export function manyRobotsAnswer(results: readonly RobotResult[], wording: ActionWording): ManyRobotsResponse {
  const success = groupOutcomeOf(results) === "all";
  if (results.length === 0) return { success, message: wording.nobody, results: [] };
  const count = (isCounted: (result: RobotResult) => boolean) => results.filter(isCounted).length;
  const skipped = count(({ outcome }) => outcome === "SKIPPED");
  const failed = count(({ outcome }) => outcome === "FAILED");
  const isSent = (result: RobotResult) => wording.maySkipDatabase && result.pending && result.outcome === "SUCCESS";
  const sent = count((result) => isSent(result) === true);
  const pending = count((result) => result.pending) - sent;
  const robots = (number: number) => (number === 1 ? "1 robot" : `${number} robots`);
  // A pending lock already applies; a pending Stop has stopped nothing yet.
  const counted = wording.maySkipDatabase === true ? results : results.map((result) => ({ ...result, pending: false }));
  const sentences = [
    ...(sent < results.length ? [groupSuccessMessage(counted, wording.done)] : []),
    ...(sent > 0 ? [`Sent to ${robots(sent)}; will be recorded.`] : []),
    ...(failed > 0 ? [`${failed} failed.`] : []),
    ...(skipped > 0 ? [`${skipped} skipped.`] : []),
    ...(pending > 0 ? [`For ${pending} the ${wording.kept} is stored and repeated until the robot confirms it.`] : []),
  ];
  return { success, message: sentences.join(" "), results: [...results] };
}

/** Records that a command for a group or a site reached no robot, so that no robot's own row shows it. */
export async function auditNoRobots(
  { db, clock }: Pick<Dependencies, "db" | "clock">,
  viewer: Viewer,
  about: Pick<AuditRecord, "action" | "entity" | "entityId" | "siteId">,
  reason: string,
): Promise<void> {
  await recordChange(db, { actor: viewer, ...about, at: clock.now() }, reason);
}
