import {
  BIAS_DAYS,
  correctModel,
  measuredComparison,
  type SiteComparison,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import {
  deleteMeasurements,
  exportMeasurements,
  MEASURED_DAYS_MAX,
  measuredDays,
  storeMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import { type CorrectedFact, SOILING_PAST_DAYS } from "@suncrew/contract/soiling/soiling.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { Code, Group } from "@mantine/core";
import { IconAdjustments, IconFileUpload, IconInfoCircle, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, send } from "../../platform/api/call.ts";
import { change, refusalIn } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import { ExportButton } from "../../platform/export-button.tsx";
import { QueryState } from "../../platform/query-state.tsx";
import { DayRangeFields } from "../../ui/day-range-fields.tsx";
import { endsBeforeItBegins, shortDayText } from "../../ui/days.ts";
import { DeleteDialog } from "../../ui/delete-dialog.tsx";
import { DetailsPopover } from "../../ui/details-popover.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { Cell } from "../../ui/virtual-table.tsx";
import { ImportDialog } from "../imports/public.ts";
import { correctedAnswers, EnterFacts } from "./site-facts.tsx";
import { DaysTable } from "./soiling-course.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./measured-section.module.css";
import {
  cleaningText,
  controlRowsText,
  controlValueText,
  correctionWords,
  energyBiasText,
  gainText,
  indexText,
  intervalText,
  notCountedLook,
  notCountedText,
  stationBiasText,
  tooFewDaysText,
} from "./measured-text.ts";
import { energyText, percentText, shortDateText } from "./soiling-text.ts";

/** §11 What was measured at the site, against what the model says. */
export function MeasuredSection({ site }: { readonly site: Site }) {
  const [isImporting, setImporting] = useState(false);
  const query = useQuery(routeQuery(measuredComparison, { params: { siteId: site.id } }));
  return (
    <section className={`${shared["card"]} ${classes["measured"]}`} aria-label="Measured">
      {query.data === undefined && <h3 className={shared["title"]}>Measured</h3>}
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading what is measured" lines={2} lineHeightPx={24} />}
        failed="What is measured at this site could not be loaded."
      >
        {(comparison) => (
          <>
            <Head site={site} comparison={comparison} onImport={() => setImporting(true)} />
            {comparison.first !== null && <Compared site={site} comparison={comparison} />}
          </>
        )}
      </QueryState>
      {isImporting && (
        <ImportDialog
          target={{ kind: "measurements", siteId: site.id, siteName: site.name }}
          onClose={() => setImporting(false)}
        />
      )}
    </section>
  );
}

interface HeadProps {
  readonly site: Site;
  readonly comparison: SiteComparison;
  readonly onImport: () => void;
}

/** What there is, and the ways to bring it in and out. */
function Head({ site, comparison: { first, last }, onImport }: HeadProps) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className={classes["head"]}>
      <div>
        <h3 className={shared["title"]}>Measured</h3>
        <p className={shared["muted"]}>
          {first === null || last === null ? (
            <>
              Nothing yet. Import a CSV file of the site&rsquo;s energy or of a soiling station, or send it by API:{" "}
              <Code>
                {storeMeasurements.method} {storeMeasurements.path.replace(":siteId", String(site.id))}
              </Code>
            </>
          ) : first === last ? (
            `${shortDayText(first)}.`
          ) : (
            `From ${shortDayText(first)} to ${shortDayText(last)}; the last ${SOILING_PAST_DAYS} days are compared with the model.`
          )}
        </p>
      </div>
      <Group gap={8} className={shared["touchAll"]}>
        <ToolButton icon={IconFileUpload} aria-haspopup="dialog" onClick={onImport}>
          Import
        </ToolButton>
        {first !== null && last !== null && (
          <>
            <ExportButton
              label="Export"
              what="What is measured"
              fileName="measurements"
              blockedReason={null}
              request={(signal) => send(exportMeasurements, exportOf(site, { first, last }), { signal })}
            />
            <ToolButton icon={IconTrash} aria-haspopup="dialog" onClick={() => setDeleting(true)}>
              Delete
            </ToolButton>
            {isDeleting && (
              <DeleteDays site={site} days={{ from: first, to: last }} onClose={() => setDeleting(false)} />
            )}
          </>
        )}
      </Group>
    </div>
  );
}

/** The newest days, as many as a file holds. */
function exportOf(site: Site, { first, last }: { readonly first: string; readonly last: string }) {
  const earliest = addDays(last, 1 - MEASURED_DAYS_MAX);
  return { params: { siteId: site.id }, query: { from: first > earliest ? first : earliest, to: last } };
}

interface DeleteDaysProps {
  readonly site: Site;
  /** Of which there is anything. */
  readonly days: { readonly from: string; readonly to: string };
  readonly onClose: () => void;
}

