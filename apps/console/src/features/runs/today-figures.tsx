import { Box, Skeleton, UnstyledButton } from "@mantine/core";
import { recordedCountSchema, type RecordedCount, runsToday } from "@suncrew/contract/runs/runs.ts";
import { IconCalendarStats } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContentShown } from "../../platform/first-content.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { todayTexts } from "./runs-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./today-figures.module.css";

/** Planned runs become due without an event, and the day ends; everything else arrives with the live stream. */
const REFRESH_MS = 60_000;

const RunsDialog = lazyDialog(
  () => "Today's cleaning",
  async () => (await import("./today-dialog.tsx")).TodayDialog,
);

/**
 * Today's cleaning over every site that the user may see, as one line among the fleet figures; each figure opens its
 * runs.
 */
export function TodayFigures() {
  const query = useQuery({
    ...routeQuery(runsToday, {}),
    refetchInterval: REFRESH_MS,
    enabled: useFirstContentShown(),
  });
  const [shown, setShown] = useState<RecordedCount | null>(null);
  const counts = query.data;
  return (
    <div className={`${shared["card"]} ${classes["today"]}`} role="group" aria-label="Today's cleaning">
      <IconCalendarStats size={20} aria-hidden />
      <span>
        <strong>Today:</strong>{" "}
        <QueryState
          query={query}
          loading={<Skeleton component="span" display="inline-block" width={250} height={14} />}
          renderFailed={() => (
            <Box component="span" c="dimmed">
              could not be loaded
            </Box>
          )}
        >
          {(data) =>
            todayTexts(data).map(({ count, text }, index) => {
              const recorded = recordedCountSchema.safeParse(count);
              return (
                <Fragment key={count}>
                  {index > 0 && ", "}
                  {recorded.success && data[count] > 0 ? (
                    <UnstyledButton
                      className={classes["figure"]}
                      aria-haspopup="dialog"
                      onClick={() => setShown(recorded.data)}
                    >
                      {text}
                    </UnstyledButton>
                  ) : (
                    text
                  )}
                </Fragment>
              );
            })
          }
        </QueryState>
      </span>
      {shown !== null && counts !== undefined && (
        <RunsDialog shown={shown} counts={counts} onShow={setShown} onClose={() => setShown(null)} />
      )}
    </div>
  );
}
