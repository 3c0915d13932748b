import { Group, SegmentedControl, Skeleton } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { SOILING_PAST_DAYS, type SiteSoiling, type SoilingDay } from "@suncrew/contract/soiling/soiling.ts";
import { IconChartLine, IconTable } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useIsNarrow } from "../../ui/dialog.tsx";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./soiling-course.module.css";
import {
  energyText,
  fewRunsText,
  hasBand,
  lossOf,
  particlesText,
  percentRangeText,
  percentText,
  rainText,
  runsText,
  shortDateText,
} from "./soiling-text.ts";

const SoilingPlots = lazyPart(async () => (await import("./soiling-plot.tsx")).SoilingPlots, {
  waiting: <Skeleton height={430} radius={6} />,
  failed: (failure) => <FailedPart title="The chart could not be loaded." failure={failure} />,
});

/** How many past days are shown at first: as many as can be told apart on a phone. */
const FEW_DAYS = 30;
const SPANS = [
  { value: String(FEW_DAYS), label: `${FEW_DAYS} days` },
  { value: String(SOILING_PAST_DAYS), label: `${SOILING_PAST_DAYS} days` },
];

/** The loss day by day with what caused it, and the forecast with and without a run tonight; or the same as a table. */
export function SoilingCourse({ soiling }: { readonly soiling: SiteSoiling }) {
  const [span, setSpan] = useState(String(FEW_DAYS));
  const [isTable, setTable] = useState(false);
  const past = soiling.days.filter((day) => !day.is_forecast);
  const forecast = soiling.days.filter((day) => day.is_forecast);
  const days = [...past.slice(-Number(span)), ...forecast];
  return (
    <section className={`${shared["card"]} ${classes["course"]}`} aria-label="Loss day by day">
      <div className={classes["head"]}>
        <h3 className={shared["title"]}>Loss day by day, modelled</h3>
        <Group gap={8} className={shared["touchAll"]}>
          <SegmentedControl size="xs" aria-label="Past days shown" value={span} data={SPANS} onChange={setSpan} />
          <ToolButton
            icon={isTable ? IconChartLine : IconTable}
            aria-pressed={isTable}
            onClick={() => setTable((was) => !was)}
          >
            {isTable ? "Show chart" : "Show as table"}
          </ToolButton>
        </Group>
      </div>
      {isTable ? <LossDays days={days} /> : <SoilingPlots days={days} isSample={soiling.source === "sample"} />}
    </section>
  );
}

interface DaysTableProps<T> {
  readonly label: string;
  readonly columns: readonly string[];
  /** As wide as in the style sheet, with the gaps. */
  readonly columnsPx: number;
  readonly days: readonly T[];
  readonly className: string | undefined;
  readonly rowClassName: string | undefined;
  readonly children: (day: T, isNarrow: boolean) => ReactNode;
}

/**
 * Every day with its values, the newest first. Narrow is where its columns have too little room: beside the map that is so on
 * a wide screen, too.
 */
export function DaysTable<T extends { readonly date: string }>({
  columnsPx,
  days,
  children,
  ...table
}: DaysTableProps<T>) {
  const { ref, width } = useElementSize();
  const isPhone = useIsNarrow();
  const isNarrow = width === 0 ? isPhone : width < columnsPx;
  return (
    <div ref={ref}>
      <VirtualTable
        {...table}
        rows={days.toReversed()}
        keyOf={({ date }) => date}
        rowPx={isNarrow ? 84 : 36}
        isNarrow={isNarrow}
      >
        {(day) => children(day, isNarrow)}
      </VirtualTable>
    </div>
  );
}

const COLUMNS = ["Day", "Loss", "Band", "After a run", "Lost", "Rain", "PM10", "PM2.5", "Runs, of rows"];
const COLUMNS_PX = 796;

function LossDays({ days }: { readonly days: readonly SoilingDay[] }) {
  return (
    <DaysTable
      label="Loss day by day"
      columns={COLUMNS}
      columnsPx={COLUMNS_PX}
      days={days}
      className={classes["table"]}
      rowClassName={classes["tableRow"]}
    >
      {(day, isNarrow) => {
        const loss = day.ratio === null ? null : lossOf(day.ratio);
        const cleaned = day.ratio_if_cleaned === null ? null : percentText(1 - day.ratio_if_cleaned);
        return (
          <>
            <Cell area="day">{shortDateText(day.date)}</Cell>
            <Cell area="loss">
              {loss === null ? "Not known" : `${isNarrow ? "Loss " : ""}${percentText(loss.value)}`}
            </Cell>
            <Cell area="band">
              {loss === null || !hasBand(loss) ? "" : `${isNarrow ? "Band " : ""}${percentRangeText(loss)}`}
            </Cell>
            <Cell area="cleaned">{cleaned === null ? "" : `${isNarrow ? "After a run " : ""}${cleaned}`}</Cell>
            <Cell area="lost">{day.lost_kwh === null ? "" : energyText(day.lost_kwh.value)}</Cell>
            <Cell area="rain">{day.rain_mm === null ? "" : `${isNarrow ? "Rain " : ""}${rainText(day.rain_mm)}`}</Cell>
            <Cell area="pm10">{day.pm10 === null ? "" : `${isNarrow ? "PM10 " : ""}${particlesText(day.pm10)}`}</Cell>
            <Cell area="pm25">{day.pm2_5 === null ? "" : particlesText(day.pm2_5)}</Cell>
            <Cell area="runs">
              {day.is_forecast ? "Forecast" : day.runs === 0 ? "" : isNarrow ? runsText(day) : fewRunsText(day)}
            </Cell>
          </>
        );
      }}
    </DaysTable>
  );
}
