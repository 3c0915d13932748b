const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const MONTH_S = 30 * DAY_S;

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** How long before `now` something was, or how long until it is: "just now", "12 s ago", "in 3 h". */
export function relativeTimeText(at: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  const size = Math.abs(seconds);
  // A device's or browser's clock that is slightly off must not say "in 1 s" about the past.
  if (seconds < 5 && seconds > -5) return "just now";
  // The future is counted in days however far away it is: its date is beside it.
  if (seconds >= MONTH_S) return day.format(at);
  const amount =
    size < MINUTE_S
      ? `${size} s`
      : size < HOUR_S
        ? `${Math.floor(size / MINUTE_S)} min`
        : size < DAY_S
          ? `${Math.floor(size / HOUR_S)} h`
          : `${Math.floor(size / DAY_S)} d`;
  return seconds > 0 ? `${amount} ago` : `in ${amount}`;
}
