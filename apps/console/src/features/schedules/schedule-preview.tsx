import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { effectiveStart, nextRunsAfter } from "@suncrew/domain/schedules/next-run.ts";
import { IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { useNow } from "../../ui/use-now.ts";
import classes from "./schedule-dialog.module.css";
import { nextTimeWords } from "./schedule-meaning.ts";
import { lastDayNote } from "./schedule-text.ts";

/** So many next runs are shown. */
const PREVIEWED = 5;

export interface SchedulePreviewProps {
  /** `YYYY-MM-DD HH:MM:SS`; null while the day or the time is missing. */
  readonly startTime: string | null;
  readonly frequency: Frequency;
  readonly isEnabled: boolean;
  /** IANA zone of the site. */
  readonly timezone: string;
}

/** The next runs in the site's time, and what a person should know before saving (decisions, Time). */
export function SchedulePreview({ startTime, frequency, isEnabled, timezone }: SchedulePreviewProps) {
  const now = useNow();
  return (
    <section className={classes["preview"]} aria-label="Next runs">
      <h3 className={classes["previewTitle"]}>
        Next runs <span className={classes["zone"]}>in the site's time, {timezone}</span>
      </h3>
      <div className={classes["runs"]}>
        {startTime === null ? (
          <p className={classes["note"]}>Set a date and a start time to see the next runs.</p>
        ) : isEnabled ? (
          <NextRuns startTime={startTime} frequency={frequency} timezone={timezone} now={now} />
        ) : (
          <p className={classes["note"]}>The schedule is switched off: it is kept and runs nothing.</p>
        )}
      </div>
    </section>
  );
}

interface NextRunsProps {
  readonly startTime: string;
  readonly frequency: Frequency;
  readonly timezone: string;
  readonly now: Date;
}

function NextRuns({ startTime, frequency, timezone, now }: NextRunsProps) {
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  if (start.kind === "not-a-time") return <p className={classes["note"]}>This day or time does not exist.</p>;
  if (start.kind === "before-today") {
    return <p className={classes["note"]}>This day is past. Choose today or a later day.</p>;
  }
  const runs = nextRunsAfter({ startTime: start.startTime, frequency }, timezone, now, PREVIEWED);
  const lastDay = lastDayNote({ frequency, date: startTime.slice(0, 10) });
  return (
    <>
      <ol className={classes["list"]}>
        {runs.map((run) => {
          const exact = siteTimeText(run, timezone, now);
          return (
            <li key={run.getTime()}>
              <span>{exact}</span>
              <RelativeTime at={run.toISOString()} exactText={`${exact} (${timezone})`} />
            </li>
          );
        })}
      </ol>
      {start.moved && (
        <Note>
          {startTime.slice(11, 16)} is already past today at the site, so the next run comes {nextTimeWords[frequency]}:{" "}
          {siteTimeText(start.firstRun, timezone, now)}.
        </Note>
      )}
      {lastDay !== null && <Note>{lastDay}</Note>}
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className={classes["note"]}>
      <IconInfoCircle size={14} aria-hidden />
      <span>{children}</span>
    </p>
  );
}
