import { type ScheduleDecision, scheduleDecisions } from "@suncrew/contract/schedules/schedules.ts";
import { IconCircleMinus, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Look } from "../../ui/look.ts";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import type { DecisionsProps } from "./decision-parts.tsx";
import classes from "./schedule-summary.module.css";

const runsLook: Look = { label: "Runs", tone: "good", icon: IconPlayerPlay };
const noRunLook: Look = { label: "No run", tone: "off", icon: IconCircleMinus };

/** A decision is made every evening; more comes with the group. */
const REFRESH_MS = 60_000;

/** §11 Cleaning by need: what was decided on each day, and why. */
export function DecisionsDialog({ group, site, onClose }: DecisionsProps & { readonly onClose: () => void }) {
  const sent = { params: { siteId: site.id }, query: { group_id: group.id } };
  const query = useQuery({ ...routeQuery(scheduleDecisions, sent), refetchInterval: REFRESH_MS });
  return (
    <Dialog title={`Decisions: ${group.group_name}`} onClose={onClose} size={560}>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the decisions" lines={6} lineHeightPx={44} />}
        failed="The decisions could not be loaded."
      >
        {({ decisions }) =>
          decisions.length === 0 ? (
            <EmptyState
              title="Nothing has been decided yet"
              message="Two hours before its time it is decided whether it runs."
            />
          ) : (
            <>
              <p className={shared["muted"]}>{`Newest first, in the site's time, ${site.timezone}.`}</p>
              <ul className={classes["list"]} aria-label="Decisions">
                {decisions.map((decision) => (
                  <Decision key={decision.id} decision={decision} timezone={site.timezone} />
                ))}
              </ul>
            </>
          )
        }
      </QueryState>
    </Dialog>
  );
}

function Decision({ decision, timezone }: { readonly decision: ScheduleDecision; readonly timezone: string }) {
  const now = useNow();
  const { runs, is_void: isVoid, text } = decision;
  const timeOf = (at: string) => siteTimeText(new Date(at), timezone, now);
  return (
    <li data-void={isVoid || undefined}>
      <p className={classes["times"]}>
        <strong>{timeOf(decision.due_at)}</strong>
        <StateBadge look={runs ? runsLook : noRunLook} />
      </p>
      <p>{text}</p>
      <p className={shared["muted"]}>
        {isVoid
          ? "Does not count: the schedule was changed before its time."
          : `Decided ${timeOf(decision.decided_at)}`}
      </p>
    </li>
  );
}
