import { NativeSelect } from "@mantine/core";
import { activityStatusSchema, activityUsers } from "@suncrew/contract/activity/activity.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { DayRangeFields } from "../../ui/day-range-fields.tsx";
import { ACTION_FILTERS, EVERYTHING, type FilterUrl, furtherFilters } from "./activity-url.ts";
import { actionFilterWord, outcomeLook } from "./activity-looks.ts";
import classes from "./activity-page.module.css";
import { ToolButton } from "../../ui/tool-button.tsx";

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The specified filter by action. */
export function ActionFilter({ filters, change }: FilterUrl) {
  return (
    <NativeSelect
      size="sm"
      aria-label="Filter by action"
      value={filters.action}
      data={ACTION_FILTERS.map((value) => ({ value, label: actionFilterWord[value] }))}
      onChange={({ currentTarget }) =>
        change({ action: ACTION_FILTERS.find((action) => action === currentTarget.value) ?? "all" }, "push")
      }
    />
  );
}

/** By site, robot, user, outcome and dates, besides the specified search and action filter. */
export function ActivityFilters({ filters, change }: FilterUrl) {
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const users = useQuery(routeQuery(activityUsers, {})).data ?? [];
  const robots =
    useQuery({
      ...routeQuery(robotsList, { params: { siteId: filters.siteId ?? 0 } }),
      enabled: filters.siteId !== null,
    }).data ?? [];
  const siteChoices = sites.map(({ id, name }) => ({ value: String(id), label: name })).toSorted(byLabel);
  const robotChoices = robots.map(({ id, robot_name }) => ({ value: String(id), label: robot_name })).toSorted(byLabel);
  const outcomes = activityStatusSchema.options.map((value) => ({ value, label: outcomeLook[value].label }));
  const people = users.map((name) => ({ value: name, label: name })).toSorted(byLabel);
  return (
    <div className={classes["filters"]} role="group" aria-label="Filters">
      <NativeSelect
        size="xs"
        label="Site"
        value={filters.siteId ?? ""}
        data={withAll("All Sites", siteChoices, filters.siteId, (id) => `Site ${id}`)}
        onChange={({ currentTarget }) => change({ siteId: idOf(currentTarget.value) }, "push")}
      />
      <NativeSelect
        size="xs"
        label="Robot"
        value={filters.robotId ?? ""}
        disabled={filters.siteId === null && filters.robotId === null}
        title={filters.siteId === null ? "Choose a site first" : undefined}
        data={withAll("All Robots", robotChoices, filters.robotId, (id) => `Robot ${id}`)}
        onChange={({ currentTarget }) => change({ robotId: idOf(currentTarget.value) }, "push")}
      />
      <NativeSelect
        size="xs"
        label="User"
        value={filters.user}
        data={withAll("All Users", people, filters.user === "" ? null : filters.user, (name) => name)}
        onChange={({ currentTarget }) => change({ user: currentTarget.value }, "push")}
      />
      <NativeSelect
        size="xs"
        label="Outcome"
        value={filters.outcome ?? ""}
        data={withAll("All Outcomes", outcomes, null, String)}
        onChange={({ currentTarget }) => {
          const outcome = activityStatusSchema.options.find((status) => status === currentTarget.value) ?? null;
          change({ outcome }, "push");
        }}
      />
      <DayRangeFields days={filters} onChange={(days) => change(days, "push")} />
      {furtherFilters(filters) > 0 && (
        <ToolButton
          icon={IconFilterOff}
          variant="subtle"
          className={classes["clear"]}
          onClick={() => change({ ...EVERYTHING, search: filters.search, action: filters.action }, "push")}
        >
          Clear filters
        </ToolButton>
      )}
    </div>
  );
}

function byLabel(one: Choice, other: Choice): number {
  return one.label.localeCompare(other.label, "en", { numeric: true });
}

function idOf(value: string): number | null {
  return value === "" ? null : Number(value);
}

/** A filter's value is offered even if it is not among the choices: a deleted site has its history. */
function withAll<T extends string | number>(
  all: string,
  choices: readonly Choice[],
  chosen: T | null,
  nameOf: (chosen: T) => string,
): Choice[] {
  const isMissing = chosen !== null && !choices.some(({ value }) => value === String(chosen));
  const missing = isMissing ? [{ value: String(chosen), label: nameOf(chosen) }] : [];
  return [{ value: "", label: all }, ...missing, ...choices];
}
