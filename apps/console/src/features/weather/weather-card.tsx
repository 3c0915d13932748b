import { Anchor, Box, Button, Group, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { type CurrentWeather, type ForecastDay, siteWeather, type Weather } from "@suncrew/contract/weather/weather.ts";
import type { GuardVerdict } from "@suncrew/contract/guard/guard-state.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { guardWord } from "@suncrew/domain/guard/guard-words.ts";
import { ADVICE_DAYS, isRainDay, RAIN_PERCENT } from "@suncrew/domain/weather/weather-advice.ts";
import { IconChevronDown, IconCloudOff, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { type QueryFailure, QueryState } from "../../platform/query-state.tsx";
import { toast } from "../../platform/toast.tsx";
import { DetailsPopover } from "../../ui/details-popover.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./weather-card.module.css";
import { WeatherLoading } from "./weather-panel.tsx";
import { weatherAdviceLook, weatherIcon } from "./weather-looks.tsx";
import {
  celsius,
  celsiusRange,
  hectopascals,
  kilometresPerHour,
  monthOf,
  percent,
  sentenceOf,
  shortDayOf,
  weekdayOf,
} from "./weather-text.ts";

export interface WeatherOfSiteProps {
  readonly site: Pick<Site, "id" | "weather_guard">;
}

/** The weather of a site, in the dashboard's frame for it. */
export function WeatherCard({ site }: WeatherOfSiteProps) {
  const query = useSiteWeather(site.id);
  return (
    <QueryState query={query} loading={<WeatherLoading />} renderFailed={(failure) => <Unavailable {...failure} />}>
      {(weather) => (
        <div className={`${shared["card"]} ${classes["place"]} ${classes["card"]}`}>
          <Now current={weather.current} />
          <WeekForecast days={weather.forecast} />
          <Advice weather={weather} guard={site.weather_guard} />
        </div>
      )}
    </QueryState>
  );
}

interface WeatherLineProps extends Guarded {
  readonly weather: Weather;
}

export function WeatherLine({ weather: { current, forecast, advice }, guard }: WeatherLineProps) {
  const Icon = weatherIcon[current.icon];
  const rain = forecast[0] === undefined ? "" : `, rain ${percent(forecast[0].precipitation_percent)}`;
  const resting = restsBy(guard);
  const says = resting === null ? weatherAdviceLook[advice].label : guardWord[resting];
  return (
    <span>
      <Icon size="1em" stroke={1.6} aria-hidden />{" "}
      {`${celsius(current.temperature)}, ${current.description.toLowerCase()}${rain}. ${says}.`}
    </span>
  );
}

function Now({ current }: { readonly current: CurrentWeather }) {
  const Icon = weatherIcon[current.icon];
  return (
    <div className={classes["now"]}>
      <Icon size={28} stroke={1.6} aria-hidden />
      <div>
        <Box component="p" fz={14} fw={650} lh="20px">
          {celsius(current.temperature)}{" "}
          <Box component="span" fw={400}>
            {current.description}
          </Box>
        </Box>
        <ul className={`${shared["muted"]} ${classes["readings"]}`}>
          <li>
            <VisuallyHidden>Wind </VisuallyHidden>
            {kilometresPerHour(current.wind_speed)}
          </li>
          <li>Humidity {percent(current.humidity)}</li>
          <li>
            <VisuallyHidden>Pressure </VisuallyHidden>
            {hectopascals(current.pressure)}
          </li>
        </ul>
      </div>
    </div>
  );
}

interface Guarded {
  /** What the site's wind and rain guard says; it comes before any advice. */
  readonly guard: Site["weather_guard"];
}

/** Why the guard lets no robot start; null where it does, or there is none. */
function restsBy(guard: Guarded["guard"]): Exclude<GuardVerdict, "CLEAR"> | null {
  const verdict = guard?.verdict ?? "CLEAR";
  return verdict === "CLEAR" ? null : verdict;
}

/** §4 Weather recommendation, and whose forecast it is based on; plain where no robot may start whatever it says. */
function Advice({ weather, guard }: Guarded & { readonly weather: Weather }) {
  const look = weatherAdviceLook[weather.advice];
  const resting = restsBy(guard);
  return (
    <Box miw={0}>
      <Group gap="2px 8px">
        <StateBadge look={resting === null ? look : { ...look, tone: "plain" }} />
        <Source weather={weather} />
      </Group>
      <p className={`${shared["muted"]} ${classes["sentence"]}`}>{look.sentence}</p>
      {resting !== null && (
        <p className={`${shared["muted"]} ${classes["sentence"]}`}>
          {`By rain of ${ADVICE_DAYS} days only. No robot starts now: ${guardWord[resting].toLowerCase()}.`}
        </p>
      )}
    </Box>
  );
}

function Source({ weather }: { readonly weather: Weather }) {
  if (weather.source === "sample")
    return <span className={`${shared["muted"]} ${classes["source"]}`}>Sample forecast</span>;
  return (
    <span className={`${shared["muted"]} ${classes["source"]}`}>
      {/* Its licence requires the name and the link. */}
      <Anchor href="https://open-meteo.com/" target="_blank" rel="noreferrer" inherit underline="always">
        Open-Meteo
      </Anchor>
      , <RelativeTime at={weather.fetched_at} />
    </span>
  );
}

/** §8 Weather. */
function Unavailable({ onRetry, retrying: isRetrying = false }: QueryFailure) {
  return (
    <div className={`${shared["card"]} ${classes["place"]} ${classes["unavailable"]}`}>
      <IconCloudOff size={22} stroke={1.6} aria-hidden />
      <Box component="p" fz={14} fw={650} lh="20px">
        Weather data unavailable
      </Box>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} className={isRetrying ? shared["turning"] : undefined} aria-hidden />}
        // If it were really disabled it would lose the focus.
        aria-disabled={isRetrying}
        data-disabled={isRetrying || undefined}
        onClick={isRetrying ? undefined : onRetry}
      >
        Retry
      </Button>
    </div>
  );
}

