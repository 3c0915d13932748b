import { recordedCountSchema, type RecordedCount } from "@suncrew/contract/runs/runs.ts";
import type { FleetFigure } from "@suncrew/domain/robots/fleet-figures.ts";
import { choiceParam, idParam, sameNames, textParam, type UrlParam, type UrlSchema } from "../../platform/url-state.ts";
import { FIGURE_NAMES, FLEET_FIGURES } from "./fleet-looks.ts";

/** The columns of the table in their order, as addresses name them. The serial number always comes first. */
export const COLUMN_IDS = [
  "serial",
  "name",
  "site",
  "status",
  "now",
  "battery",
  "cleaned",
  "today",
  "group",
  "firmware",
  "state",
  "partner",
  "motor",
  "control",
  "installed",
  "reported",
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];

const DEFAULT_COLUMNS: readonly ColumnId[] = [
  "serial",
  "site",
  "status",
  "now",
  "battery",
  "cleaned",
  "group",
  "firmware",
];

/** At least so many days without cleaning, or not cleaned at all. */
export const CLEANED_FILTERS = ["1", "3", "7", "14", "30", "never"] as const;
export type CleanedFilter = (typeof CLEANED_FILTERS)[number];

export interface FleetSort {
  readonly column: ColumnId;
  readonly isDescending: boolean;
}

/** Which robots are shown; null or empty is no filter. */
export interface FleetFilter {
  readonly search: string;
  readonly figure: FleetFigure | null;
  readonly siteId: number | null;
  /** The federal state of the site. */
  readonly state: string;
  readonly partnerId: number | null;
  readonly groupId: number | null;
  /** Percent. */
  readonly batteryBelow: number | null;
  readonly firmware: string;
  readonly cleaned: CleanedFilter | null;
  /** Only robots with a run that Today counts here. */
  readonly today: RecordedCount | null;
}

export interface FleetUrl extends FleetFilter {
  readonly sort: FleetSort;
  readonly columns: readonly ColumnId[];
}

export const NO_FILTER: FleetFilter = {
  search: "",
  figure: null,
  siteId: null,
  state: "",
  partnerId: null,
  groupId: null,
  batteryBelow: null,
  firmware: "",
  cleaned: null,
  today: null,
};

export function isFiltered(filter: FleetFilter): boolean {
  return Object.keys(NO_FILTER).some((key) => Reflect.get(filter, key) !== Reflect.get(NO_FILTER, key));
}

const percentParam: UrlParam<number | null> = {
  name: "battery",
  parse: (text) => (/^[1-9]\d?$|^100$/.test(text) ? Number(text) : null),
  format: (value) => String(value ?? ""),
};

const isColumn = (text: string): text is ColumnId => COLUMN_IDS.some((id) => id === text);

const sortParam: UrlParam<FleetSort> = {
  name: "sort",
  parse: (text) => {
    const column = text.replace(/^-/, "");
    return { column: isColumn(column) ? column : "serial", isDescending: isColumn(column) && text.startsWith("-") };
  },
  format: ({ column, isDescending }) =>
    column === "serial" && !isDescending ? "" : `${isDescending ? "-" : ""}${column}`,
};

const columnsParam: UrlParam<readonly ColumnId[]> = {
  name: "columns",
  parse: (text) => {
    const named = text.split(",");
    const chosen = COLUMN_IDS.filter((id) => id === "serial" || named.includes(id));
    return chosen.length > 1 ? chosen : DEFAULT_COLUMNS;
  },
  format: (columns) => {
    const text = COLUMN_IDS.filter((id) => columns.includes(id)).join(",");
    return text === COLUMN_IDS.filter((id) => DEFAULT_COLUMNS.includes(id)).join(",") ? "" : text;
  },
};

/** The Robots page's state in its URL. */
export const fleetUrl: UrlSchema<FleetUrl> = {
  search: textParam("q"),
  figure: choiceParam(
    "figure",
    Object.fromEntries(FLEET_FIGURES.map((figure) => [FIGURE_NAMES[figure], figure])),
    null,
  ),
  siteId: idParam("site"),
  state: textParam("state"),
  partnerId: idParam("partner"),
  groupId: idParam("group"),
  batteryBelow: percentParam,
  firmware: textParam("firmware"),
  cleaned: choiceParam("cleaned", sameNames(CLEANED_FILTERS), null),
  today: choiceParam("today", sameNames(recordedCountSchema.options), null),
  sort: sortParam,
  columns: columnsParam,
};
