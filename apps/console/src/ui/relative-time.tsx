import { Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { browserZone, exactTimeText } from "./exact-time-text.ts";
import { pageClock } from "./use-now.ts";
import { relativeTimeText } from "./relative-time-text.ts";

const clock = pageClock(1_000);

export interface RelativeTimeProps {
  /** An instant, ISO 8601. */
  readonly at: string;
  /** Shown instead of the exact local time, such as the time at the site. */
  readonly exactText?: string;
}

/**
 * "3 min ago", kept up to date; the exact local time on hover and touch, and as its description. Not a tab stop: there is nothing to press, and
 * there are dozens of them before a Start.
 */
export function RelativeTime({ at, exactText }: RelativeTimeProps) {
  const date = new Date(at);
  const text = useSyncExternalStore(clock.subscribe, () => relativeTimeText(date, clock.now()));
  const exact = exactText ?? `${exactTimeText(date)} (${browserZone()})`;
  return (
    <Tooltip label={exact} events={{ hover: true, focus: false, touch: true }}>
      <time dateTime={at} aria-description={exact} style={{ whiteSpace: "nowrap" }}>
        {text}
      </time>
    </Tooltip>
  );
}
