import { GROUP_INCOMPLETE } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { groupNameKey } from "@suncrew/domain/groups/group-name.ts";

/** §5 Robot group. */
export const NAME_TAKEN = "Group name already exists for this site";

/** What is typed and chosen in the dialog, and what there is to check it against. */
export interface GroupDraft {
  readonly name: string;
  readonly robotIds: readonly number[];
  /** The group that is edited; null for a new one. */
  readonly group: Group | null;
  /** The groups of the site. */
  readonly groups: readonly Group[];
}

/** §5: the sentence where another group of the site has this name, compared without case and spaces; else null. */
export function nameProblem({ name, group, groups }: GroupDraft): string | null {
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
