import { Menu, NativeSelect, UnstyledButton } from "@mantine/core";
import { SEARCH_MAX } from "@suncrew/contract/http/values.ts";
import { recordedCountSchema } from "@suncrew/contract/runs/runs.ts";
import { IconColumns3, IconFilterOff } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useSignedIn } from "../../platform/session/use-session.ts";
import type { HistoryMode } from "../../platform/url-params.tsx";
import { FiltersButton } from "../../ui/filters-button.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { todayWord } from "../runs/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./fleet-filters.module.css";
import { FLEET_FIGURES, fleetFigureLook } from "./fleet-looks.ts";
import type { FleetRow, FleetSite, FoundRobots } from "./fleet-rows.ts";
import { FLEET_COLUMNS } from "./fleet-table.tsx";
import { CLEANED_FILTERS, type CleanedFilter, COLUMN_IDS, type FleetUrl, isFiltered, NO_FILTER } from "./fleet-url.ts";

export type ChangeFleet = (by: Partial<FleetUrl>, mode: HistoryMode) => void;

interface FigureChipsProps {
  readonly chosen: FleetUrl["figure"];
  /** Null until the robots are known. */
  readonly byFigure: FoundRobots["byFigure"] | null;
  readonly change: ChangeFleet;
}

/** Only the robots of one fleet figure; each says how many it would show. */
function FigureChips({ chosen, byFigure, change }: FigureChipsProps) {
  return (
    <div className={classes["chips"]} role="group" aria-label="Status">
      {FLEET_FIGURES.filter(
        (figure) => figure !== "mayBeMoving" || chosen === figure || (byFigure?.mayBeMoving ?? 0) > 0,
      ).map((figure) => (
        <UnstyledButton
          key={figure}
          className={`${shared["card"]} ${shared["inset"]} ${classes["chip"]}`}
          aria-pressed={chosen === figure}
          onClick={() => change({ figure: chosen === figure ? null : figure }, "push")}
        >
          <StatusIcon look={fleetFigureLook[figure]} size={16} />
          <strong>{byFigure === null ? "–" : byFigure[figure].toLocaleString("en-GB")}</strong>
          {fleetFigureLook[figure].label}
        </UnstyledButton>
      ))}
    </div>
  );
}

interface FleetFiltersProps {
  readonly url: FleetUrl;
  readonly byFigure: FigureChipsProps["byFigure"];
  readonly change: ChangeFleet;
  readonly rows: readonly FleetRow[];
  readonly sites: readonly FleetSite[];
  readonly groups: readonly { readonly id: number; readonly site_id: number; readonly group_name: string }[];
  readonly isNarrow: boolean;
}

const BATTERY_LIMITS = [20, 30, 50, 80];

const cleanedWord: Record<CleanedFilter, string> = {
  "1": "Not in the last day",
  "3": "Not in 3 days",
  "7": "Not in 7 days",
  "14": "Not in 14 days",
  "30": "Not in 30 days",
  never: "Never",
};

