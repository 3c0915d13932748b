import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  createRobot,
  deleteRobot,
  robotTypes,
  serialNumbers,
  updateRobot,
} from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails, type Site } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../../platform/api/call.ts";
import { change, type Refusal, refusalIn } from "../../../platform/api/change.ts";
import { ApiError, serverReason } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { queryKeyOf, routeQuery } from "../../../platform/api/route-query.ts";
import { type EntityForm, useEntityForm } from "../../../platform/form/entity-form.ts";
import { shortDayText, todayIn } from "../../../ui/days.ts";
import {
  emptyRobotForm,
  robotBodyOf,
  type RobotField,
  type RobotForm,
  robotFormOf,
  robotFormProblems,
  robotRules,
} from "./robot-form.ts";

const NONE: readonly RobotWithSettings[] = [];
const NO_SITES: readonly Site[] = [];

export interface RobotFormState extends EntityForm<RobotForm, RobotField> {
  /** The sites that the robot may be at. */
  readonly sites: readonly Site[];
  /** The edited robot as it is now; null for a new one. */
  readonly now: RobotWithSettings | null;
  /** At all of the viewer's sites; none while they are not known. */
  readonly typesInUse: Readonly<Record<"motorType" | "controlType", readonly string[]>>;
}

/** The dialog's form (§5 Robot form): `opened` is the robot to edit, null for a new one at `siteId`. */
export function useRobotForm(siteId: number, opened: RobotWithSettings | null, onSaved: () => void): RobotFormState {
  const here = useRobotsAt(siteId);
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? NO_SITES;
  const [today] = useState(() => todayIn(sites.find(({ id }) => id === siteId)?.timezone, new Date()));
  const types = useQuery(routeQuery(robotTypes, {})).data;
  const ownId = opened?.robot_id ?? null;
  const now = here?.find((row) => row.robot_id === ownId) ?? null;
  // Read before the form names its site: both are cached, and a form that moves the robot requests the other's.
  const robotsAt = (id: number) =>
    queryClient.getQueryData<ResponseOf<typeof robotDetailsWithSettings>>(
      queryKeyOf(robotDetailsWithSettings, { params: { siteId: id } }),
    )?.robots ?? NONE;
  const state = useEntityForm<RobotForm, RobotField, unknown>({
    what: "robot",
    opened: opened === null ? { form: emptyRobotForm(siteId, today), version: 0 } : storedRobot(opened),
    isNew: opened === null,
    latest: now === null ? null : storedRobot(now),
    deleted:
      opened !== null && here !== undefined && now === null
        ? "This robot was deleted, or moved to another site, in the meantime."
        : null,
    rules: {
      ...robotRules,
      textOf: (values, field) =>
        field === "siteId"
          ? (sites.find(({ id }) => id === values.siteId)?.name ?? "")
          : field === "installationDate" && values[field] !== ""
            ? shortDayText(values[field])
            : values[field].trim(),
    },
    problemsOf: (form) =>
      robotFormProblems(
        form,
        robotsAt(form.siteId).filter((row) => row.robot_id !== ownId),
      ),
    immediate: ["name"],
    save: (form, version) => saveRobot(ownId === null ? null : { id: ownId, siteId, version }, form),
    onSaved,
  });
  // The names there are checked.
  useRobotsAt(state.form.siteId);
  const typesInUse = { motorType: types?.motor_types ?? [], controlType: types?.control_types ?? [] };
  return { ...state, sites, now, typesInUse };
}

function storedRobot(row: RobotWithSettings) {
  return { form: robotFormOf(row), version: row.version };
}

/** The last known ones, even if they could not be loaded again; undefined until they were. */
function useRobotsAt(siteId: number): readonly RobotWithSettings[] | undefined {
  return useQuery(routeQuery(robotDetailsWithSettings, { params: { siteId } })).data?.robots;
}

interface EditedRobot {
  readonly id: number;
  /** Its site when the edit started. */
  readonly siteId: number;
  readonly version: number;
}

function saveRobot(edited: EditedRobot | null, form: RobotForm) {
  const body = robotBodyOf(form);
  const isNew = edited === null;
  return change<unknown>({
    // §9 New robot defaults come from the contract.
    send: () =>
      edited === null
        ? call(createRobot, { body })
        : call(updateRobot, { params: { id: edited.id }, body: { ...body, version: edited.version } }),
    invalidates: keysOfRobotsAt(form.siteId, edited?.siteId ?? form.siteId),
    hasConflictForm: true,
    success: {
      title: isNew ? "Robot Added" : "Robot Updated",
      message: `Robot "${body.robot_name}" has been successfully ${isNew ? "added" : "updated"}.`,
    },
    failure: {
      title: isNew ? "Robot Creation Failed" : "Robot Update Failed",
      message: `Failed to ${isNew ? "create" : "update"} robot. Please try again.`,
    },
  });
}

const DELETE_FAILED = "Failed to delete robot. Please try again.";

/** Deletes a robot; null if it is deleted, otherwise why it is not (§8 Delete robot). */
export async function removeRobot(row: RobotWithSettings): Promise<Refusal | null> {
  const { robot_id: robotId, site_id: siteId, robot_name: name } = row;
  const outcome = await change({
    send: () => call(deleteRobot, { params: { id: robotId } }),
    // §4: gone at once, even if the lists cannot be refetched now.
    onDone: () =>
      queryClient.setQueryData<ResponseOf<typeof robotDetailsWithSettings>>(
        queryKeyOf(robotDetailsWithSettings, { params: { siteId } }),
        (list) => list && { ...list, robots: list.robots.filter((robot) => robot.robot_id !== robotId) },
      ),
    invalidates: keysOfRobotsAt(siteId),
    success: { title: "Robot Removed", message: `Robot "${name}" has been successfully removed.` },
    failure: (error) => {
      const reason = serverReason(error);
      const isRefused = error instanceof ApiError && error.status === 400 && reason !== undefined;
      return { title: isRefused ? "Cannot Delete Robot" : "Robot Deletion Failed", message: reason ?? DELETE_FAILED };
    },
  });
  return refusalIn(outcome, DELETE_FAILED);
}

function keysOfRobotsAt(...siteIds: readonly number[]) {
  const lists = [...new Set(siteIds)].map((siteId) => queryKeyOf(robotDetailsWithSettings, { params: { siteId } }));
  return [...lists, ...[siteDetails, serialNumbers, robotTypes].map((route) => queryKeyOf(route))];
}
