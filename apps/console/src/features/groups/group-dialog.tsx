import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { Box, Button, Checkbox, Text, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { type Group, GROUP_NAME_MAX } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useState } from "react";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { matchesSearch } from "../../ui/matches-search.ts";
import { RobotStatusBadge, useRobotView } from "../robots/public.ts";
import { saveGroup } from "./group-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./group-dialog.module.css";
import { groupFormProblems, type GroupForm, groupRules, robotsOffered, storedGroup } from "./group-form.ts";

export interface GroupDialogProps {
  readonly site: Site;
  /** The group to edit; null creates one. */
  readonly group: Group | null;
  /** The groups of the site as they are now, also while the dialog is open. */
  readonly groups: readonly Group[];
  /** The robots of the site. */
  readonly rows: readonly RobotWithSettings[];
  /** Robots to add to it, chosen before the dialog was opened; only those that are in no other group are offered. */
  readonly added?: readonly number[];
  readonly onClose: () => void;
}

const NONE: readonly number[] = [];

/** §2 Create Group and Edit Robot Group, with the rules of §5. What others change in the meantime counts at once. */
export function GroupDialog({ site, group, groups, rows, added = NONE, onClose }: GroupDialogProps) {
  const isNew = group === null;
  const now = groups.find(({ id }) => id === group?.id);
  const offered = robotsOffered(rows, groups, group);
  // A robot that somebody else has taken in the meantime is no longer chosen.
  const chosenIn = ({ robotIds }: GroupForm) =>
    offered.map((row) => row.robot_id).filter((id) => robotIds.includes(id));
  const state = useEntityForm<GroupForm, keyof GroupForm, unknown>({
    what: "group",
    opened: withRobots(storedGroup(group), added),
    isNew,
    latest: now === undefined ? null : withRobots(storedGroup(now), added),
    deleted: !isNew && now === undefined ? "This group was deleted in the meantime." : null,
    rules: {
      ...groupRules,
      textOf: (values, field) => (field === "name" ? values.name.trim() : serialsOf(rows, values.robotIds)),
    },
    problemsOf: (form) => groupFormProblems({ ...form, robotIds: chosenIn(form), group, groups }),
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
  const { form, change, blockedReason } = state;
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
      {blockedReason !== null && blockedReason !== nameProblem && state.deleted === null && (
        <Text size="sm" c="dimmed" mt="sm">
          {blockedReason}
        </Text>
      )}
    </EntityDialog>
  );
}

function withRobots(stored: ReturnType<typeof storedGroup>, added: readonly number[]): ReturnType<typeof storedGroup> {
  const { form } = stored;
  return { ...stored, form: { ...form, robotIds: [...new Set([...form.robotIds, ...added])] } };
}

function serialsOf(rows: readonly RobotWithSettings[], robotIds: readonly number[]): string {
  return rows
    .filter((row) => robotIds.includes(row.robot_id))
    .map((row) => row.serial_number)
    .join(", ");
}

/** With more robots than this a search helps. */
const SEARCHED_FROM = 8;

export interface RobotChoiceProps {
  /** The robots that may be chosen. */
  readonly offered: readonly RobotWithSettings[];
  /** How many the site has, chosen or not. */
  readonly siteRobotCount: number;
  /** Ids. */
  readonly chosen: readonly number[];
  readonly onChoose: (ids: readonly number[]) => void;
}

/** Which robots belong to a group. */
export function RobotChoice({ offered, siteRobotCount, chosen, onChoose }: RobotChoiceProps) {
  const [search, setSearch] = useState("");
  const found = offered.filter(({ serial_number, robot_name }) =>
    matchesSearch(search, [`${serial_number} ${robot_name}`]),
  );
  const isEvery = found.length > 0 && found.every((row) => chosen.includes(row.robot_id));
  const foundIds = found.map((row) => row.robot_id);
  const others = chosen.filter((id) => !foundIds.includes(id));
  return (
    <fieldset className={classes["choice"]}>
      <legend className={classes["legend"]}>
        Robots{" "}
        <Box component="span" fw={400} c="dimmed">
          {robotCountText(chosen.length)} chosen
        </Box>
      </legend>
      {offered.length === 0 ? (
        <Box component="p" p={12} fz={13} c="dimmed">
          {siteRobotCount === 0 ? "No robots assigned to this site yet." : "Every robot of this site is in a group."}
        </Box>
      ) : (
        <>
          <div className={classes["head"]}>
            {offered.length > SEARCHED_FROM && (
              <TextInput
                type="search"
                size="xs"
                aria-label="Search robots"
                placeholder="Search robots"
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
              />
            )}
            <Button
              variant="subtle"
              size="compact-xs"
              disabled={found.length === 0}
              onClick={() => onChoose(isEvery ? others : [...others, ...foundIds])}
            >
              {isEvery ? "Choose none" : "Choose all"}
            </Button>
          </div>
          <Box className={shared["box"]} component="ul" mah="min(38dvh, 320px)" style={{ overflowY: "auto" }}>
            {found.map((row) => (
              <Choice
                key={row.robot_id}
                row={row}
                isChosen={chosen.includes(row.robot_id)}
                onToggle={(isChosen) =>
                  onChoose(isChosen ? [...chosen, row.robot_id] : chosen.filter((id) => id !== row.robot_id))
                }
              />
            ))}
          </Box>
          {found.length === 0 && (
            <Box component="p" p={12} fz={13} c="dimmed">
              No robots match.
            </Box>
          )}
        </>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly row: RobotWithSettings;
  readonly isChosen: boolean;
  readonly onToggle: (isChosen: boolean) => void;
}

function Choice({ row, isChosen, onToggle }: ChoiceProps) {
  const robot = useRobotView(row);
  return (
    <li className={classes["robot"]}>
      <Checkbox
        label={robot.serialNumber}
        description={robot.name === robot.serialNumber ? undefined : robot.name}
        checked={isChosen}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
      <RobotStatusBadge robot={robot} />
    </li>
  );
}
