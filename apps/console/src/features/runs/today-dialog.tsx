import { Anchor, Box, NativeSelect } from "@mantine/core";
import {
  type RecordedCount,
  recordedCountSchema,
  type RunCounts,
  type RunOfToday,
  runsOfToday,
} from "@suncrew/contract/runs/runs.ts";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { paths } from "../../platform/paths.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { siteShortText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import { COUNT_WORDS, runLook, startedByText } from "./runs-looks.ts";
import classes from "./today-figures.module.css";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryState } from "../../platform/query-state.tsx";

interface TodayDialogProps {
  readonly shown: RecordedCount;
  readonly counts: RunCounts;
  readonly onShow: (count: RecordedCount) => void;
  readonly onClose: () => void;
}

/** The runs behind a figure of today: which robot, where, when, and why it is not done. */
export function TodayDialog({ shown, counts, onShow, onClose }: TodayDialogProps) {
  const query = useQuery(routeQuery(runsOfToday, { query: { count: shown } }));
  const rest = query.data === undefined ? 0 : counts[shown] - query.data.runs.length;
  const options = COUNT_WORDS.flatMap(({ count, word }) => {
    const recorded = recordedCountSchema.safeParse(count);
    return recorded.success ? [{ value: recorded.data, label: `${counts[count]} ${word}` }] : [];
  });
  return (
    <Dialog onClose={onClose} title="Today's cleaning" size={720} fullScreenBelow="48em">
      <NativeSelect
        aria-label="Show runs"
        data={options}
        value={shown}
        onChange={({ currentTarget }) => onShow(recordedCountSchema.parse(currentTarget.value))}
      />
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading runs" lines={5} lineHeightPx={48} />}
        failed="The runs could not be loaded."
      >
        {(data) =>
          data.runs.length === 0 ? (
            <EmptyState title="None today" icon={<IconCircleCheck size={32} stroke={1.5} />} />
          ) : (
            <ul className={classes["runs"]} aria-label="Runs" aria-busy={query.isFetching}>
              {data.runs.map((run) => (
                <RunRow key={run.id} run={run} onLeave={onClose} />
              ))}
            </ul>
          )
        }
      </QueryState>
      {rest > 0 && (
        <Box component="p" mt={8} c="dimmed" fz={13}>
          And {rest.toLocaleString("en")} older ones: see the sites' calendars.
        </Box>
      )}
    </Dialog>
  );
}

function RunRow({ run, onLeave }: { readonly run: RunOfToday; readonly onLeave: () => void }) {
  const now = useNow();
  const at = run.due_at ?? run.began_at ?? run.ended_at;
  return (
    <li className={classes["run"]}>
      <div className={classes["runHead"]}>
        <StateBadge look={runLook(run.outcome)} />
        <strong>{run.serial_number}</strong>
        <Anchor component={Link} to={paths.dashboard(run.site_id)} size="sm" onClick={onLeave}>
          {run.site_name}
        </Anchor>
        {at !== null && <time dateTime={at}>{siteShortText(new Date(at), run.timezone, now)}</time>}
      </div>
      <p style={{ overflowWrap: "anywhere" }}>
        {run.group_name === null ? "" : `${run.group_name}. `}
        {startedByText[run.action_type]}.{run.reason === null ? "" : ` ${run.reason}`}
      </p>
    </li>
  );
}
