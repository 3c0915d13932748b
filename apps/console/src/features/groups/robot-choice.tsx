import { Button, Checkbox, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useState } from "react";
import { RobotStatusBadge, useRobotView } from "../robots/public.ts";
import { robotsText } from "./group-meaning.ts";
import classes from "./robot-choice.module.css";
import { matchesSearch } from "../../ui/matches-search.ts";

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
        Robots <span className={classes["count"]}>{robotsText(chosen.length)} chosen</span>
      </legend>
      {offered.length === 0 ? (
        <p className={classes["none"]}>
          {siteRobotCount === 0 ? "No robots assigned to this site yet." : "Every robot of this site is in a group."}
        </p>
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
          <ul className={classes["list"]}>
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
          </ul>
          {found.length === 0 && <p className={classes["none"]}>No robots match.</p>}
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