/** §3 Weather: the 7-day forecast, each day with its icon and chance of rain; pressing it shows a table. */
function WeekForecast({ days }: { readonly days: readonly ForecastDay[] }) {
  return (
    <Box pos="relative" c="dimmed">
      <Week days={days} />
      <DetailsPopover
        label="7-day forecast"
        width="min(400px, calc(100vw - 24px))"
        renderOpener={(handlers) => (
          <UnstyledButton className={classes["opener"]} aria-label="7-day forecast" {...handlers}>
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        )}
      >
        {() => (
          <div tabIndex={-1} data-autofocus className={classes["details"]}>
            <WeekTable days={days} />
            <Box component="p" mt={8} mx={4} fz={12} lh="16px" c="dimmed">
              The recommendation counts days with precipitation above {percent(RAIN_PERCENT)} among the first{" "}
              {ADVICE_DAYS}.
            </Box>
          </div>
        )}
      </DetailsPopover>
    </Box>
  );
}

function Week({ days }: { readonly days: readonly ForecastDay[] }) {
  return (
    <div className={classes["week"]} role="img" aria-label={days.map((day) => sentenceOf(day)).join(" ")}>
      <span className={classes["rain"]}>Rain</span>
      {days.map((day) => {
        const Icon = weatherIcon[day.icon];
        return (
          <span key={day.date} className={classes["day"]}>
            {weekdayOf(day.date)}
            <Icon size={16} stroke={1.6} aria-hidden />
            <span className={classes["rain"]} data-rain={isRainDay(day) || undefined}>
              {percent(day.precipitation_percent)}
            </span>
          </span>
        );
      })}
    </div>
  );
}

function WeekTable({ days }: { readonly days: readonly ForecastDay[] }) {
  return (
    <table className={classes["table"]}>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Weather</th>
          <th scope="col">Temperature</th>
          <th scope="col">Rain</th>
          <th scope="col">Wind</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => {
          const Icon = weatherIcon[day.icon];
          return (
            <tr key={day.date}>
              <th scope="row">
                {shortDayOf(day.date)}
                <span className={classes["month"]}> {monthOf(day.date)}</span>
              </th>
              <td>
                <span className={classes["weather"]}>
                  <Icon size={16} stroke={1.6} aria-hidden />
                  {day.description}
                </span>
              </td>
              <td>{celsiusRange(day.min_temperature, day.max_temperature)}</td>
              <td data-rain={isRainDay(day) || undefined}>{percent(day.precipitation_percent)}</td>
              <td>{kilometresPerHour(day.wind_speed)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** How often the forecast is refetched, in milliseconds; the server caches its own for longer. */
const REFRESH_MS = 900_000;

/** The selected site's weather. Each failure shows a toast (§8 Weather). */
function useSiteWeather(siteId: number) {
  const query = useQuery({
    ...routeQuery(siteWeather, { params: { siteId } }),
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });
  const { error } = query;
  useEffect(() => {
    if (error === null || error instanceof TokenExpiredError) return;
    const reason = serverReason(error);
    toast.failure({ title: "Weather", message: "Failed to load weather data", reason, isAutomatic: true });
  }, [error]);

  // While it is retried the failure stays, and so does the focus on Retry.
  const hasFailed = query.isError || (query.isPending && query.errorUpdateCount > 0);
  return { ...query, data: hasFailed ? undefined : query.data, isError: hasFailed };
}
