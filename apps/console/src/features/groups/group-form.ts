import { type Group, GROUP_INCOMPLETE } from "@suncrew/contract/groups/groups.ts";
import { findInvisibleCharacter, stripInvisible } from "@suncrew/contract/http/text.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { groupNameKey } from "@suncrew/domain/groups/groups.ts";
import type { EntityRules, FieldProblems } from "../../platform/form/entity-form.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";

/** §5 Robot group. */
export const NAME_TAKEN = "Group name already exists for this site";

/** What is typed and chosen in the dialog. */
export interface GroupForm {
  readonly name: string;
  readonly robotIds: readonly number[];
}

/** A group as it is stored; null for a new one. */
export function storedGroup(group: Group | null): StoredForm<GroupForm> {
  return {
    form: { name: stripInvisible(group?.group_name ?? ""), robotIds: group?.robots.map(({ id }) => id) ?? [] },
    version: group?.version ?? 0,
  };
}

/** How concurrent edits of a group are merged. */
export const groupRules: Omit<EntityRules<GroupForm, keyof GroupForm>, "textOf"> = {
  units: [["name"], ["robotIds"]],
  isSame: (one, other, field) =>
    field === "name"
      ? one.name.trim() === other.name.trim()
      : one.robotIds.length === other.robotIds.length && one.robotIds.every((id) => other.robotIds.includes(id)),
  labelOf: (field) => (field === "name" ? "Group name" : "Robots"),
  fieldOf: (wire) => (wire === "group_name" ? "name" : wire === "robot_ids" ? "robotIds" : null),
};

/** The form, and what there is to check it against. */
export interface GroupFormContext extends GroupForm {
  /** The group that is edited; null for a new one. */
  readonly group: Group | null;
  /** The groups of the site. */
  readonly groups: readonly Group[];
}

/** §5: the error if the name is taken by another group of the site, ignoring case and spaces; otherwise null. */
export function nameProblem({ name, group, groups }: GroupFormContext): string | null {
  const invisible = findInvisibleCharacter(name.trim(), "one line");
  if (invisible !== null) return `Group name must not have ${invisible}`;
  const key = groupNameKey(name);
  const isTaken = key !== "" && groups.some((one) => one.id !== group?.id && groupNameKey(one.group_name) === key);
  return isTaken ? NAME_TAKEN : null;
}

/** §5: the problem of each field; empty if the form is valid. */
export function groupFormProblems(draft: GroupFormContext): FieldProblems<keyof GroupForm> {
  const name = nameProblem(draft);
  if (name !== null) return { name };
  return groupNameKey(draft.name) === "" || draft.robotIds.length === 0 ? { robotIds: GROUP_INCOMPLETE } : {};
}

/**
 * §5: the robots that may be chosen. A new group accepts ungrouped robots, an edited one also its own.
 */
export function robotsOffered<R extends Pick<RobotLive, "robot_id">>(
  rows: readonly R[],
  groups: readonly Group[],
  group: Group | null,
): readonly R[] {
  const elsewhere = new Set(
    groups.filter((one) => one.id !== group?.id).flatMap((one) => one.robots.map(({ id }) => id)),
  );
  return rows.filter((row) => !elsewhere.has(row.robot_id));
}
