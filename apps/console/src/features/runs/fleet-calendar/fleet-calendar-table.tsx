import { Anchor, UnstyledButton } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type KeyboardEvent, memo, useState } from "react";
import { Link } from "react-router";
import { paths } from "../../../platform/paths.ts";
import { StatusIcon } from "../../../ui/status-icon.tsx";
import { useVirtualRows } from "../../../ui/virtual-rows.ts";
import { COUNT_WORDS, entryLook } from "../runs-looks.ts";
import shared from "../../../ui/shared.module.css";
import classes from "./fleet-calendar.module.css";
import { type CalendarRow, MARKS, nightText, type SiteNight } from "./fleet-nights.ts";

const ROW_PX = 52;
const HEAD_PX = 40;

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });
const dayMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

const instantOf = (date: string) => new Date(`${date}T00:00:00Z`);

declare module "react" {
  interface CSSProperties {
    readonly "--nights"?: number;
    readonly "--content"?: string;
  }
}

interface FleetCalendarTableProps {
  readonly rows: readonly CalendarRow[];
  readonly dates: readonly string[];
  readonly tonight: string;
  /** "Tonight", or in the morning "Last night". */
  readonly tonightName: string;
  /** Other nights have been asked for, and are on their way. */
  readonly isOld: boolean;
  readonly onOpen: (siteId: number, night: string) => void;
}

/**
 * A row for each site, a column for each night; of a thousand sites only the visible ones are rendered. Tab moves to one
 * night, the arrow keys from there.
 */
