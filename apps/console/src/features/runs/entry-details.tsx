import { RUN_OUTCOME_WORDS } from "@suncrew/domain/runs/run-outcome.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteClockText, siteTimeText } from "../../ui/site-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import type { CalendarEntryProps } from "./calendar-entry-button.tsx";
import { entryStateOf } from "./entry-state.ts";
import { countsText } from "./run-texts.ts";
import { entryLook, startedByWords } from "./runs-meaning.ts";
import classes from "./week-calendar.module.css";

/** What is known of one entry: when, by whom, how its robots fared, and why some did not run. */
export function EntryDetails({ entry, timezone }: CalendarEntryProps) {
  const now = useNow();
  const begins = siteTimeText(new Date(entry.begins_at), timezone, now);
  const ends = entry.ends_at === null ? null : siteClockText(new Date(entry.ends_at), timezone);
  return (
    <div className={classes["details"]} tabIndex={-1} data-autofocus>
      <p className={classes["detailsHead"]}>
        <strong>{entry.title}</strong>
        <StateBadge look={entryLook[entryStateOf(entry)]} />
      </p>
      <p>
        {begins}
        {ends !== null && ` to ${ends}`} (<RelativeTime at={entry.begins_at} exactText={`${begins} (${timezone})`} />)
      </p>
      <p>{startedByWords[entry.action_type]}</p>
      <p>
        {entry.robots === 1 ? "1 robot" : `${entry.robots} robots`}: {countsText(entry.counts)}
      </p>
      {entry.reasons.length > 0 && (
        // A long list scrolls, so the keyboard must be able to enter it.
        <ul className={classes["reasons"]} aria-label="Reasons" tabIndex={0}>
          {entry.reasons.map(({ serial_number: serial, outcome, reason }) => (
            <li key={serial}>
              <strong>{serial}</strong> {RUN_OUTCOME_WORDS[outcome]}: {reason}
            </li>
          ))}
        </ul>
      )}
      {entry.sample && <p className={classes["zone"]}>Sample data of the demo</p>}
    </div>
  );
}
