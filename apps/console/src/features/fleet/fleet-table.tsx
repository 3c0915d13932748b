import { Anchor, Button, Checkbox, UnstyledButton } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import type { RunOfToday } from "@suncrew/contract/runs/runs.ts";
import { wasSeenMoving } from "@suncrew/domain/robots/lost-while-moving.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { IconArrowDown, IconArrowUp, IconPlayerStopFilled } from "@tabler/icons-react";
import { type KeyboardEvent, memo, type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { dayText } from "../../ui/site-time-text.ts";
import { useNow } from "../../ui/use-now.ts";
import { useVirtualRows } from "../../ui/virtual-rows.ts";
import {
  blockedReasonText,
  commandRobot,
  controllableOf,
  robotActivityOf,
  RobotBatteryBadge,
  RobotStatusBadge,
  RunBar,
  type RobotView,
  stopKeyOf,
  useRobotView,
} from "../robots/public.ts";
import shared from "../../ui/shared.module.css";
import type { FleetRow, RunsByRobot } from "./fleet-rows.ts";
import classes from "./fleet-table.module.css";
import type { ColumnId, FleetSort } from "./fleet-url.ts";

interface Column {
  readonly label: string;
  /** The least width in pixels; wider tables share the rest by the weights. */
  readonly widthPx: number;
  readonly weight: number;
  readonly cell: (row: FleetRow, robot: RobotView, runs: RunsByRobot) => ReactNode;
}

export const FLEET_COLUMNS: Record<ColumnId, Column> = {
  serial: { label: "Robot", widthPx: 112, weight: 0, cell: ({ robot }) => <SerialLink robot={robot} /> },
  name: { label: "Name", widthPx: 130, weight: 2, cell: ({ robot }) => <Cut text={robot.robot_name} /> },
  site: { label: "Site", widthPx: 160, weight: 3, cell: ({ site }) => <Cut text={site?.name} /> },
  status: { label: "Status", widthPx: 150, weight: 0, cell: (_, robot) => <RobotStatusBadge robot={robot} /> },
  now: { label: "Now", widthPx: 190, weight: 4, cell: (_, robot) => <Now robot={robot} /> },
  battery: { label: "Battery", widthPx: 92, weight: 0, cell: (_, robot) => <RobotBatteryBadge robot={robot} /> },
  cleaned: {
    label: "Last cleaning",
    widthPx: 116,
    weight: 0,
    cell: ({ robot }) => <Since at={robot.last_cleaned_at} />,
  },
  today: {
    label: "Today",
    widthPx: 220,
    weight: 5,
    cell: ({ id, robot }, _, runs) => <Today serialNumber={robot.serial_number} run={runs.get(id)} />,
  },
  group: { label: "Group", widthPx: 110, weight: 2, cell: ({ groupName }) => <Cut text={groupName} /> },
  firmware: { label: "Firmware", widthPx: 92, weight: 0, cell: ({ robot }) => <Cut text={robot.firmware_version} /> },
  state: { label: "State", widthPx: 120, weight: 1, cell: ({ site }) => <Cut text={site?.state} /> },
  partner: { label: "Partner", widthPx: 140, weight: 2, cell: ({ site }) => <Cut text={site?.partner_name ?? ""} /> },
  motor: { label: "Motor", widthPx: 100, weight: 1, cell: ({ robot }) => <Cut text={robot.motor_type ?? ""} /> },
  control: { label: "Control", widthPx: 100, weight: 1, cell: ({ robot }) => <Cut text={robot.control_type ?? ""} /> },
  installed: {
    label: "Installed",
    widthPx: 130,
    weight: 0,
    cell: ({ robot }) => <Cut text={robot.installation_date === "" ? "" : dayText(robot.installation_date)} />,
  },
  reported: {
    label: "Last report",
    widthPx: 110,
    weight: 0,
    cell: ({ robot }) => <Since at={robot.last_updated_at} />,
  },
};

function SerialLink({ robot }: { readonly robot: FleetRow["robot"] }) {
  return (
    <Anchor component={Link} to={paths.robot(robot.serial_number)} fz={13} fw={600}>
      {robot.serial_number}
    </Anchor>
  );
}

/** One line; a dash for what a robot has not. */
function Cut({ text }: { readonly text: string | undefined }) {
  return text === undefined || text === "" ? (
    <span className={classes["none"]}>–</span>
  ) : (
    <span className={shared["truncate"]} title={text}>
      {text}
    </span>
  );
}

/** Why its run of today ended so; leads to that moment. */
function Today({ serialNumber, run }: { readonly serialNumber: string; readonly run: RunOfToday | undefined }) {
  const at = run?.began_at ?? run?.due_at ?? null;
  if (run === undefined || run.reason === null || at === null) return <Cut text={run?.reason ?? undefined} />;
  return (
    <Link
      to={paths.robot(serialNumber, { at })}
      className={`${shared["truncate"]} ${classes["moment"]}`}
      title={run.reason}
    >
      {run.reason}
    </Link>
  );
}

function Since({ at }: { readonly at: string | null }) {
  return at === null ? <span className={classes["none"]}>Never</span> : <RelativeTime at={at} />;
}

function Now({ robot }: { readonly robot: RobotView }) {
  const { text, kind, plan, limit } = robotActivityOf(robot, useNow());
  return (
    <span className={classes["now"]} data-kind={kind}>
      <span className={shared["truncate"]} title={limit === undefined ? text : `${text}. ${limit}`}>
        {plan?.words ?? text}
      </span>
      <RunBar of={robot.serialNumber} percent={plan?.percent} />
    </span>
  );
}

const ROW_PX = 40;
const NARROW_ROW_PX = 92;
const HEAD_PX = 36;
const SELECT_PX = 40;
const STOP_PX = 92;

export interface FleetTableProps {
  readonly rows: readonly FleetRow[];
  readonly runs: RunsByRobot;
  readonly columns: readonly ColumnId[];
  readonly sort: FleetSort;
  readonly onSort: (sort: FleetSort) => void;
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (ids: readonly number[], isSelected: boolean) => void;
  /** Somebody is using the rows, which must not move now. */
  readonly onUse: () => void;
  readonly isNarrow: boolean;
}

/**
 * Every robot that matches, of which only the visible ones are rendered. Tab moves to one row and its controls; up and
 * down move to the next row, with Shift they select it, too.
 */
export function FleetTable(props: FleetTableProps) {
  const { rows, runs, columns, sort, onSort, selected, onSelect, onUse, isNarrow } = props;
  const [activeId, setActiveId] = useState<number | null>(null);
  const activeIndex = Math.max(0, activeId === null ? 0 : rows.findIndex(({ id }) => id === activeId));
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  const headPx = isNarrow ? 0 : HEAD_PX;
  const {
    scroll,
    rows: shown,
    totalPx,
    virtualizer,
  } = useVirtualRows({
    count: rows.length,
    rowPx,
    headPx,
    initialHeightPx: 600,
    overscan: 6,
    pinnedIndex: activeIndex,
    keyAt: (index) => rows[index]?.id ?? index,
  });
  const lastId = useRef<number | null>(null);
  const latest = useRef({ rows, selected, onSelect });
  useEffect(() => {
    latest.current = { rows, selected, onSelect };
  });
  useEffect(() => {
    scroll.current?.scrollTo({ top: 0 });
    // oxlint-disable-next-line react/exhaustive-deps -- another order is read from its beginning
  }, [sort]);

  const [toggle] = useState(() => (id: number, isSelected: boolean, isRange: boolean) => {
    const { rows: all, onSelect: select } = latest.current;
    const from = isRange ? all.findIndex((row) => row.id === lastId.current) : -1;
    const to = all.findIndex((row) => row.id === id);
    lastId.current = id;
    const range = from < 0 ? [id] : all.slice(Math.min(from, to), Math.max(from, to) + 1).map((row) => row.id);
    select(range, isSelected);
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    onUse();
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const index = rows.findIndex(({ id }) => String(id) === closestRow(event.target));
    const next = step === undefined || index < 0 ? undefined : rows[index + step];
    if (next === undefined) return;
    event.preventDefault();
    if (event.shiftKey) {
      const isSelected = selected.has(rows[index]?.id ?? 0);
      toggle(next.id, isSelected || !selected.has(next.id), false);
    }
    setActiveId(next.id);
    virtualizer.scrollToIndex(index + (step ?? 0), { align: "auto" });
    // The row may have to be rendered first.
    requestAnimationFrame(() =>
      scroll.current?.querySelector<HTMLElement>(`[data-robot="${next.id}"] input`)?.focus({ preventScroll: true }),
    );
  };

  const template = [`${SELECT_PX}px`, ...columns.map((id) => trackOf(FLEET_COLUMNS[id])), `${STOP_PX}px`].join(" ");
  const minWidth = columns.reduce((sum, id) => sum + FLEET_COLUMNS[id].widthPx, SELECT_PX + STOP_PX);
  const allSelected = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  const someSelected = !allSelected && rows.some(({ id }) => selected.has(id));
  return (
    // oxlint-disable jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <div
      ref={scroll}
      className={`${shared["card"]} ${shared["inset"]} ${classes["scroll"]}`}
      role="region"
      id="robots"
      aria-label="Robots, scrollable"
      data-selected={selected.size > 0 || undefined}
      tabIndex={0}
      onPointerMove={onUse}
      onKeyDown={onKeyDown}
    >
      {/* oxlint-enable jsx-a11y/no-noninteractive-tabindex */}
      <div
        className={classes["table"]}
        role="table"
        aria-label="Robots"
        aria-rowcount={rows.length + 1}
        data-narrow={isNarrow || undefined}
        style={{ height: totalPx, ...(isNarrow ? {} : { minWidth }) }}
      >
        <div role="rowgroup" className={isNarrow ? shared["visuallyHidden"] : classes["head"]}>
          <div
            role="row"
            aria-rowindex={1}
            className={`${shared["columnNames"]} ${classes["names"]}`}
            style={isNarrow ? {} : { gridTemplateColumns: template, height: HEAD_PX }}
          >
            <span role="columnheader">
              {!isNarrow && (
                <Checkbox
                  size="xs"
                  aria-label={`Select all ${rows.length.toLocaleString("en-GB")}`}
                  checked={allSelected}
                  indeterminate={someSelected}
                  onChange={() =>
                    onSelect(
                      rows.map(({ id }) => id),
                      !allSelected,
                    )
                  }
                />
              )}
            </span>
            {columns.map((id) => (
              <ColumnHead key={id} id={id} sort={sort} onSort={onSort} isPlain={isNarrow} />
            ))}
            <span role="columnheader">
              <span className={shared["visuallyHidden"]}>Stop</span>
            </span>
          </div>
        </div>
        <div role="rowgroup">
          {shown.map(({ index, start }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <Row
                  key={row.id}
                  row={row}
                  runs={runs}
                  columns={columns}
                  index={index}
                  start={start}
                  heightPx={rowPx}
                  template={template}
                  isNarrow={isNarrow}
                  isActive={index === activeIndex}
                  isSelected={selected.has(row.id)}
                  onToggle={toggle}
                  onActive={setActiveId}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

function trackOf({ widthPx, weight }: Column): string {
  return weight === 0 ? `${widthPx}px` : `minmax(${widthPx}px, ${weight}fr)`;
}

function closestRow(target: EventTarget): string | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-robot]") : null;
  return row?.dataset["robot"];
}

interface ColumnHeadProps extends Pick<FleetTableProps, "sort" | "onSort"> {
  readonly id: ColumnId;
  readonly isPlain: boolean;
}

/** Sorts by its column, and the other way round when pressed again. */
function ColumnHead({ id, sort, onSort, isPlain }: ColumnHeadProps) {
  const { label } = FLEET_COLUMNS[id];
  if (isPlain) return <span role="columnheader">{label}</span>;
  const isSorted = sort.column === id;
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <span
      role="columnheader"
      aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined}
      data-column={id}
    >
      <UnstyledButton
        className={classes["sort"]}
        onClick={() => onSort({ column: id, isDescending: isSorted && !sort.isDescending })}
      >
        {label}
        {isSorted && <Arrow size={13} aria-hidden />}
      </UnstyledButton>
    </span>
  );
}

interface RowProps {
  readonly row: FleetRow;
  readonly runs: RunsByRobot;
  readonly columns: readonly ColumnId[];
  readonly index: number;
  readonly start: number;
  readonly heightPx: number;
  readonly template: string;
  readonly isNarrow: boolean;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onToggle: (id: number, isSelected: boolean, isRange: boolean) => void;
  readonly onActive: (id: number) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { row, runs, columns, index, start, heightPx, template, isNarrow, isActive, isSelected } = props;
  const { onToggle, onActive } = props;
  const robot = useRobotView(row.robot);
  const tabIndex = isActive ? 0 : -1;
  const serial = robot.serialNumber;
  const check = (
    <Checkbox
      size={isNarrow ? "md" : "xs"}
      aria-label={`Select ${serial}`}
      tabIndex={tabIndex}
      checked={isSelected}
      onChange={() => {}}
      onClick={(event: MouseEvent<HTMLInputElement>) => onToggle(row.id, !isSelected, event.shiftKey)}
    />
  );
  const hasReason = typeof runs.get(row.id)?.reason === "string";
  const cell = (id: ColumnId) => FLEET_COLUMNS[id].cell(row, robot, runs);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the focus of its controls
    <div
      className={classes["row"]}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-robot={row.id}
      data-active={isActive || undefined}
      style={{ top: start, height: heightPx, ...(isNarrow ? {} : { gridTemplateColumns: template }) }}
      onFocus={() => onActive(row.id)}
      {...stopKeyOf(robot)}
    >
      <span role="cell" className={classes["cell"]}>
        {isNarrow ? <label className={classes["check"]}>{check}</label> : check}
      </span>
      {isNarrow ? (
        <span role="cell" className={classes["lines"]}>
          <span className={classes["line"]}>
            {cell("serial")} {cell("status")}
          </span>
          <span className={`${classes["line"]} ${shared["muted"]}`}>
            {cell("battery")}
            <span className={shared["truncate"]}>
              {row.site?.name}
              {row.groupName === "" ? "" : `, ${row.groupName}`}
            </span>
          </span>
          <span className={`${classes["line"]} ${shared["muted"]}`}>{hasReason ? cell("today") : cell("now")}</span>
        </span>
      ) : (
        columns.map((id) => (
          <span key={id} role="cell" className={classes["cell"]} data-column={id}>
            {cell(id)}
          </span>
        ))
      )}
      <span role="cell" className={classes["cell"]}>
        <RowStop robot={robot} />
      </span>
    </div>
  );
});

/** A robot that moves, may move or is about to can be stopped here: at once, without a question. */
function RowStop({ robot }: { readonly robot: RobotView }) {
  const controllable = controllableOf(robot);
  if (!wasSeenMoving(robot.motion) && controllable.stopTakesOver !== true) return null;
  const blocked = robotCan.stop(controllable);
  return (
    <DisabledReason reason={blocked === null ? null : blockedReasonText(robot, blocked)}>
      <Button
        size="compact-sm"
        color="red"
        className={shared["touch"] ?? ""}
        leftSection={<IconPlayerStopFilled size={12} aria-hidden />}
        aria-label={`Stop ${robot.serialNumber}`}
        onClick={() => void commandRobot(robot, "STOP")}
      >
        Stop
      </Button>
    </DisabledReason>
  );
}
