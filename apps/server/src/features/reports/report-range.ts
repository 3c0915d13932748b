import type { ReportRange } from "./report-data.ts";
import { day, second } from "./report-words.ts";

/** Days alone where the range has whole days. */
export function rangeWords({ from, to }: ReportRange): string {
  const isWhole = from.local.endsWith("00:00:00") && to.local.endsWith("23:59:59");
  if (!isWhole) return `${second(from)} to ${second(to)}`;
  const [first, last] = [day(from.local), day(to.local)];
  return first === last ? first : `${first} to ${last}`;
}

/** How far the clocks of the site are from UTC. */
export function offsetWords({ fromOffset, toOffset }: ReportRange): string {
  return fromOffset === toOffset ? fromOffset : `${fromOffset} at the start, ${toOffset} at the end`;
}
