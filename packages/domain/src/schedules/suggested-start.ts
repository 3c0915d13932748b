import { addDays } from "./calendar-date.ts";

/** A date, `YYYY-MM-DD`, and a time of day, `HH:MM`, of a site. */
interface LocalMinute {
  readonly date: string;
  readonly time: string;
}

/** When a site without any schedule is cleaned: after sunset. */
const EVENING = "19:00";

/**
 * When to suggest that a run begins in the night of an evening: at the site's usual time, null if it has none; or at the
 * next full hour if that is past.
 */
export function suggestedStart(evening: string, usualTime: string | null, now: LocalMinute): LocalMinute {
  const time = usualTime ?? EVENING;
  const date = time < "12:00" ? addDays(evening, 1) : evening;
  if (`${date} ${time}` > `${now.date} ${now.time}`) return { date, time };
  const hour = Number(now.time.slice(0, 2)) + 1;
  return hour < 24
    ? { date: now.date, time: `${String(hour).padStart(2, "0")}:00` }
    : { date: addDays(now.date, 1), time: "00:00" };
}