function DeleteDays({ site, days, onClose }: DeleteDaysProps) {
  const [{ from, to }, setRange] = useState<{ from: string | null; to: string | null }>(days);
  const isWhole = from !== null && to !== null && !endsBeforeItBegins({ from, to });
  const onDelete = async () => {
    if (!isWhole) return null;
    const changed = await change({
      send: () => call(deleteMeasurements, { params: { siteId: site.id }, query: { from, to } }),
      invalidates: [queryKeyOf(measuredComparison), queryKeyOf(measuredDays)],
      success: ({ message }) => ({ title: "Measurements Deleted", message }),
      failure: null,
    });
    const refusal = refusalIn(changed, "Nothing was deleted.");
    if (refusal === null) onClose();
    return refusal;
  };
  return (
    <DeleteDialog
      title="Delete Measurements"
      blockedReason={null}
      unknown={isWhole ? null : "Enter the first and the last day."}
      onDelete={onDelete}
      onClose={onClose}
    >
      <p>
        All that was measured at <strong>{site.name}</strong> on these days is deleted: energy, ratios and curtailment,
        of days and hours.
      </p>
      <Group gap={12} mt="sm" align="flex-start">
        <DayRangeFields days={{ from, to }} onChange={(part) => setRange((was) => ({ ...was, ...part }))} />
      </Group>
    </DeleteDialog>
  );
}

function Compared({ site, comparison }: ControlProps) {
  const { days, energy, station, cleanings, source } = comparison;
  const told = cleanings.flatMap((cleaning) => {
    const text = cleaningText(cleaning);
    return text === null ? [] : [{ date: cleaning.date, text }];
  });
  const verified = cleanings.filter(({ verdict }) => verdict === "VERIFIED").length;
  if (days.length === 0) {
    return <p className={shared["muted"]}>The days that are measured are older than those of the model.</p>;
  }
  return (
    <>
      <div className={classes["figures"]}>
        {source !== null && (
          <section aria-label="Energy against the model">
            <h4 className={classes["name"]}>Energy against the model</h4>
            <p className={classes["value"]}>{energy.bias === null ? "Not known yet" : energyBiasText(energy.bias)}</p>
            <p>
              {energy.bias === null
                ? `${energy.days} of the ${BIAS_DAYS} clear days that it takes.`
                : `${intervalText(energy.bias)}, from ${energy.days} clear days by ${source === "meter" ? "the meter" : "the inverters"}.`}
            </p>
            <p className={shared["muted"]}>{notCountedText(days)}</p>
            <CorrectButton comparison={comparison} fact="performance_ratio_percent" />
          </section>
        )}
        {days.some(({ station_ratio: ratio }) => ratio !== null) && (
          <section aria-label="Station against the model">
            <h4 className={classes["name"]}>Loss by the soiling station</h4>
            <p className={classes["value"]}>
              {station.bias === null ? "Not known yet" : stationBiasText(station.bias)}
            </p>
            <p>
              {station.bias === null
                ? `${station.days} of the ${BIAS_DAYS} dry days with some loss that it takes.`
                : `${intervalText(station.bias)}, from ${station.days} dry days.`}
            </p>
            <CorrectButton comparison={comparison} fact="soiling_rate_factor" />
          </section>
        )}
        {source !== null && <Control site={site} comparison={comparison} />}
        {cleanings.length > 0 && (
          <section aria-label="Cleanings verified">
            <h4 className={classes["name"]}>Cleanings verified</h4>
            <p className={classes["value"]}>
              {verified} of {cleanings.length}
            </p>
            <p className={shared["muted"]}>
              A cleaning is verified only where three days that count before it and three after show a gain above their
              noise.
            </p>
          </section>
        )}
      </div>
      {cleanings.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by the keyboard
        <ul className={classes["cleanings"]} aria-label="Cleanings" tabIndex={0}>
          {told.map(({ date, text }) => (
            <li key={date}>
              <strong>{shortDateText(date)}</strong> {text}
            </li>
          ))}
          {told.length < cleanings.length && <li>{tooFewDaysText(cleanings.length - told.length)}</li>}
        </ul>
      )}
      <MeasuredDays comparison={comparison} />
    </>
  );
}

interface CorrectButtonProps {
  readonly comparison: SiteComparison;
  readonly fact: CorrectedFact;
}

/** Nothing is corrected but by this. */
function CorrectButton({ comparison: { site_id: siteId, proposed }, fact }: CorrectButtonProps) {
  const [isBusy, run] = useBusy();
  const correction = proposed.find((one) => one.fact === fact);
  if (correction === undefined) return null;
  const { from, to, follows } = correctionWords(correction);
  const correct = async () => {
    const isMeant = await confirm({
      title: "Correct the Model",
      message: `The model counts with ${to} instead of ${from}. ${follows} It can be taken back above.`,
      confirmLabel: `Set ${to}`,
    });
    if (!isMeant) return;
    await change({
      send: () => call(correctModel, { params: { siteId }, body: correction }),
      invalidates: correctedAnswers,
      success: ({ message }) => ({ title: "Model Corrected", message }),
      failure: { title: "Model Not Corrected", message: "Nothing was changed." },
    });
  };
  return (
    <>
      <p>{`With ${to} instead of ${from} the model would agree.`}</p>
      <Group mt={6} className={shared["touchAll"]}>
        <ToolButton
          icon={IconAdjustments}
          loading={isBusy}
          aria-label={`Correct the model: ${to}`}
          onClick={() => void run(correct)}
        >
          Correct the model
        </ToolButton>
      </Group>
    </>
  );
}

