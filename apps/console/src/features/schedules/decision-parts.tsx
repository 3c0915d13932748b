import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useState } from "react";
import { UnstyledButton } from "@mantine/core";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { todayIn } from "../../ui/days.ts";
import { siteClockText, siteTimeText } from "../../ui/site-time-text.ts";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import classes from "./schedule-summary.module.css";

const DecisionsDialog = lazyDialog<DecisionsProps & { readonly onClose: () => void }>(
  ({ group }) => `Decisions: ${group.group_name}`,
  async () => (await import("./schedule-dialog.tsx")).DecisionsDialog,
);

export interface DecisionsProps {
  readonly group: Group;
  readonly site: Site;
}

/** Of a schedule "when worth it": what was decided of its next time, or when that is. */
export function NextDecision({ schedule, timezone }: { readonly schedule: Schedule; readonly timezone: string }) {
  const now = useNow();
  const { decision, next_run_at: nextAt, decides_at: decidesAt } = schedule;
  const next = nextAt && siteTimeText(new Date(nextAt), timezone, now);
  if (decision !== null) return `${next}: ${decision.text}`;
  const at = decidesAt === null ? null : new Date(decidesAt);
  if (at === null || at <= now) return `${next}: not decided yet`;
  // Two hours before: mostly on the same day.
  const isSameDay = nextAt !== null && todayIn(timezone, at) === todayIn(timezone, new Date(nextAt));
  return `${next}: will be decided at ${isSameDay ? siteClockText(at, timezone) : siteTimeText(at, timezone, now)}`;
}

export function DecisionsButton(props: DecisionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <UnstyledButton
        className={`${shared["touch"]} ${classes["decisions"]}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        Decisions
      </UnstyledButton>
      {isOpen && <DecisionsDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
