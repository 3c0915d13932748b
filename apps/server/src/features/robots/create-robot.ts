import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { HttpError } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { refusedForm } from "./refused-form.ts";
import { robotConflicts } from "./robot-conflicts.repository.ts";
import { insertRobots } from "./robot-rows.repository.ts";
import { lockSites } from "./robot-sites.queries.ts";

/** What creating came to in its transaction; a refusal is on record and is thrown after the commit. */
export type CreatedRobot =
  | { readonly kind: "created"; readonly robotId: number }
  | { readonly kind: "refused"; readonly error: HttpError };

/** §5 Robot form: puts a robot with a free serial number at a site of the viewer's. Throws 404. */
export async function createRobotAt(
  tx: Tx,
  viewer: Viewer,
  body: BodyOf<typeof createRobot>,
  now: Date,
): Promise<CreatedRobot> {
  await lockSites(viewer, tx, [body.site_id]);
  const [conflicts = []] = await robotConflicts(tx, viewer, [body]);
  const error = refusedForm(conflicts);
  const [stored] = error === null ? await insertRobots(tx, [body], now) : [];
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: "CREATE_ROBOT",
    entity: "robot",
    entityId: stored?.id ?? null,
    siteId: body.site_id,
    outcome: error === null ? "DONE" : "REFUSED",
    reason: error?.message ?? null,
    after: { ...body },
    at: now,
  });
  if (error !== null) return { kind: "refused", error };
  if (stored === undefined) throw new Error("The robot was not stored.");
  return { kind: "created", robotId: stored.id };
}
