import { createRobot, deleteRobot, serialNumbers, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { call } from "../../../platform/api/call.ts";
import { ApiError, isEditConflict, serverReason, TokenExpiredError } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { refusalOf } from "../../../platform/api/refusal.ts";
import type { Refusal } from "../../../platform/api/refusal.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { toast } from "../../../platform/toast.tsx";
import { robotBodyOf, toldRobotProblems } from "./robot-form.ts";
import type { RobotForm, RobotProblems } from "./robot-form.ts";

/** Which robot an edit is about; null for a new one. */
export interface EditedRobot {
  readonly id: number;
  /** Where it was as the edit began. */
  readonly siteId: number;
  /** The one that the edit began from. */
  readonly version: number;
}

/** How saving ended; a refusal names fields where the server did. */
export type RobotOutcome =
  | { readonly kind: "saved" }
  | { readonly kind: "conflict" }
  | { readonly kind: "refused"; readonly problems: RobotProblems };

/** Creates or changes a robot and reads the lists again. Says so in a toast (§8 Robots) and never throws. */
export async function saveRobot(edited: EditedRobot | null, form: RobotForm): Promise<RobotOutcome> {
  const body = robotBodyOf(form);
  const siteIds = [...new Set([form.siteId, edited?.siteId ?? form.siteId])];
  try {
    // §9 New robot defaults come from the contract.
    if (edited === null) await call(createRobot, { body });
    else await call(updateRobot, { params: { id: edited.id }, body: { ...body, version: edited.version } });
    await readRobotsAgain(siteIds);
    toast.success(
      edited === null
        ? { title: "Robot Added", message: `Robot "${body.robot_name}" has been successfully added.` }
        : { title: "Robot Updated", message: `Robot "${body.robot_name}" has been successfully updated.` },
    );
    return { kind: "saved" };
  } catch (error) {
    if (error instanceof TokenExpiredError) return { kind: "refused", problems: {} };
    // What others did meanwhile shows in the lists.
    const read = readRobotsAgain(siteIds);
    if (isEditConflict(error)) {
      await read;
      return { kind: "conflict" };
    }
    toast.failure({
      title: edited === null ? "Robot Creation Failed" : "Robot Update Failed",
      message: `Failed to ${edited === null ? "create" : "update"} robot. Please try again.`,
      reason: serverReason(error),
    });
    return { kind: "refused", problems: error instanceof ApiError ? toldRobotProblems(error.errors) : {} };
  }
}

const DELETE_FAILED = "Failed to delete robot. Please try again.";

/** Deletes a robot; null where it is gone, else why it is not. Tells by toast (§8 Delete robot), never throws. */
export async function removeRobot(row: RobotWithSettings): Promise<Refusal | null> {
  const { robot_id: robotId, site_id: siteId, robot_name: name } = row;
  try {
    await call(deleteRobot, { params: { id: robotId } });
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    const reason = serverReason(error);
    const isRefused = error instanceof ApiError && error.status === 400 && reason !== undefined;
    toast.failure({
      title: isRefused ? "Cannot Delete Robot" : "Robot Deletion Failed",
      message: reason ?? DELETE_FAILED,
    });
    void readRobotsAgain([siteId]);
    return refusalOf(error, DELETE_FAILED);
  }
  // §4: gone at once, also where the lists cannot be read again now.
  queryClient.setQueryData<ResponseOf<typeof robotDetailsWithSettings>>(
    queryKeyOf(robotDetailsWithSettings, { params: { siteId } }),
    (list) => list && { ...list, robots: list.robots.filter((robot) => robot.robot_id !== robotId) },
  );
  toast.success({ title: "Robot Removed", message: `Robot "${name}" has been successfully removed.` });
  await readRobotsAgain([siteId]);
  return null;
}

/** Also where the live stream is lost; a failure here shows in the lists themselves. */
async function readRobotsAgain(siteIds: readonly number[]): Promise<void> {
  const keys = [
    ...siteIds.map((siteId) => queryKeyOf(robotDetailsWithSettings, { params: { siteId } })),
    queryKeyOf(siteDetails),
    queryKeyOf(serialNumbers),
  ];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