interface ControlProps {
  readonly site: Site;
  readonly comparison: SiteComparison;
}

/** What frequent cleaning brings, which no comparison of nights can tell; and how to set it up where there is none. */
function Control({ site, comparison: { control } }: ControlProps) {
  const isMissing = control !== null && control.missing.length > 0;
  return (
    <section aria-label="Control rows">
      <h4 className={classes["name"]}>Cleaned against control rows</h4>
      {control !== null && !isMissing && (
        <>
          <p className={classes["value"]}>{controlValueText(control)}</p>
          <p>{controlRowsText(control)}</p>
        </>
      )}
      {isMissing && (
        <>
          <p className={classes["value"]}>Not known yet</p>
          <p>Their energy is measured. It takes their capacity, beside that of the site.</p>
        </>
      )}
      {control === null && (
        <>
          <p className={classes["value"]}>None yet</p>
          <p>Rows left out on purpose show what frequent cleaning brings; the energy of the site alone cannot.</p>
        </>
      )}
      <Group mt={6} gap={8} className={shared["touchAll"]}>
        {isMissing && <EnterFacts site={site} />}
        <DetailsPopover
          label="About control rows"
          width="min(440px, calc(100vw - 24px))"
          renderOpener={(handlers) => (
            <ToolButton icon={IconInfoCircle} {...handlers}>
              {control === null ? "How to set them up" : "About control rows"}
            </ToolButton>
          )}
        >
          {() => <AboutControlRows />}
        </DetailsPopover>
      </Group>
    </section>
  );
}

function AboutControlRows() {
  return (
    <div tabIndex={-1} data-autofocus className={classes["about"]}>
      <h3 className={shared["title"]}>Control rows</h3>
      <p>
        Robots that clean every night leave no days without cleaning to compare with, so that their energy alone cannot
        show what they bring. Rows that are left out on purpose can: they have the same sun on the same days.
      </p>
      <ol>
        <li>
          Choose a few rows, one or two in a hundred, of the same modules, tilt and age as the others, without shade and
          on inverters of their own. No robot cleans them.
        </li>
        <li>
          Let everything be cleaned for two weeks first. The result must be &ldquo;not measurable&rdquo;: otherwise the
          rows differ by themselves.
        </li>
        <li>
          Enter their capacity in the site&rsquo;s form (&ldquo;Control rows&rdquo;), and import the energy of their
          inverters as <Code>control_energy_kwh</Code>, beside that of the whole site.
        </li>
        <li>Wait. Rain cleans control rows, too, and counts as what it is: cleaning that costs nothing.</li>
      </ol>
      <p>
        Compared is what each kWp gave on the days that count. The interval holds in 95 of 100 cases if days are
        independent of each other; a difference of less than 1&nbsp;% is never called measurable, as two groups of rows
        differ by that when all are clean.
      </p>
    </div>
  );
}

const COLUMNS = ["Day", "Measured", "Clean", "Index", "By model", "Station", "Control", "Counts"];
const COLUMNS_PX = 690;

function MeasuredDays({ comparison: { days } }: { readonly comparison: SiteComparison }) {
  return (
    <DaysTable
      label="Measured days"
      columns={COLUMNS}
      columnsPx={COLUMNS_PX}
      days={days}
      className={classes["table"]}
      rowClassName={classes["tableRow"]}
    >
      {(day, isNarrow) => {
        const named = (name: string, text: string) => (text === "" ? "" : isNarrow ? `${name} ${text}` : text);
        return (
          <>
            <Cell area="day">{shortDateText(day.date)}</Cell>
            <Cell area="measured">{day.measured_kwh === null ? "" : energyText(day.measured_kwh)}</Cell>
            <Cell area="clean">{named("Clean", day.clean_kwh === null ? "" : energyText(day.clean_kwh))}</Cell>
            <Cell area="index">{named("Index", day.index === null ? "" : indexText(day.index))}</Cell>
            <Cell area="model">
              {named("By model", day.modelled_ratio === null ? "" : indexText(day.modelled_ratio))}
            </Cell>
            <Cell area="station">
              {named("Station", day.station_ratio === null ? "" : percentText(day.station_ratio))}
            </Cell>
            <Cell area="control">{named("Control", day.control_gain === null ? "" : gainText(day.control_gain))}</Cell>
            <Cell area="counts">{day.not_counted === null ? "Counts" : notCountedLook[day.not_counted].words}</Cell>
          </>
        );
      }}
    </DaysTable>
  );
}
