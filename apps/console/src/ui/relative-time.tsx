import { Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { browserZone, exactTimeText } from "./exact-time-text.ts";
import { relativeTimeText } from "./relative-time-text.ts";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on the page; it stands still while none is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    nowMs = Date.now();
    timer = setInterval(() => {
      nowMs = Date.now();
      for (const each of listeners) each();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

export interface RelativeTimeProps {
  /** An instant, ISO 8601. */
  readonly at: string;
  /** Shown instead of the exact local time, such as the time at the site. */
  readonly exactText?: string;
}

/**
 * "3 min ago", kept true; the exact local time on hover and touch. No stop of the Tab key: there is nothing to press, and
 * there are dozens of them before a Start.
 */
export function RelativeTime({ at, exactText }: RelativeTimeProps) {
  const date = new Date(at);
  const text = useSyncExternalStore(subscribe, () => relativeTimeText(date, new Date(nowMs)));
  return (
    <Tooltip
      label={exactText ?? `${exactTimeText(date)} (${browserZone()})`}
      events={{ hover: true, focus: false, touch: true }}
    >
      <time dateTime={at} style={{ whiteSpace: "nowrap" }}>
        {text}
      </time>
    </Tooltip>
  );
}
