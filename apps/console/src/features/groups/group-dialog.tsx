import { Button, Group as Row, Modal, Text, TextInput } from "@mantine/core";
import { GROUP_NAME_MAX } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useRef, useState } from "react";
import type { FormEvent } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { EditConflict, RESOLVE_FIRST } from "../../ui/edit-conflict.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useReturnFocus } from "../../ui/use-return-focus.ts";
import { useMergedEdits } from "../../ui/use-merged-edits.ts";
import { saveGroup } from "./group-calls.ts";
import { draftProblem, groupEdits, nameProblem, robotsOffered, storedGroup } from "./group-draft.ts";
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

/** §2 Create Group and Edit Robot Group, with the rules of §5. What others change meanwhile counts at once. */
export function GroupDialog({ site, group, groups, rows, onClose }: GroupDialogProps) {
  useReturnFocus();
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const now = groups.find(({ id }) => id === group?.id);
  const { form, change, base, isChanged, meanwhile } = useMergedEdits(
    storedGroup(group),
    now === undefined || isSaving ? null : storedGroup(now),
    {
      ...groupEdits,
      textOf: (values, field) => (field === "name" ? values.name.trim() : serialsOf(rows, values.robotIds)),
    },
  );
  const { name, robotIds: wanted } = form;
  const offered = robotsOffered(rows, groups, group);
  // Whom somebody else has taken meanwhile is no longer chosen.
  const robotIds = offered.map((row) => row.robot_id).filter((id) => wanted.includes(id));
  const draft = { name, robotIds, group, groups };
  const taken = nameProblem(draft);
  const problem = draftProblem(draft) ?? (meanwhile?.kind === "collides" ? RESOLVE_FIRST : null);
  const close = useGuardedClose({ isChanged, isSaving, shownBy: ["site", "tab"] }, onClose);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    // A second press may come before the first has been drawn.
    if (problem !== null || isUnderWay.current) return;
    isUnderWay.current = true;
    setSaving(true);
    const edited = group === null ? null : { id: group.id, version: base.version };
    const outcome = await saveGroup(edited, { site_id: site.id, group_name: name.trim(), robot_ids: robotIds });
    isUnderWay.current = false;
    setSaving(false);
    if (outcome === "saved") onClose();
  };

  return (
    <Modal opened onClose={close} title={group === null ? "Create Group" : "Edit Robot Group"}>
      <form onSubmit={(event) => void save(event)} noValidate>
        {meanwhile !== null && <EditConflict what="group" meanwhile={meanwhile} />}
        <TextInput
          label="Group name"
          withAsterisk
          required
          value={name}
          maxLength={GROUP_NAME_MAX}
          autoComplete="off"
          data-autofocus
          error={taken}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <RobotChoice
          offered={offered}
          siteRobotCount={rows.length}
          chosen={robotIds}
          onChoose={(chosen) => change({ robotIds: chosen })}
        />
        {problem !== null && problem !== taken && (
          <Text size="sm" c="dimmed" mt="sm">
            {problem}
          </Text>
        )}
        <Row justify="flex-end" mt="md" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={problem}>
            <Button type="submit" loading={isSaving}>
              {group === null ? "Create" : "Update"}
            </Button>
          </DisabledReason>
        </Row>
      </form>
    </Modal>
  );
}

function serialsOf(rows: readonly RobotWithSettings[], robotIds: readonly number[]): string {
  return rows
    .filter((row) => robotIds.includes(row.robot_id))
    .map((row) => row.serial_number)
    .join(", ");
}
