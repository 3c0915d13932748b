import { Text, TextInput } from "@mantine/core";
import { GROUP_NAME_MAX } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { saveGroup } from "./group-calls.ts";
import { draftProblems, type GroupForm, groupRules, robotsOffered, storedGroup } from "./group-draft.ts";
import { RobotChoice } from "./robot-choice.tsx";

export interface GroupDialogProps {
  readonly site: Site;
  /** The group to edit; null creates one. */
  readonly group: Group | null;
  /** The groups of the site as they are now, also while the dialog is open. */
  readonly groups: readonly Group[];
  /** The robots of the site. */
  readonly rows: readonly RobotWithSettings[];
  readonly onClose: () => void;
}

/** §2 Create Group and Edit Robot Group, with the rules of §5. What others change in the meantime counts at once. */
export function GroupDialog({ site, group, groups, rows, onClose }: GroupDialogProps) {
  const isNew = group === null;
  const now = groups.find(({ id }) => id === group?.id);
  const offered = robotsOffered(rows, groups, group);
  // A robot that somebody else has taken in the meantime is no longer chosen.
  const chosenIn = ({ robotIds }: GroupForm) =>
    offered.map((row) => row.robot_id).filter((id) => robotIds.includes(id));
  const state = useEntityForm<GroupForm, keyof GroupForm, unknown>({
    what: "group",
    opened: storedGroup(group),
    isNew,
    latest: now === undefined ? null : storedGroup(now),
    deleted: !isNew && now === undefined ? "This group was deleted in the meantime." : null,
    rules: {
      ...groupRules,
      textOf: (values, field) => (field === "name" ? values.name.trim() : serialsOf(rows, values.robotIds)),
    },
    problemsOf: (form) => draftProblems({ ...form, robotIds: chosenIn(form), group, groups }),
    immediate: ["name"],
    savesUnchanged: true,
    save: (form, version) =>
      saveGroup(group && { id: group.id, version }, {
        site_id: site.id,
        group_name: form.name.trim(),
        robot_ids: chosenIn(form),
      }),
    onSaved: onClose,
  });
  const { form, change, obstacle } = state;
  const nameProblem = state.problemAt("name");
  return (
    <EntityDialog
      state={state}
      title={isNew ? "Create Group" : "Edit Robot Group"}
      submitLabel={isNew ? "Create" : "Update"}
      shownBy={["site", "tab"]}
      onClose={onClose}
    >
      <TextInput
        label="Group name"
        name="name"
        withAsterisk
        required
        value={form.name}
        maxLength={GROUP_NAME_MAX}
        autoComplete="off"
        data-autofocus
        error={nameProblem}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <RobotChoice
        offered={offered}
        siteRobotCount={rows.length}
        chosen={chosenIn(form)}
        onChoose={(robotIds) => change({ robotIds })}
      />
      {obstacle !== null && obstacle !== nameProblem && state.deleted === null && (
        <Text size="sm" c="dimmed" mt="sm">
          {obstacle}
        </Text>
      )}
    </EntityDialog>
  );
}

function serialsOf(rows: readonly RobotWithSettings[], robotIds: readonly number[]): string {
  return rows
    .filter((row) => robotIds.includes(row.robot_id))
    .map((row) => row.serial_number)
    .join(", ");
}
