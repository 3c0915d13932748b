import { Anchor, Button, Skeleton, VisuallyHidden } from "@mantine/core";
import type { CurrentWeather, Weather } from "@suncrew/contract/weather/weather.ts";
import { IconCloudOff, IconRefresh } from "@tabler/icons-react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useSiteWeather } from "./use-site-weather.ts";
import classes from "./weather-card.module.css";
import { weatherAdviceLook, weatherIcon } from "./weather-meaning.ts";
import { celsius, hectopascals, kilometresPerHour, percent } from "./weather-words.ts";
import { WeekForecast } from "./week-forecast.tsx";

/** §2 Detail panel: the weather card of the selected site. */
export function WeatherCard({ siteId }: { readonly siteId: number }) {
  const { state, weather, retry, isRetrying } = useSiteWeather(siteId);
  return (
    <section className={classes["frame"]} aria-label="Weather">
      {state === "loading" ? (
        <Loading />
      ) : state === "failed" || weather === null ? (
        <Unavailable onRetry={retry} isRetrying={isRetrying} />
      ) : (
        <div className={classes["card"]}>
          <Now current={weather.current} />
          <WeekForecast days={weather.forecast} />
          <Advice weather={weather} />
        </div>
      )}
    </section>
  );
}

function Now({ current }: { readonly current: CurrentWeather }) {
  const Icon = weatherIcon[current.icon];
  return (
    <div className={classes["now"]}>
      <Icon size={28} stroke={1.6} aria-hidden />
      <div>
        <p className={classes["main"]}>
          {celsius(current.temperature)} <span className={classes["description"]}>{current.description}</span>
        </p>
        <ul className={classes["readings"]}>
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

/** §4 Weather recommendation, and whose forecast it is from. */
function Advice({ weather }: { readonly weather: Weather }) {
  const look = weatherAdviceLook[weather.advice];
  return (
    <div className={classes["advice"]}>
      <div className={classes["verdict"]}>
        <StateBadge look={look} />
        <Source weather={weather} />
      </div>
      <p className={classes["sentence"]}>{look.sentence}</p>
    </div>
  );
}

function Source({ weather }: { readonly weather: Weather }) {
  if (weather.source === "sample") return <span className={classes["source"]}>Sample forecast</span>;
  return (
    <span className={classes["source"]}>
      {/* Its licence asks for the name and the link. */}
      <Anchor href="https://open-meteo.com/" target="_blank" rel="noreferrer" inherit underline="always">
        Open-Meteo
      </Anchor>
      , <RelativeTime at={weather.fetched_at} />
    </span>
  );
}

function Loading() {
  return (
    <div role="status">
      <VisuallyHidden>Loading weather</VisuallyHidden>
      <Skeleton className={classes["placeholder"]} radius={8} />
    </div>
  );
}

interface UnavailableProps {
  readonly onRetry: () => void;
  readonly isRetrying: boolean;
}

/** §8 Weather. */
function Unavailable({ onRetry, isRetrying }: UnavailableProps) {
  return (
    <div className={classes["unavailable"]}>
      <IconCloudOff size={22} stroke={1.6} aria-hidden />
      <p className={classes["main"]}>Weather data unavailable</p>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} className={isRetrying ? classes["turning"] : undefined} aria-hidden />}
        // Truly disabled it would lose the focus.
        aria-disabled={isRetrying}
        data-disabled={isRetrying || undefined}
        onClick={isRetrying ? undefined : onRetry}
      >
        Retry
      </Button>
    </div>
  );
}
