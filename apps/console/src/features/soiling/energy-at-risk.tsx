import { Anchor, Button, Skeleton } from "@mantine/core";
import { energyAtRisk } from "@suncrew/contract/soiling/soiling.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { IconBolt, IconChevronDown, IconChevronUp, IconCloudOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./energy-at-risk.module.css";
import { energyBandText, energyText, hasBand, moneyText, percentBandText, percentText } from "./soiling-text.ts";

type AtRisk = ResponseOf<typeof energyAtRisk>;
type SiteAtRisk = AtRisk["sites"][number];

/** The figures change when inputs come and runs end: read again this often, in milliseconds. */
const REFRESH_MS = 300_000;
/** The same while nothing is known: the first air and weather may be on their way. */
const FIRST_MS = 15_000;
const FACTS = "capacity, tilt, azimuth and performance ratio";
/** Sites that are named without a press, where there is room. */
const FEW = 3;

/** What not cleaning tonight costs over all sites, and at which most; each leads to its site. */
export function AtRiskCard() {
  const query = useQuery({
    ...routeQuery(energyAtRisk, {}),
    refetchInterval: ({ state }) => (state.data?.known_sites === 0 ? FIRST_MS : REFRESH_MS),
  });
  const [isWhole, setWhole] = useState(false);
  return (
    <section className={`${shared["card"]} ${classes["card"]}`} aria-label="Energy at risk tonight">
      <QueryState
        query={query}
        loading={
          <div className={classes["line"]} role="status" aria-label="Loading the energy at risk">
            <Skeleton height={16} width="60%" />
          </div>
        }
        renderFailed={({ onRetry, retrying = false }) => (
          <div className={classes["line"]} role="alert">
            <IconCloudOff size={20} aria-hidden />
            <p className={classes["words"]}>The energy at risk tonight could not be loaded.</p>
            <Button
              size="compact-sm"
              variant="default"
              className={shared["touch"]}
              loading={retrying}
              onClick={onRetry}
            >
              Retry
            </Button>
          </div>
        )}
      >
        {(risk) =>
          risk.total_kwh === null ? (
            <NothingKnown risk={risk} />
          ) : (
            <>
              <Total risk={risk} total={risk.total_kwh} isWhole={isWhole} onWhole={setWhole} />
              {isWhole && <Ranking risk={risk} />}
            </>
          )
        }
      </QueryState>
    </section>
  );
}

/** Which sites are not in the figures, and why; empty if all are. */
function leftOutText(risk: AtRisk): string {
  const { unknown_sites: unknown, missing_facts_sites: factless, waiting_sites: waiting, stale_sites: stale } = risk;
  const others = unknown - factless - waiting;
  const parts = [
    factless > 0 && `${sitesText(factless)} without facts`,
    waiting > 0 && `${sitesText(waiting)} still waiting for particles and rain`,
    others > 0 && `${sitesText(others)} not known`,
    stale > 0 && `${sitesText(stale)} out of date`,
  ];
  return parts.filter((part) => part !== false).join(", ");
}

