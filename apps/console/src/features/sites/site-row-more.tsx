import { VisuallyHidden } from "@mantine/core";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { useCallback } from "react";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { statusLooks } from "../../ui/status-looks.ts";
import { GuardMark } from "../guard/public.ts";
import { MutedMark } from "../mutes/public.ts";
import classes from "./site-list.module.css";

/** Worst first. */
const STATUSES = ["critical", "warning", "offline", "standby", "idle", "normal"] as const satisfies RobotStatus[];

interface SiteNow {
  readonly counts: Partial<Record<RobotStatus, number>>;
  /** Of the robot that was cleaned last; null if none ever was. */
  readonly lastCleanedAt: string | null;
}

/** How many robots of a site have each status, and when it was last cleaned: as the stream shows it. */
export function SiteRowMore({ siteId }: { readonly siteId: number }) {
  const site = useLiveValue(
    useCallback(() => sitesNow().get(siteId), [siteId]),
    isSameSite,
  );
  if (site === undefined) return null;
  const { counts, lastCleanedAt } = site;
  return (
    <>
      <GuardMark siteId={siteId} />
      <MutedMark siteId={siteId} />
      <span className={classes["counts"]}>
        {STATUSES.map((status) => {
          const count = counts[status] ?? 0;
          const look = statusLooks[status];
          return (
            count > 0 && (
              <span key={status} className={classes["status"]} title={`${count.toLocaleString("en-GB")} ${look.label}`}>
                <StatusIcon look={look} size={14} />
                {count.toLocaleString("en-GB")}
                <VisuallyHidden> {look.label}</VisuallyHidden>
              </span>
            )
          );
        })}
      </span>
      <span className={classes["cleaned"]}>
        {lastCleanedAt === null ? (
          "Never cleaned"
        ) : (
          <>
            <VisuallyHidden>Last cleaned </VisuallyHidden>
            <RelativeTime at={lastCleanedAt} />
          </>
        )}
      </span>
    </>
  );
}

let latest: { readonly version: number; readonly sites: ReadonlyMap<number, SiteNow> } | null = null;

/** All sites together, once for each version of the store: every visible row asks for its own. */
function sitesNow(): ReadonlyMap<number, SiteNow> {
  const version = liveStore.version();
  if (latest?.version === version) return latest.sites;
  const sites = new Map<number, { counts: Partial<Record<RobotStatus, number>>; lastCleanedAt: string | null }>();
  for (const { site_id, status, last_cleaned_at: cleanedAt } of liveStore.robots()) {
    const site = sites.get(site_id) ?? { counts: {}, lastCleanedAt: null };
    sites.set(site_id, site);
    site.counts[status] = (site.counts[status] ?? 0) + 1;
    if (cleanedAt !== null && (site.lastCleanedAt === null || cleanedAt > site.lastCleanedAt))
      site.lastCleanedAt = cleanedAt;
  }
  latest = { version, sites };
  return sites;
}

function isSameSite(one: SiteNow | undefined, other: SiteNow | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.lastCleanedAt === other.lastCleanedAt && STATUSES.every((status) => one.counts[status] === other.counts[status])
  );
}
