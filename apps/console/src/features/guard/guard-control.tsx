import { Anchor, Box, Button, Group } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { FORECAST_FRESH_MS, WITHIN_LIMITS_MS } from "@suncrew/domain/guard/weather-guard.ts";
import { IconAdjustments } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { Notice } from "../../ui/notice.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteShortText } from "../../ui/site-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { useSiteGuard } from "./guard-calls.ts";
import { guardLook } from "./guard-looks.ts";
import { WeatherLimitsDialog } from "./guard-parts.tsx";
import type { SiteGuard } from "./weather-limits-form.ts";

export type GuardedSite = Pick<Site, "id" | "name" | "timezone" | "weather_guard">;

export interface GuardedSiteProps {
  readonly site: GuardedSite;
}

/** Opens the weather limits of a site; says so where its weather is within them. */
export function GuardControl({ site }: GuardedSiteProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {site.weather_guard?.verdict === "CLEAR" && <StateBadge look={guardLook.CLEAR} />}
      <Anchor component="button" type="button" size="sm" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Weather limits
      </Anchor>
      {isOpen && <WeatherLimitsDialog site={site} onClose={() => setOpen(false)} />}
    </>
  );
}

const TITLES = {
  PASSED: "No robot starts: the weather passes a limit of this site",
  UNKNOWN: "No robot starts: the weather at this site is not known",
} as const;

/** Why no robot of a site starts, since when, and how old that is; nothing while the weather is within the limits. */
export function GuardNotice({ site }: GuardedSiteProps) {
  const [isOpen, setOpen] = useState(false);
  const guard = site.weather_guard;
  if (guard === null || guard === undefined || guard.verdict === "CLEAR") return null;
  const { icon: Icon } = guardLook[guard.verdict];
  return (
    <Notice mt={10} role="status" icon={<Icon size={18} aria-hidden />} title={TITLES[guard.verdict]}>
      <p>{guard.text}</p>
      <Group gap="6px 12px" mt={6} justify="space-between">
        <Box className={shared["muted"]} component="p">
          <Ages site={site} />
        </Box>
        <span className={shared["touchAll"]}>
          <ToolButton icon={IconAdjustments} aria-haspopup="dialog" onClick={() => setOpen(true)}>
            Weather limits
          </ToolButton>
        </span>
      </Group>
      {isOpen && <WeatherLimitsDialog site={site} onClose={() => setOpen(false)} />}
    </Notice>
  );
}

function Ages({ site }: GuardedSiteProps) {
  const { data, isError, isFetching, refetch } = useSiteGuard(site);
  if (data !== undefined) return <KnownAges site={site} guard={data} />;
  if (!isError) return "Reading since when ...";
  return (
    <>
      Since when could not be read.{" "}
      <Button
        size="compact-xs"
        variant="default"
        className={shared["touch"] ?? ""}
        loading={isFetching}
        onClick={() => void refetch()}
      >
        Retry
      </Button>
    </>
  );
}

type Sensor = NonNullable<SiteGuard["sensor"]>;

interface GuardProps extends GuardedSiteProps {
  readonly guard: SiteGuard;
}

function KnownAges({ site, guard }: GuardProps) {
  const now = useNow();
  const { passed_since: since, within_since: withinSince } = guard;
  return (
    <>
      {since !== null && (
        <>
          Passed since {siteShortText(new Date(since), site.timezone, now)} (<RelativeTime at={since} />
          ).{" "}
        </>
      )}
      {withinSince !== null && (
        <>Within the limits again since {siteShortText(new Date(withinSince), site.timezone, now)}. </>
      )}
      <ForecastAge guard={guard} />
      {guard.forecast_at !== null &&
        now.getTime() - Date.parse(guard.forecast_at) > FORECAST_FRESH_MS &&
        " One that is older than six hours counts for nothing."}
      {guard.sensor !== null && (
        <>
          {" "}
          <SensorAge sensor={guard.sensor} />
        </>
      )}
    </>
  );
}

/** When the weather sensor of a site was heard last, and whether that counts. */
export function SensorAge({ sensor: { serial, received_at: at, fresh } }: { readonly sensor: Sensor }) {
  if (at === null) return `Sensor ${serial} has not been heard yet.`;
  return (
    <>
      Sensor {serial}: last reading <RelativeTime at={at} />
      {fresh ? "." : ", which does not count any more."}
    </>
  );
}

/** Whose forecast counts, and how old it is. */
export function ForecastAge({ guard: { forecast_at: at, forecast_source: source } }: Pick<GuardProps, "guard">) {
  if (at === null) return "No forecast of this hour and the next has been received. Suncrew keeps asking.";
  return (
    <>
      {source === "sample" ? (
        "Sample forecast"
      ) : (
        <>
          Forecast of {/* Its licence requires the name and the link. */}
          <Anchor href="https://open-meteo.com/" target="_blank" rel="noreferrer" inherit td="underline">
            Open-Meteo
          </Anchor>
        </>
      )}
      , received <RelativeTime at={at} />.
    </>
  );
}

/** In a site's row, only while its weather lets no robot start. */
export function GuardMark({ siteId }: { readonly siteId: number }) {
  const verdict = useLiveValue(useCallback(() => liveStore.site(siteId)?.weather_guard?.verdict, [siteId]));
  if (verdict === undefined || verdict === "CLEAR") return null;
  const look = guardLook[verdict];
  return (
    <span title={look.label}>
      <StatusIcon look={look} size={14} />
      <span className={shared["visuallyHidden"]}>{look.label}, </span>
    </span>
  );
}

interface SkippedByWeatherProps extends GuardedSiteProps {
  /** When it is due, ISO 8601. */
  readonly dueAt: string;
}

/** At the next run of a schedule, only where it is certain to be skipped: nothing can end a passed limit before it is due. */
export function SkippedByWeather({ site, dueAt }: SkippedByWeatherProps) {
  const now = useNow();
  const isPassed = site.weather_guard?.verdict === "PASSED";
  const isNear = Date.parse(dueAt) < now.getTime() + WITHIN_LIMITS_MS;
  const { data } = useSiteGuard(site, { isEnabled: isPassed && isNear });
  if (!isPassed || !isNear || data?.state?.verdict !== "PASSED") return null;
  const within = data.within_since === null ? now.getTime() : Date.parse(data.within_since);
  if (Date.parse(dueAt) >= within + WITHIN_LIMITS_MS) return null;
  return <>. It will be skipped. {site.weather_guard?.text}</>;
}
