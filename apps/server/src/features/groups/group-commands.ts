import type { groupSendCommand, ManyRobotsResponse } from "@suncrew/contract/groups/groups.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { Executor } from "../../platform/database/database.ts";
import { HttpError, invalid } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { Commands, KnownFleet, Press } from "../commands/public.ts";
import { requireSite } from "../sites/public.ts";
import { auditNobody } from "./audit-nobody.ts";
import { findGroup, findRobots, type FoundGroup, readMembers, readSiteRobots } from "./groups.queries.ts";
import { type DoneWords, manyRobotsAnswer } from "./many-robots-answer.ts";

type GroupCommandBody = BodyOf<typeof groupSendCommand>;

const groupWords: Record<GroupCommandBody["command"], DoneWords> = {
  START: { done: "started", nobody: "The group has no robot to start.", kept: "Stop" },
  STOP: { done: "stopped", nobody: "The group has no robot to stop.", kept: "Stop", maySkipDatabase: true },
};
const siteWords: DoneWords = { ...groupWords.STOP, nobody: "There is no robot at this site." };

/**
 * Starts or stops every member of a group at the same time, or those named. Throws 404 where anything is out of the
 * viewer's scope and 400 where it does not fit together; what became of each robot is in the answer.
 */
export async function commandGroup(
  deps: Dependencies,
  commands: Commands,
  viewer: Viewer,
  body: GroupCommandBody,
  press: Press | null,
): Promise<ManyRobotsResponse> {
  const { command: verb, mode } = body;
  const by = { userId: viewer.userId, name: viewer.name, actionType: "GROUP", press } as const;
  const refused = { action: `${verb}_GROUP`, entity: "group", entityId: body.groupId } as const;
  try {
    const choose = (tx: Executor) => chooseMembers(viewer, tx, body);
    const { siteId, groupId, robotObjectIds } = body;
    const results =
      verb === "STOP"
        ? await commands.stopMany(choose, (fleet) => fleet.inGroup(viewer, siteId, groupId, robotObjectIds), {
            mode,
            by,
          })
        : await commands.sendMany(choose, { verb, mode, by });
    const words = groupWords[verb];
    if (results.length === 0) await auditNobody(deps, viewer, { ...refused, siteId: body.siteId }, words.nobody);
    return manyRobotsAnswer(results, words);
  } catch (error) {
    if (error instanceof Unfit) await auditNobody(deps, viewer, { ...refused, siteId: error.siteId }, error.message);
    throw error;
  }
}

/** Stop everything: every robot of a site, whatever it does; for robots that are away the Stop is kept. Throws 404. */
export async function stopSite(
  deps: Dependencies,
  commands: Commands,
  viewer: Viewer,
  siteId: number,
  press: Press | null,
): Promise<ManyRobotsResponse> {
  const by = { userId: viewer.userId, name: viewer.name, actionType: "MANUAL", press } as const;
  const choose = async (tx: Executor) => ({ siteId, robotIds: await readSiteRobots(viewer, tx, siteId) });
  const known = (fleet: KnownFleet) => fleet.atSite(viewer, siteId);
  const results = await commands.stopMany(choose, known, { mode: "AUTO", by });
  if (results.length === 0) {
    await auditNobody(
      deps,
      viewer,
      { action: "STOP_SITE", entity: "site", entityId: siteId, siteId },
      siteWords.nobody,
    );
  }
  return manyRobotsAnswer(results, siteWords);
}

/** Named robots or a site that do not fit the group: 400, put on record of the group's site. */
class Unfit extends HttpError {
  readonly siteId: number;

  constructor({ site_id }: FoundGroup, { status, message, extra }: HttpError) {
    super(status, message, extra);
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
  if (group.site_id !== siteId) throw new Unfit(group, invalid("siteId", "siteId must be the site of the group"));
  const members = await readMembers(viewer, db, groupId);
  if (!robotObjectIds) return { siteId, robotIds: members };
  const wanted = new Set(robotObjectIds);
  const robotIds = members.filter((id) => wanted.has(id));
  if (robotIds.length < wanted.size) {
    throw new Unfit(group, invalid("robotObjectIds", "robotObjectIds must name robots of the group"));
  }
  return { siteId, robotIds };
}
