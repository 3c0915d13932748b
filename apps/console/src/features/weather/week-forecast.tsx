import { Popover, UnstyledButton } from "@mantine/core";
import type { ForecastDay } from "@suncrew/contract/weather/weather.ts";
import { ADVICE_DAYS, isRainDay, RAIN_PERCENT } from "@suncrew/domain/weather/weather-advice.ts";
import { IconChevronDown } from "@tabler/icons-react";
import { weatherIcon } from "./weather-meaning.ts";
import {
  celsiusRange,
  kilometresPerHour,
  monthOf,
  percent,
  sentenceOf,
  shortDayOf,
  weekdayOf,
} from "./weather-words.ts";
import { weekBars } from "./week-bars.ts";
import classes from "./week-forecast.module.css";

/** The library names a popover by its button; empty, its own label counts. */
const NOT_ITS_BUTTON = "";

/** §3 Weather: the 7-day forecast as bars; pressed, it is a table. */
export function WeekForecast({ days }: { readonly days: readonly ForecastDay[] }) {
  return (
    <Popover withArrow shadow="md" trapFocus returnFocus width="min(400px, calc(100vw - 24px))">
      <div className={classes["week"]}>
        <Bars days={days} />
        <Popover.Target>
          <UnstyledButton className={classes["opener"]} aria-label="7-day forecast">
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Popover.Target>
      </div>
      <Popover.Dropdown p="8px" aria-labelledby={NOT_ITS_BUTTON} aria-label="7-day forecast">
        <div tabIndex={-1} data-autofocus className={classes["details"]}>
          <WeekTable days={days} />
          <p className={classes["note"]}>
            The recommendation counts days with precipitation above {percent(RAIN_PERCENT)} among the first{" "}
            {ADVICE_DAYS}.
          </p>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Bars({ days }: { readonly days: readonly ForecastDay[] }) {
  return (
    <div className={classes["bars"]} role="img" aria-label={days.map((day) => sentenceOf(day)).join(" ")}>
      {weekBars(days).map(({ date, coldFrom, warmth, rain }) => (
        <span key={date} className={classes["day"]}>
          <span className={classes["graphic"]}>
            <span className={classes["warmth"]} style={{ bottom: `${coldFrom}%`, height: `${warmth}%` }} />
            <span className={classes["rain"]} style={{ height: `${rain}%` }} />
          </span>
          {weekdayOf(date)}
        </span>
      ))}
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
          <th scope="col">
            <span className={classes["key"]} data-of="warmth" />
            Temperature
          </th>
          <th scope="col">
            <span className={classes["key"]} data-of="rain" />
            Rain
          </th>
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