function sitesText(count: number): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? "site" : "sites"}`;
}

function NothingKnown({ risk }: { readonly risk: AtRisk }) {
  const { missing_facts_sites: factless, waiting_sites: waiting, stale_sites: stale } = risk;
  const ofSites = (count: number) => `of ${sitesText(count)}`;
  return (
    <div className={classes["line"]}>
      <IconBolt size={20} aria-hidden />
      <div className={classes["words"]}>
        <p>
          <strong>Energy at risk tonight</strong> is not known{stale > 0 ? " now" : " for any site"}.
        </p>
        <p className={shared["muted"]}>
          {[
            stale > 0 && `The forecasts ${ofSites(stale)} are out of date; Suncrew keeps asking.`,
            waiting > 0 && `The first particles and rain ${ofSites(waiting)} are on their way.`,
            factless > 0 && `${sitesText(factless)} ${factless === 1 ? "needs" : "need"} ${FACTS}.`,
          ]
            .filter((sentence) => sentence !== false)
            .join(" ")}
        </p>
      </div>
      {factless > 0 && (
        <Button component={Link} to={paths.sites()} size="compact-sm" variant="default" className={shared["touch"]}>
          Enter facts
        </Button>
      )}
    </div>
  );
}

interface TotalProps {
  readonly risk: AtRisk;
  readonly total: NonNullable<AtRisk["total_kwh"]>;
  readonly isWhole: boolean;
  readonly onWhole: (isWhole: boolean) => void;
}

function Total({ risk, total, isWhole, onWhole }: TotalProps) {
  const leftOut = risk.unknown_sites + risk.stale_sites;
  const isSample = risk.sites.some(({ source }) => source === "sample");
  const [first] = risk.sites;
  return (
    <div className={classes["line"]}>
      <IconBolt size={20} aria-hidden />
      <div className={classes["words"]}>
        <p>
          <strong>Energy at risk tonight</strong>{" "}
          <strong className={classes["total"]}>{energyText(total.value)}</strong>
          {risk.totals_money.map(({ currency, money }) => (
            <span key={currency} className={classes["total"]}>
              {moneyText(money.value, currency)}
            </span>
          ))}{" "}
          {isSample && <span className={shared["tag"]}>Sample</span>}
        </p>
        <p className={shared["muted"]}>
          Modelled{hasBand(total) && `, ${energyBandText(total)}`}
          {risk.factor_sites > 0 && `, with a factor on particles at ${sitesText(risk.factor_sites)}`}
          {first !== undefined && (
            <>
              , <RelativeTime at={oldest(risk.sites, first)} />
            </>
          )}
          {leftOut > 0 && `. ${sitesText(leftOut)} left out`}.
        </p>
      </div>
      <ol className={classes["top"]} aria-label="Sites with most at risk">
        {!isWhole &&
          risk.sites.slice(0, FEW).map((site) => (
            <li key={site.site_id}>
              <SiteLink site={site} isShortcut>
                {site.site_name}
              </SiteLink>{" "}
              <span>{energyText(site.gain_kwh.value)}</span>
            </li>
          ))}
      </ol>
      <Button
        size="compact-sm"
        variant="default"
        className={shared["touch"]}
        aria-expanded={isWhole}
        rightSection={isWhole ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
        onClick={() => onWhole(!isWhole)}
      >
        {isWhole ? "Show less" : "Show sites"}
      </Button>
    </div>
  );
}

/** When the figure computed longest ago was computed. */
function oldest(sites: readonly SiteAtRisk[], first: SiteAtRisk): string {
  return sites.reduce((at, { computed_at: other }) => (other < at ? other : at), first.computed_at);
}

interface SiteLinkProps {
  readonly site: SiteAtRisk;
  /** There may be no room for it: the keyboard leads through the ranking. */
  readonly isShortcut?: boolean;
  readonly children: ReactNode;
}

function SiteLink({ site, isShortcut = false, children }: SiteLinkProps) {
  return (
    <Anchor
      component={Link}
      to={paths.soiling(site.site_id)}
      inherit
      className={classes["site"]}
      tabIndex={isShortcut ? -1 : undefined}
    >
      {children}
    </Anchor>
  );
}

/** All of them with their bands, the one with most first. */
function Ranking({ risk }: { readonly risk: AtRisk }) {
  const leftOut = leftOutText(risk);
  const most = Math.max(...risk.sites.map(({ gain_kwh: gain }) => gain.value), 0);
  return (
    <div className={classes["ranking"]}>
      <ol aria-label="Sites by energy at risk">
        {risk.sites.map((site) => (
          <li key={site.site_id} className={classes["row"]}>
            <span className={classes["name"]}>
              <SiteLink site={site}>{site.site_name}</SiteLink>{" "}
              {site.source === "sample" && <span className={shared["tag"]}>Sample</span>}
            </span>
            <span className={classes["bar"]} aria-hidden>
              <span style={{ width: `${most === 0 ? 0 : Math.max(0, (100 * site.gain_kwh.value) / most)}%` }} />
            </span>
            <strong>{energyText(site.gain_kwh.value)}</strong>
            <span>
              {site.gain_money !== null && site.currency !== null && moneyText(site.gain_money.value, site.currency)}
            </span>
            <span className={`${shared["muted"]} ${classes["more"]}`}>
              {hasBand(site.gain_kwh) && `${energyBandText(site.gain_kwh)}; `}
              soiling ratio {percentText(site.ratio.value)}
              {hasBand(site.ratio) && `, ${percentBandText(site.ratio)}`}
              {site.soiling_rate_factor !== 1 && `; particles \u00d7${site.soiling_rate_factor}`}
            </span>
          </li>
        ))}
      </ol>
      <p className={shared["muted"]}>
        What a cleaning of the whole site tonight would gain over the next five days, or until rain cleans. Modelled
        from particles and rain, not measured.
        {risk.known_sites > risk.sites.length &&
          ` The first ${risk.sites.length.toLocaleString("en-GB")} of ${sitesText(risk.known_sites)}.`}
        {leftOut !== "" && ` Left out: ${leftOut}.`}
      </p>
    </div>
  );
}
