const format = new Intl.DateTimeFormat("en-GB", {
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** By the clock of the browser, to the second: "21 Nov 2026, 23:12:28". */
export function activityTimeText(at: string): string {
  return format.format(new Date(at));
}
