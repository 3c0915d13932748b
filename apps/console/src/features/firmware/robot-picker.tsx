import { Box, Checkbox, Group, SegmentedControl } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { robotDetailsWithSettings, type RobotLive } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, sameApartFrom, useLiveValue } from "../../platform/live/live.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { type DeployRobot, robotsFound, waitsBefore } from "./deploy-facts.ts";
import { ChoiceFields, ChoiceTools, NoChoices } from "../../ui/choice-fields.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./robot-picker.module.css";

interface DeployRobots {
  /** Of every site, ordered by site and serial number. */
  readonly all: readonly DeployRobot[];
  /** The site's robots, if a site is selected. */
  readonly ofSite: readonly DeployRobot[];
  readonly siteName: string | null;
  /** Neither the live stream nor the list has arrived yet. */
  readonly isUnknown: boolean;
}

type Candidate = Pick<DeployRobot, "id" | "serial" | "version" | "waits"> & { readonly siteId: number };

function candidateOf(robot: RobotLive): Candidate {
  const { robot_id: id, serial_number: serial, site_id: siteId, firmware_version: version } = robot;
  return { id, serial, siteId, version, waits: waitsBefore(robot, new Date()) };
}

const candidatesNow = () => [...liveStore.robots()].map(candidateOf);
const hasSameCandidates = sameApartFrom<Candidate>();

/** Robots from the live stream, with the names of the selected site's list. */
export function useDeployRobots(siteId: number | null): DeployRobots {
  const live = useLiveValue(candidatesNow, hasSameCandidates);
  const sites = useQuery(routeQuery(siteDetails, {})).data;
  const site = sites?.find(({ id }) => id === siteId);
  const list = useQuery({
    ...routeQuery(robotDetailsWithSettings, { params: { siteId: siteId ?? 0 } }),
    enabled: site !== undefined,
  });
  const rows = list.data?.robots;
  return useMemo(() => {
    const siteNames = new Map(sites?.map(({ id, name }) => [id, name]));
    const names = new Map(rows?.map((row) => [row.robot_id, row.robot_name]));
    const known = live.length > 0 ? live : (rows ?? []).map(candidateOf);
    const all = known
      .map(({ siteId: at, ...robot }): DeployRobot => {
        return { ...robot, name: names.get(robot.id) ?? "", siteName: siteNames.get(at) ?? "" };
      })
      .toSorted(bySiteAndSerial);
    const ids = new Set(known.flatMap((robot) => (robot.siteId === siteId ? [robot.id] : [])));
    return {
      all,
      ofSite: all.filter(({ id }) => ids.has(id)),
      siteName: site?.name ?? null,
      isUnknown: live.length === 0 && rows === undefined,
    };
  }, [live, sites, rows, site, siteId]);
}

const collator = new Intl.Collator("en", { numeric: true });

function bySiteAndSerial(one: DeployRobot, other: DeployRobot): number {
  return collator.compare(one.siteName, other.siteName) || collator.compare(one.serial, other.serial);
}

const ROW_PX = 44;
const NARROW_ROW_PX = 58;

interface RobotPickerProps {
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
  const toggle = (id: number, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    onChoose(next);
  };
  const choose = (added: readonly DeployRobot[]) => onChoose(new Set([...chosen, ...added.map(({ id }) => id)]));

  return (
    <ChoiceFields title="Robots" chosenCount={chosen.size} isDisabled={isDisabled} className={classes["picker"]}>
      <Group gap={8}>
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
        <Box flex="1 1 180px">
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
        </Box>
      </Group>
      <ChoiceTools
        isDisabled={isDisabled}
        sets={[
          { label: `Select all that can update now (${ready.length.toLocaleString("en-GB")})`, items: ready },
          { label: `Select all ${found.length.toLocaleString("en-GB")}`, items: found },
        ]}
        hasChosen={chosen.size > 0}
        onAdd={choose}
        onNone={() => onChoose(new Set())}
      />
      {robots.isUnknown ? (
        <SkeletonLines label="Loading robots" lines={5} lineHeightPx={36} />
      ) : found.length === 0 ? (
        <NoChoices>
          {offered.length > 0
            ? "No robots match."
            : scope === "site"
              ? "No robots assigned to this site yet."
              : "There are no robots yet."}
        </NoChoices>
      ) : (
        <VirtualList
          label="Robots, scrollable"
          items={found}
          keyOf={({ id }) => id}
          rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
          className={classes["scroll"]}
          rowClassName={`${shared["checkRow"]} ${classes["robot"]}`}
        >
          {({ id, serial, name, siteName, version: installed, waits }) => {
            const has = installed === version;
            return (
              <>
                <Checkbox
                  size="sm"
                  label={serial}
                  description={(scope === "all" ? siteName : "") || (name === serial ? "" : name) || undefined}
                  classNames={{ body: classes["body"] ?? "", labelWrapper: classes["label"] ?? "" }}
                  checked={chosen.has(id)}
                  disabled={isDisabled}
                  onChange={(event) => toggle(id, event.currentTarget.checked)}
                />
                <span className={classes["facts"]}>
                  <span>{installed}</span>
                  <span
                    className={classes["waits"]}
                    data-waits={(waits !== null && !has) || undefined}
                    title={has ? undefined : (waits ?? undefined)}
                  >
                    {has ? "Runs it already" : (waits ?? "Can update now")}
                  </span>
                </span>
              </>
            );
          }}
        </VirtualList>
      )}
    </ChoiceFields>
  );
}
