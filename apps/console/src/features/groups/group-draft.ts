import { GROUP_INCOMPLETE } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { findInvisibleCharacter, stripInvisible } from "@suncrew/contract/http/text.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { groupNameKey } from "@suncrew/domain/groups/group-name.ts";
import type { EditedFields, StoredForm } from "../../ui/use-merged-edits.ts";

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

/** How two people's edits of a group are put together. */
export const groupEdits: Omit<EditedFields<GroupForm, keyof GroupForm>, "textOf"> = {
  units: [["name"], ["robotIds"]],
  isSame: (one, other, field) =>
    field === "name"
      ? one.name.trim() === other.name.trim()
      : one.robotIds.length === other.robotIds.length && one.robotIds.every((id) => other.robotIds.includes(id)),
  labelOf: (field) => (field === "name" ? "Group name" : "Robots"),
};

/** The form, and what there is to check it against. */
export interface GroupDraft extends GroupForm {
  /** The group that is edited; null for a new one. */
  readonly group: Group | null;
  /** The groups of the site. */
  readonly groups: readonly Group[];
}

/** §5: the sentence where the name cannot be taken, as where another group of the site has it, compared without case and spaces; else null. */
export function nameProblem({ name, group, groups }: GroupDraft): string | null {
  const unseen = findInvisibleCharacter(name.trim(), "one line");
  if (unseen !== null) return `Group name must not have ${unseen}`;
  const key = groupNameKey(name);
  const isTaken = key !== "" && groups.some((one) => one.id !== group?.id && groupNameKey(one.group_name) === key);
  return isTaken ? NAME_TAKEN : null;
}

/** §5: why Create or Update is disabled; null where the draft is valid. */
export function draftProblem(draft: GroupDraft): string | null {
  const { group, groups } = draft;
  if (group !== null && groups.every((one) => one.id !== group.id)) return "This group has been deleted meanwhile.";
  const taken = nameProblem(draft);
  if (taken !== null) return taken;
  return groupNameKey(draft.name) === "" || draft.robotIds.length === 0 ? GROUP_INCOMPLETE : null;
}

/**
 * §5: the robots that may be chosen. A new group takes robots that are in no group; an edited one its own as well.
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
