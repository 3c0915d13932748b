import { Popover, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { CalendarEntry } from "@suncrew/contract/runs/runs.ts";
import { IconFlask } from "@tabler/icons-react";
import { EntryDetails } from "./entry-details.tsx";
import { entryStateOf } from "./entry-state.ts";
import { countsText } from "./run-texts.ts";
import { entryLook } from "./runs-meaning.ts";
import classes from "./week-calendar.module.css";

/** The library names a popover by its button; empty, its own label counts. */
const NOT_ITS_BUTTON = "";

export interface CalendarEntryProps {
  readonly entry: CalendarEntry;
  readonly timezone: string;
}

/** One run of a group, or of a robot by hand: time, whom, state as icon and word; opens what is known of it. */
export function CalendarEntryButton({ entry, timezone }: CalendarEntryProps) {
  const state = entryStateOf(entry);
  const look = entryLook[state];
  const Icon = look.icon;
  return (
    <Popover withArrow shadow="md" trapFocus returnFocus width={290} position="bottom">
      <Popover.Target>
        <UnstyledButton className={classes["entry"]} data-tone={look.tone} data-state={state}>
          <span className={classes["time"]}>{entry.local_time}</span>
          <span className={classes["state"]}>
            {Icon !== undefined && <Icon size={13} aria-hidden />}
            {look.label}
          </span>
          <span className={classes["whom"]}>{entry.title}</span>
          <span className={classes["counts"]}>
            {state === "mixed" ? countsText(entry.counts) : robotsText(entry.robots)}
            {entry.sample && (
              <>
                <IconFlask size={13} aria-hidden />
                <VisuallyHidden>, sample data</VisuallyHidden>
              </>
            )}
          </span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={NOT_ITS_BUTTON} aria-label={`${entry.title} at ${entry.local_time}`}>
        <EntryDetails entry={entry} timezone={timezone} />
      </Popover.Dropdown>
    </Popover>
  );
}

function robotsText(robots: number): string {
  return robots === 1 ? "1 robot" : `${robots} robots`;
}