export function FleetCalendarTable({ rows, dates, tonight, tonightName, isOld, onOpen }: FleetCalendarTableProps) {
  const [active, setActive] = useState<{ readonly siteId: number; readonly nth: number } | null>(null);
  const tonightNth = Math.max(0, dates.indexOf(tonight));
  const activeNth = Math.min(active?.nth ?? tonightNth, dates.length - 1);
  const activeIndex = Math.max(0, active === null ? 0 : rows.findIndex(({ site }) => site.id === active.siteId));
  const {
    scroll,
    rows: shown,
    totalPx,
    virtualizer,
  } = useVirtualRows({
    count: rows.length,
    rowPx: ROW_PX,
    headPx: HEAD_PX,
    initialHeightPx: 600,
    overscan: 6,
    pinnedIndex: activeIndex,
    keyAt: (index) => rows[index]?.site.id ?? index,
  });
  const [onActive] = useState(() => (siteId: number, nth: number) => setActive({ siteId, nth }));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset["nth"] === undefined) return;
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      Home: [0, -dates.length],
      End: [0, dates.length],
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = Math.min(Math.max(activeIndex + step[0], 0), rows.length - 1);
    const nth = Math.min(Math.max(activeNth + step[1], 0), dates.length - 1);
    const siteId = rows[index]?.site.id;
    if (siteId === undefined) return;
    setActive({ siteId, nth });
    virtualizer.scrollToIndex(index, { align: "auto" });
    // The row may have to be rendered first.
    requestAnimationFrame(() =>
      scroll.current?.querySelector<HTMLElement>(`[data-site="${siteId}"] [data-nth="${nth}"]`)?.focus(),
    );
  };
  return (
    <>
      <Legend />
      <div
        ref={scroll}
        className={`${shared["card"]} ${classes["scroll"]}`}
        data-old={isOld || undefined}
        style={{ "--content": `${totalPx + 2}px` }}
      >
        {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- one of its nights has the focus */}
        <div
          className={classes["table"]}
          role="grid"
          aria-label="Nights of all sites"
          aria-rowcount={rows.length + 1}
          aria-busy={isOld}
          style={{ "--nights": dates.length, height: totalPx }}
          onKeyDown={onKeyDown}
        >
          <div role="rowgroup" className={classes["head"]}>
            <div role="row" aria-rowindex={1} className={`${shared["columnNames"]} ${classes["names"]}`}>
              <span role="columnheader" className={classes["siteHead"]}>
                Site
              </span>
              {dates.map((date) => (
                <span
                  key={date}
                  role="columnheader"
                  className={classes["dayHead"]}
                  data-tonight={date === tonight || undefined}
                  aria-current={date === tonight ? "date" : undefined}
                >
                  <span className={classes["dayWord"]}>
                    {date === tonight ? tonightName : weekday.format(instantOf(date))}
                  </span>
                  <span>{dayMonth.format(instantOf(date))}</span>
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup">
            {shown.map(({ index, start }) => {
              const row = rows[index];
              return (
                row !== undefined && (
                  <Row
                    key={row.site.id}
                    row={row}
                    index={index}
                    start={start}
                    activeNth={index === activeIndex ? activeNth : null}
                    onActive={onActive}
                    onOpen={onOpen}
                  />
                )
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

/** What the icons mean, in the order in which they are shown. */
function Legend() {
  return (
    <ul className={classes["legend"]} aria-label="What the icons mean">
      {(["done", "planned", ...MARKS] as const).map((state) => (
        <li key={state}>
          <StatusIcon look={entryLook[state]} size={14} />
          {entryLook[state].label}
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  readonly row: CalendarRow;
  readonly index: number;
  readonly start: number;
  /** Which of its nights can be reached with Tab; null if none. */
  readonly activeNth: number | null;
  readonly onActive: (siteId: number, nth: number) => void;
  readonly onOpen: (siteId: number, night: string) => void;
}

const Row = memo(function Row({ row, index, start, activeNth, onActive, onOpen }: RowProps) {
  const { site, nights } = row;
  return (
    <div
      className={classes["row"]}
      role="row"
      aria-rowindex={index + 2}
      data-site={site.id}
      style={{ top: start, height: ROW_PX }}
    >
      <span role="rowheader" className={classes["site"]}>
        <Anchor
          component={Link}
          to={paths.dashboard(site.id)}
          className={shared["truncate"] ?? ""}
          fz={13}
          fw={600}
          title={site.name}
          tabIndex={activeNth === null ? -1 : 0}
        >
          {site.name}
        </Anchor>
        <span className={`${shared["muted"]} ${shared["truncate"]}`}>{site.state}</span>
      </span>
      {nights.map((night, nth) => (
        <span
          key={night.date}
          role="gridcell"
          className={classes["cell"]}
          data-tonight={night.when === "tonight" || undefined}
        >
          <UnstyledButton
            className={`${shared["inset"]} ${classes["night"]}`}
            data-nth={nth}
            data-tone={night.state === null ? "plain" : entryLook[night.state].tone}
            data-state={night.state ?? "none"}
            aria-haspopup="dialog"
            tabIndex={nth === activeNth ? 0 : -1}
            onFocus={() => onActive(site.id, nth)}
            onClick={() => onOpen(site.id, night.date)}
          >
            <span className={shared["visuallyHidden"]}>{cellLabel(site.name, night)}</span>
            <span className={classes["figures"]} aria-hidden>
              <NightFigures night={night} />
            </span>
          </UnstyledButton>
        </span>
      ))}
    </div>
  );
});

function cellLabel(siteName: string, night: SiteNight): string {
  const day = `${weekday.format(instantOf(night.date))} ${dayMonth.format(instantOf(night.date))}`;
  const text = nightText(night);
  const isFree = night.state === null && night.when !== "past";
  return `${siteName}, ${day}: ${text}${isFree ? ". Plan a run" : ""}`;
}

/** How many robots were done of how many, and what became of the others; or when the next run begins. */
function NightFigures({ night }: { readonly night: SiteNight }) {
  const { state, counts, robots, plan, when } = night;
  if (state === null) {
    return when === "past" ? (
      <span className={classes["none"]}>–</span>
    ) : (
      <IconPlus size={16} className={classes["plus"]} aria-hidden />
    );
  }
  if (state === "planned" && plan !== null) {
    return (
      <>
        <span className={classes["figure"]}>
          <StatusIcon look={entryLook.planned} size={14} />
          <strong>{plan.first}</strong>
          <span className={classes["more"]}>{plan.minutes} min</span>
        </span>
        <span className={classes["marks"]}>
          <span>
            {counts.planned} {counts.planned === 1 ? "robot" : "robots"}
          </span>
          {plan.groups > 1 && <span>{plan.groups} groups</span>}
        </span>
      </>
    );
  }
  return (
    <>
      <span className={classes["figure"]}>
        <StatusIcon look={entryLook[state]} size={14} />
        <strong>
          <span className={classes["long"]}>
            {counts.done} of {robots}
          </span>
          <span className={classes["short"]}>
            {counts.done}/{robots}
          </span>
        </strong>
        <span className={classes["more"]}>done</span>
      </span>
      <span className={classes["marks"]}>
        {MARKS.filter((mark) => counts[mark] > 0).map((mark) => (
          <span key={mark} data-tone={entryLook[mark].tone} title={wordOf(mark)}>
            <StatusIcon look={entryLook[mark]} size={13} />
            {counts[mark]}
          </span>
        ))}
        {plan !== null && (
          <span title="planned">
            <StatusIcon look={entryLook.planned} size={13} />
            {plan.first}
          </span>
        )}
      </span>
    </>
  );
}

function wordOf(mark: (typeof MARKS)[number]): string {
  return COUNT_WORDS.find(({ count }) => count === mark)?.word ?? mark;
}
