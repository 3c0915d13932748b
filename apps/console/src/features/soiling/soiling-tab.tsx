import { Anchor, Button, Group, Skeleton } from "@mantine/core";
import { type SiteSoiling, siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { gapLook } from "@suncrew/domain/soiling/soiling-gaps.ts";
import { IconCloudQuestion, IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { todayIn } from "../../ui/days.ts";
import { DetailsPopover } from "../../ui/details-popover.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Notice } from "../../ui/notice.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { MeasuredSection } from "./measured-section.tsx";
import { Corrections, EnterFacts } from "./site-facts.tsx";
import { SoilingCourse } from "./soiling-course.tsx";
import type { SoilingTabProps } from "./soiling-parts.tsx";
import { StrategiesSection } from "./strategies-section.tsx";
import classes from "./soiling-tab.module.css";
import {
  energyBandText,
  energyText,
  hasBand,
  missingLines,
  modelText,
  moneyBandText,
  moneyText,
  percentBandText,
  percentText,
  shortDateText,
} from "./soiling-text.ts";

/** Inputs are renewed every few hours and runs end at night: it is read again this often, in milliseconds. */
const REFRESH_MS = 300_000;
/** The same while nothing is known: the first air and weather may be on their way. */
const FIRST_MS = 15_000;

/** §11 How soiled a site is by model, what that costs, what cleaning tonight is worth, and the next night that pays. */
export function SoilingCard({ site }: SoilingTabProps) {
  const query = useQuery({
    ...routeQuery(siteSoiling, { params: { siteId: site.id } }),
    staleTime: REFRESH_MS,
    refetchInterval: ({ state }) => (state.data?.ratio === null ? FIRST_MS : REFRESH_MS),
  });
  return (
    <section className={classes["card"]} aria-label="Soiling">
      <QueryState query={query} loading={<SoilingLoading />} failed="The soiling of this site could not be loaded.">
        {(soiling) => (
          <>
            <Basis soiling={soiling} />
            <Corrections site={site} soiling={soiling} />
            <Gaps site={site} soiling={soiling} />
            {soiling.ratio === null ? (
              <NotKnown soiling={soiling} />
            ) : (
              <>
                <Figures site={site} soiling={soiling} />
                <SoilingCourse soiling={soiling} />
              </>
            )}
          </>
        )}
      </QueryState>
      <StrategiesSection site={site} />
      <MeasuredSection site={site} />
    </section>
  );
}

/** In the shape of what comes. */
function SoilingLoading() {
  return (
    <div role="status" aria-label="Loading the soiling" className={classes["card"]}>
      <Skeleton height={36} radius={6} />
      <div className={classes["figures"]}>
        {["ratio", "lost", "gain", "night"].map((figure) => (
          <Skeleton key={figure} className={classes["figure"]} radius={8} />
        ))}
      </div>
      <Skeleton className={classes["plots"]} radius={8} />
    </div>
  );
}

/** That all is modelled, from what, how old, and how much of the time is known. */
function Basis({ soiling }: { readonly soiling: SiteSoiling }) {
  const { source, received_at: receivedAt, coverage_percent: coverage, is_stale: isStale, model } = soiling;
  const isSample = source === "sample";
  return (
    <>
      <div className={classes["basis"]}>
        <p className={classes["basisWords"]}>
          <strong className={classes["modelled"]}>Modelled, not measured</strong>
          {isSample && (
            <>
              {" "}
              <span className={shared["tag"]}>Sample</span>
            </>
          )}{" "}
          {model !== null && (
            <>
              {modelText(soiling, isSample)}
              {source === "open-meteo" && (
                <>
                  {" of "}
                  {/* Its licence requires the name and the link. */}
                  <Anchor href="https://open-meteo.com/" target="_blank" rel="noreferrer" inherit underline="always">
                    Open-Meteo
                  </Anchor>
                  {model === "hsu" && " (Copernicus CAMS)"}
                </>
              )}
              {receivedAt !== null && (
                <>
                  , received <RelativeTime at={receivedAt} />
                </>
              )}
              {`. ${Math.floor(coverage)}\u00a0% of the hours of the last 92 days are known.`}
            </>
          )}
        </p>
        <DetailsPopover
          label="How this is known"
          width="min(440px, calc(100vw - 24px))"
          renderOpener={(handlers) => (
            <ToolButton icon={IconInfoCircle} className={shared["touch"]} {...handlers}>
              How this is known
            </ToolButton>
          )}
        >
          {() => <HowItIsKnown soiling={soiling} />}
        </DetailsPopover>
      </div>
      {isStale && receivedAt !== null && (
        <Notice title="The forecast is out of date" role="status">
          Particles and rain were last received <RelativeTime at={receivedAt} />. Until newer ones come, nothing is said
          of tonight and of the next days; Suncrew keeps asking.
        </Notice>
      )}
    </>
  );
}

/** What is missing, figure by figure, and the way to enter it. */
function Gaps({ site, soiling }: { readonly site: Site; readonly soiling: SiteSoiling }) {
  const lines = missingLines(soiling);
  if (lines.length === 0) return null;
  const isMissing = (by: "site form" | "robots" | "inputs") => soiling.missing.some((gap) => gapLook[gap].by === by);
  return (
    <Notice title="Some facts are missing" role="group">
      <ul>
        {lines.map(({ figure, needs }) => (
          <li key={figure}>
            {figure} <strong>{needs}</strong>.
          </li>
        ))}
      </ul>
      {isMissing("inputs") && (
        <p>
          Suncrew reads particles, rain and irradiation by itself, every three hours. If they stay missing, the server
          may not reach Open-Meteo: whoever runs it can tell.
        </p>
      )}
      <Group gap={8} mt={8} className={shared["touchAll"]}>
        {isMissing("site form") && <EnterFacts site={site} />}
        {isMissing("robots") && (
          <Button
            component={Link}
            to={paths.sites({ siteId: site.id, dialog: "add-robot" })}
            size="xs"
            variant="default"
          >
            Add robots
          </Button>
        )}
      </Group>
    </Notice>
  );
}

function NotKnown({ soiling: { missing } }: { readonly soiling: SiteSoiling }) {
  const awaitsInputs = missing.some((gap) => gapLook[gap].by === "inputs");
  return (
    <EmptyState
      title="How soiled this site is is not known yet."
      message={
        awaitsInputs
          ? "As soon as particles and rain of this place have been received, the loss of the last 92 days and of the next days is shown here."
          : "Nothing is guessed: it is shown here once the facts above are entered."
      }
      icon={<IconCloudQuestion size={32} stroke={1.5} />}
    />
  );
}

interface FiguresProps {
  readonly site: Site;
  readonly soiling: SiteSoiling;
}

function Figures({ site, soiling }: FiguresProps) {
  const { ratio, second_opinion: second, currency } = soiling;
  return (
    <div className={classes["figures"]}>
      {ratio !== null && (
        <Figure name="Soiling ratio now" value={percentText(ratio.value)}>
          {hasBand(ratio) && <p>{percentBandText(ratio)}</p>}
          {soiling.is_beyond_measured && <p>More dust than the model was measured for: the loss may be greater.</p>}
          <p className={shared["muted"]}>
            {`Clean panels: 100\u00a0%.`}
            {second !== null && ` Second opinion, from rain alone: ${percentText(second)}.`}
          </p>
        </Figure>
      )}
      <Figure name="Lost since the last cleaning" {...energyValue(soiling.lost_kwh, soiling.lost_money, currency)}>
        <EnergyBand energy={soiling.lost_kwh} money={soiling.lost_money} currency={currency} />
        <p className={shared["muted"]}>
          <SinceCleaning site={site} soiling={soiling} />
        </p>
      </Figure>
      <Figure
        name="A run tonight is worth"
        {...energyValue(soiling.tonight_gain_kwh, soiling.tonight_gain_money, currency)}
      >
        <EnergyBand energy={soiling.tonight_gain_kwh} money={soiling.tonight_gain_money} currency={currency} />
        <p className={shared["muted"]}>
          Of the whole site, over the next five days or until rain cleans.
          {soiling.cleaning_price !== null &&
            currency !== null &&
            ` It costs ${moneyText(soiling.cleaning_price, currency)}.`}
        </p>
      </Figure>
      <NextNight site={site} soiling={soiling} />
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string | null;
  /** The same in money. */
  readonly more?: string | null;
  readonly children: ReactNode;
}

function Figure({ name, value, more = null, children }: FigureProps) {
  return (
    <section className={`${shared["card"]} ${classes["figure"]}`} aria-label={name}>
      <h3 className={classes["name"]}>{name}</h3>
      {value === null ? (
        <p className={classes["unknown"]}>Not known</p>
      ) : (
        <p className={classes["value"]}>
          <span>{value}</span> {more !== null && <span>{more}</span>}
        </p>
      )}
      {children}
    </section>
  );
}

type BandedOrNone = SiteSoiling["lost_kwh"];

function energyValue(energy: BandedOrNone, money: BandedOrNone, currency: string | null) {
  return {
    value: energy === null ? null : energyText(energy.value),
    more: money === null || currency === null ? null : moneyText(money.value, currency),
  };
}

interface EnergyBandProps {
  readonly energy: BandedOrNone;
  readonly money: BandedOrNone;
  readonly currency: string | null;
}

function EnergyBand({ energy, money, currency }: EnergyBandProps) {
  if (energy === null || !hasBand(energy)) return null;
  return (
    <>
      <p>{energyBandText(energy)}</p>
      {money !== null && currency !== null && <p>{moneyBandText(money, currency)}</p>}
    </>
  );
}

function SinceCleaning({ site, soiling: { last_cleaning: cleaning, days } }: FiguresProps) {
  const now = useNow();
  if (cleaning !== null) {
    const at = siteTimeText(new Date(cleaning.at), site.timezone, now);
    return cleaning.cause === "RUN" ? `Since the run that ended on ${at}.` : `Since the rain of ${at}.`;
  }
  const [first] = days;
  return first === undefined
    ? "No cleaning is known."
    : `Since ${shortDateText(first.date)}, when the known days begin: no cleaning since is known.`;
}

const noNight = {
  RAIN_NEAR: "Wait for the rain",
  NOT_YET: "None foreseen",
  WORTH_IT: "None foreseen",
  UNKNOWN: null,
} as const;

function NextNight({ site, soiling: { next_night: night, ...soiling } }: FiguresProps) {
  const now = useNow();
  const isTonight = night.date === todayIn(site.timezone, now);
  const value = night.date === null ? noNight[night.reason] : isTonight ? "Tonight" : shortDateText(night.date);
  const { worth_from_percent: worthFrom, best_interval_days: interval } = soiling;
  return (
    <Figure name="Next worthwhile night" value={value}>
      <p>{night.text}</p>
      <p className={shared["muted"]}>
        {[
          night.is_extrapolated && "Beyond the forecast, by the mean loss of the last days.",
          worthFrom !== null && `Cleaning pays from a loss of ${percentText(worthFrom / 100)}.`,
          interval !== null && `Best interval at the present rate: ${daysText(interval)}.`,
        ]
          .filter((words) => words !== false)
          .join(" ")}
      </p>
    </Figure>
  );
}

function daysText(days: number): string {
  const rounded = days < 9.95 ? Math.round(days * 10) / 10 : Math.round(days);
  return `${rounded.toLocaleString("en-GB")} ${rounded === 1 ? "day" : "days"}`;
}

/** The assumptions behind every figure, in short. */
function HowItIsKnown({ soiling }: { readonly soiling: SiteSoiling }) {
  const isKimber = soiling.model === "kimber";
  return (
    <div tabIndex={-1} data-autofocus className={classes["known"]}>
      <h3 className={shared["title"]}>How this is known</h3>
      <p>
        Nothing here is measured on the panels.{" "}
        {isKimber
          ? `${soiling.missing.includes("particles") ? "Particles are not known for this place" : "The tilt is not known, by which particles settle"}, so a rule of thumb counts (Kimber): a fixed loss a day, gone after enough rain or a run.`
          : "Particles from the air settle on the panels by their size and tilt and take light by the model of Humboldt State University (HSU); rain of 1 mm in an hour cleans all rows."}
        {soiling.soiling_rate_factor !== 1 &&
          ` What settles is multiplied by ${soiling.soiling_rate_factor} for this site.`}
      </p>
      <ul>
        <li>
          <strong>How sure:</strong>{" "}
          {isKimber
            ? "the loss a day differs from place to place. The band is the same rule with half and with twice of it"
            : "particles come from cells of 25 to 40 km. The band is the same model with half and with twice the particles"}
          ; it covers no bird droppings, works or dust of a road nearby.
        </li>
        <li>
          <strong>Rows:</strong> each robot is taken to clean an equal share of the site. A completed run cleans its row
          by the effectiveness entered for the site, a shorter one by its share of the time.
          {soiling.uncounted_runs > 0 && (
            <>
              {" "}
              {soiling.uncounted_runs.toLocaleString("en-GB")} ended{" "}
              {soiling.uncounted_runs === 1 ? "run is" : "runs are"} not counted: without a schedule nobody knows how
              long the row takes.
            </>
          )}
        </li>
        <li>
          <strong>Start:</strong> on the first known day the panels are taken to be clean. Hours without{" "}
          {isKimber ? "known rain" : "particles"} add nothing.
        </li>
        <li>
          <strong>Energy:</strong> capacity × irradiation in the plane of the panels × performance ratio; lost is what
          soiling takes of it, money that at the tariff entered.
        </li>
        <li>
          <strong>Tonight:</strong> the difference between the forecast days with the whole site cleaned tonight and
          without, until rain cleans by itself.
        </li>
      </ul>
    </div>
  );
}
