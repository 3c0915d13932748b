import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox, SegmentedControl } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { SearchBox } from "../../ui/search-box.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { type DeployRobot, robotsFound } from "./deploy-facts.ts";
import classes from "./robot-picker.module.css";
import type { DeployRobots } from "./use-deploy-robots.ts";

const ROW_PX = 44;
const NARROW_ROW_PX = 58;

export interface RobotPickerProps {
  readonly robots: DeployRobots;
  readonly chosen: ReadonlySet<number>;
  readonly onChoose: (chosen: ReadonlySet<number>) => void;
  /** The version that is to be deployed; null until it is known. */
  readonly version: string | null;
  readonly isNarrow: boolean;
  readonly isDisabled: boolean;
}

/** Which robots get the firmware: of this site or of all, each with what it runs and what it would wait for. */
export function RobotPicker({ robots, chosen, onChoose, version, isNarrow, isDisabled }: RobotPickerProps) {
  const [wanted, setScope] = useState<"site" | "all">("site");
  const [search, setSearch] = useState("");
  const scope = robots.siteName === null ? "all" : wanted;
  const offered = scope === "site" ? robots.ofSite : robots.all;
  const found = useMemo(() => robotsFound(offered, search), [offered, search]);
  const ready = useMemo(
    () => found.filter((robot) => robot.waits === null && robot.version !== version),
    [found, version],
  );
  const choose = (added: readonly DeployRobot[]) => onChoose(new Set([...chosen, ...added.map(({ id }) => id)]));

  return (
    <fieldset className={classes["picker"]} disabled={isDisabled}>
      <legend className={classes["legend"]}>
        Robots{" "}
        <span className={classes["count"]} role="status">
          {chosen.size.toLocaleString("en-GB")} selected
        </span>
      </legend>
      <div className={classes["head"]}>
        {robots.siteName !== null && (
          <SegmentedControl
            size="xs"
            aria-label="Show robots of"
            fullWidth={isNarrow}
            value={scope}
            disabled={isDisabled}
            data={[
              { value: "site", label: "This site" },
              { value: "all", label: "All sites" },
            ]}
            onChange={(value) => setScope(value === "all" ? "all" : "site")}
          />
        )}
        <div className={classes["search"]}>
          <SearchBox
            label="Search robots"
            placeholder={
              isNarrow
                ? "Search robots"
                : scope === "all"
                  ? "Serial number, site or version"
                  : "Serial number, name or version"
            }
            value={search}
            onChange={setSearch}
          />
        </div>
      </div>
      <div className={classes["tools"]}>
        <Button
          variant="subtle"
          size="compact-xs"
          disabled={isDisabled || ready.length === 0}
          onClick={() => choose(ready)}
        >
          Select all that can update now ({ready.length.toLocaleString("en-GB")})
        </Button>
        <Button
          variant="subtle"
          size="compact-xs"
          disabled={isDisabled || found.length === 0}
          onClick={() => choose(found)}
        >
          Select all {found.length.toLocaleString("en-GB")}
        </Button>
        <Button
          variant="subtle"
          size="compact-xs"
          disabled={isDisabled || chosen.size === 0}
          onClick={() => onChoose(new Set())}
        >
          Select none
        </Button>
      </div>
      {robots.isUnknown ? (
        <SkeletonLines label="Loading robots" lines={5} lineHeightPx={36} />
      ) : found.length === 0 ? (
        <p className={classes["none"]} role="status">
          {offered.length > 0
            ? "No robots match."
            : scope === "site"
              ? "No robots assigned to this site yet."
              : "There are no robots yet."}
        </p>
      ) : (
        <RobotLines
          robots={found}
          chosen={chosen}
          version={version}
          withSite={scope === "all"}
          isNarrow={isNarrow}
          isDisabled={isDisabled}
          onToggle={(id, isChosen) => {
            const next = new Set(chosen);
            if (isChosen) next.add(id);
            else next.delete(id);
            onChoose(next);
          }}
        />
      )}
    </fieldset>
  );
}

interface RobotLinesProps extends Pick<RobotPickerProps, "chosen" | "version" | "isNarrow" | "isDisabled"> {
  readonly robots: readonly DeployRobot[];
  readonly withSite: boolean;
  readonly onToggle: (id: number, isChosen: boolean) => void;
}

function RobotLines({ robots, chosen, version, withSite, isNarrow, isDisabled, onToggle }: RobotLinesProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: robots.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 8,
    initialRect: { width: 460, height: 360 },
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <div ref={scroll} className={classes["scroll"]} tabIndex={0} role="region" aria-label="Robots, scrollable">
      <ul className={classes["list"]} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const robot = robots[index];
          if (robot === undefined) return null;
          const has = robot.version === version;
          return (
            <li
              key={robot.id}
              className={classes["robot"]}
              aria-setsize={robots.length}
              aria-posinset={index + 1}
              style={{ top: start, height: rowPx }}
            >
              <Checkbox
                size="sm"
                label={robot.serial}
                description={
                  (withSite ? robot.siteName : "") || (robot.name === robot.serial ? "" : robot.name) || undefined
                }
                classNames={{ body: classes["body"] ?? "", labelWrapper: classes["words"] ?? "" }}
                checked={chosen.has(robot.id)}
                disabled={isDisabled}
                onChange={(event) => onToggle(robot.id, event.currentTarget.checked)}
              />
              <span className={classes["facts"]}>
                <span className={classes["version"]}>{robot.version}</span>
                <span
                  className={classes["waits"]}
                  data-waits={(robot.waits !== null && !has) || undefined}
                  title={has ? undefined : (robot.waits ?? undefined)}
                >
                  {has ? "Runs it already" : (robot.waits ?? "Can update now")}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
