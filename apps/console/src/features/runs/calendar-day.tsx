import { UnstyledButton } from "@mantine/core";
import type { CalendarEntry } from "@suncrew/contract/runs/runs.ts";
import { useState } from "react";
import { dayText } from "../../ui/site-time-text.ts";
import { CalendarEntryButton } from "./calendar-entry-button.tsx";
import { foldDay } from "./entry-state.ts";
import classes from "./week-calendar.module.css";

/** More than so many entries of a day are folded until they are asked for. */
const SHOWN = 8;

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

export interface CalendarDayProps {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly today: string;
  readonly timezone: string;
  readonly entries: readonly CalendarEntry[];
}

/** One day: its entries in the order of their times. */
export function CalendarDay({ date, today, timezone, entries }: CalendarDayProps) {
  const [isUnfolded, setUnfolded] = useState(false);
  const shown = isUnfolded ? entries : foldDay(entries, SHOWN);
  const isToday = date === today;
  return (
    <section
      className={classes["day"]}
      aria-label={isToday ? `${dayText(date)}, today` : dayText(date)}
      aria-current={isToday ? "date" : undefined}
      data-today={isToday || undefined}
      data-past={date < today || undefined}
      data-empty={entries.length === 0 || undefined}
    >
      <h4 className={classes["dayHead"]}>
        <span>{weekday.format(new Date(`${date}T00:00:00Z`))}</span> <span>{Number(date.slice(8))}</span>
        {isToday && <span className={classes["today"]}>Today</span>}
      </h4>
      {entries.length === 0 ? (
        <p className={classes["none"]}>Nothing</p>
      ) : (
        <ul className={classes["entries"]}>
          {shown.map((entry) => (
            <li key={entry.key}>
              <CalendarEntryButton entry={entry} timezone={timezone} />
            </li>
          ))}
        </ul>
      )}
      {entries.length > SHOWN && (
        <UnstyledButton
          className={classes["more"]}
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded((former) => !former)}
        >
          {isUnfolded ? "Show fewer" : `Show ${entries.length - SHOWN} more`}
        </UnstyledButton>
      )}
    </section>
  );
}
