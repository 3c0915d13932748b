import { Button, Group as Row, Modal, Text, TextInput } from "@mantine/core";
import { GROUP_NAME_MAX } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useState } from "react";
import type { FormEvent } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useFocusBack } from "../../ui/use-focus-back.ts";
import { saveGroup } from "./group-calls.ts";
import { draftProblem, nameProblem, robotsOffered } from "./group-draft.ts";
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
  useFocusBack();
  const [name, setName] = useState(group?.group_name ?? "");
  const [wanted, setWanted] = useState<readonly number[]>(group?.robots.map(({ id }) => id) ?? []);
  const [isSaving, setSaving] = useState(false);
  const offered = robotsOffered(rows, groups, group);
  // Whom somebody else has taken meanwhile is no longer chosen.
  const robotIds = offered.map((row) => row.robot_id).filter((id) => wanted.includes(id));
  const draft = { name, robotIds, group, groups };
  const taken = nameProblem(draft);
  const problem = draftProblem(draft);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null || isSaving) return;
    setSaving(true);
    const isSaved = await saveGroup(group, { site_id: site.id, group_name: name.trim(), robot_ids: robotIds });
    setSaving(false);
    if (isSaved) onClose();
  };

  return (
    <Modal opened onClose={onClose} title={group === null ? "Create Group" : "Edit Robot Group"}>
      <form onSubmit={(event) => void save(event)} noValidate>
        <TextInput
          label="Group name"
          withAsterisk
          required
          value={name}
          maxLength={GROUP_NAME_MAX}
          autoComplete="off"
          data-autofocus
          error={taken}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <RobotChoice offered={offered} siteRobotCount={rows.length} chosen={robotIds} onChoose={setWanted} />
        {problem !== null && problem !== taken && (
          <Text size="sm" c="dimmed" mt="sm">
            {problem}
          </Text>
        )}
        <Row justify="flex-end" mt="md" gap="xs">
          <Button variant="default" onClick={onClose}>
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