/** The search, and a filter for each thing that robots are looked for by; on a phone the filters open on demand. */
export function FleetFilters({ url, byFigure, change, rows, sites, groups, isNarrow }: FleetFiltersProps) {
  const { role } = useSignedIn();
  const [search, setSearch] = useSearchDraft(url.search, change);
  const [isOpen, setOpen] = useState(false);
  const versions = useDistinct(rows, ({ robot }) => robot.firmware_version);
  const states = useDistinct(sites, ({ state }) => state);
  const partners = useMemo(() => partnersOf(sites), [sites]);
  const shownGroups = useMemo(() => {
    const siteNames = new Map(sites.map(({ id, name }) => [id, name]));
    return groups
      .filter(({ site_id }) => url.siteId === null || site_id === url.siteId)
      .map(({ id, site_id, group_name }) => {
        const suffix = url.siteId === null ? `, ${siteNames.get(site_id) ?? ""}` : "";
        return { value: String(id), label: group_name + suffix };
      })
      .toSorted(byLabel);
  }, [groups, sites, url.siteId]);
  const siteChoices = useMemo(
    () => sites.map(({ id, name }) => ({ value: String(id), label: name })).toSorted(byLabel),
    [sites],
  );
  const furtherCount = Object.keys(NO_FILTER).filter(
    (key) => key !== "search" && key !== "figure" && Reflect.get(url, key) !== Reflect.get(NO_FILTER, key),
  ).length;
  return (
    <>
      <div className={classes["top"]}>
        <FigureChips chosen={url.figure} byFigure={byFigure} change={change} />
        <div className={classes["search"]}>
          <SearchBox
            label="Search robots"
            placeholder={
              isNarrow ? "Search robots" : "Search by serial number, name, site, state, partner, group or firmware"
            }
            value={search}
            maxLength={SEARCH_MAX}
            onChange={setSearch}
          />
        </div>
        {isNarrow && <FiltersButton active={furtherCount} isOpen={isOpen} onToggle={setOpen} />}
        {isFiltered(url) && (
          <ToolButton icon={IconFilterOff} variant="subtle" onClick={() => change(NO_FILTER, "push")}>
            Clear filters
          </ToolButton>
        )}
      </div>
      {(!isNarrow || isOpen) && (
        <div className={classes["filters"]} role="group" aria-label="Filters">
          <Choice
            label="Site"
            all="All sites"
            value={url.siteId}
            options={siteChoices}
            onChoose={(id) => change({ siteId: numberOf(id), groupId: null }, "push")}
          />
          <Choice
            label="State"
            all="All states"
            value={url.state}
            options={states}
            onChoose={(state) => change({ state }, "push")}
          />
          {role === "SUPER_ADMIN" && (
            <Choice
              label="Partner"
              all="All partners"
              value={url.partnerId}
              options={partners}
              onChoose={(id) => change({ partnerId: numberOf(id) }, "push")}
            />
          )}
          <Choice
            label="Group"
            all="All groups"
            value={url.groupId}
            options={shownGroups}
            onChoose={(id) => change({ groupId: numberOf(id) }, "push")}
          />
          <Choice
            label="Battery"
            all="Any"
            value={url.batteryBelow}
            options={BATTERY_LIMITS.map((limit) => ({ value: String(limit), label: `Below ${limit} %` }))}
            missing={(limit) => `Below ${limit} %`}
            onChoose={(limit) => change({ batteryBelow: numberOf(limit) }, "push")}
          />
          <Choice
            label="Firmware"
            all="All versions"
            value={url.firmware}
            options={versions}
            onChoose={(firmware) => change({ firmware }, "push")}
          />
          <Choice
            label="Last cleaning"
            all="Any time"
            value={url.cleaned}
            options={CLEANED_FILTERS.map((value) => ({ value, label: cleanedWord[value] }))}
            onChoose={(text) => change({ cleaned: CLEANED_FILTERS.find((one) => one === text) ?? null }, "push")}
          />
          <Choice
            label="Today"
            all="Any run, or none"
            value={url.today}
            options={recordedCountSchema.options.map((value) => ({ value, label: todayWord(value) }))}
            onChoose={(text) =>
              change({ today: recordedCountSchema.options.find((one) => one === text) ?? null }, "push")
            }
          />
        </div>
      )}
    </>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

interface ChoiceProps {
  readonly label: string;
  /** Without the filter. */
  readonly all: string;
  readonly value: number | string | null;
  readonly options: readonly Option[];
  /** Names a value of the address that is none of the options. */
  readonly missing?: (value: string) => string;
  readonly onChoose: (value: string) => void;
}

function Choice({ label, all, value, options, missing = String, onChoose }: ChoiceProps) {
  const chosen = String(value ?? "");
  const isMissing = chosen !== "" && !options.some((option) => option.value === chosen);
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={chosen}
      data={[{ value: "", label: all }, ...(isMissing ? [{ value: chosen, label: missing(chosen) }] : []), ...options]}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  );
}

function byLabel(one: Option, other: Option): number {
  return one.label.localeCompare(other.label, "en", { numeric: true });
}

function numberOf(value: string): number | null {
  return value === "" ? null : Number(value);
}

function partnersOf(sites: readonly FleetSite[]): readonly Option[] {
  const names = new Map<number, string>();
  for (const { maintenance_partner_id: id, partner_name: name } of sites) if (id !== null) names.set(id, name ?? "");
  return Array.from(names, ([id, label]) => ({ value: String(id), label })).toSorted(byLabel);
}

function useDistinct<T>(items: readonly T[], textOf: (item: T) => string): readonly Option[] {
  const texts = [...new Set(items.map(textOf))].filter(Boolean);
  const key = texts.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })).join("\n");
  return useMemo(() => (key === "" ? [] : key.split("\n").map((text) => ({ value: text, label: text }))), [key]);
}

/** Which columns the table has. */
export function ColumnsMenu({
  columns,
  change,
}: {
  readonly columns: FleetUrl["columns"];
  readonly change: ChangeFleet;
}) {
  return (
    <Menu position="bottom-end" width={200} closeOnItemClick={false}>
      <Menu.Target>
        <ToolButton icon={IconColumns3}>Columns</ToolButton>
      </Menu.Target>
      <Menu.Dropdown>
        {COLUMN_IDS.filter((id) => id !== "serial").map((id) => {
          const isShown = columns.includes(id);
          return (
            <Menu.Item
              key={id}
              role="menuitemcheckbox"
              aria-checked={isShown}
              leftSection={<span className={classes["mark"]}>{isShown ? "✓" : ""}</span>}
              onClick={() =>
                change({ columns: isShown ? columns.filter((one) => one !== id) : [...columns, id] }, "replace")
              }
            >
              {FLEET_COLUMNS[id].label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
