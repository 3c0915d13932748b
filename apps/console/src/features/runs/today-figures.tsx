import { Box, Skeleton } from "@mantine/core";
import { recordedCountSchema, runsToday } from "@suncrew/contract/runs/runs.ts";
import { IconCalendarStats } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContentShown } from "../../platform/first-content.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { todayTexts } from "./runs-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./today-figures.module.css";

/** Planned runs become due without an event, and the day ends; everything else arrives with the live stream. */
const REFRESH_MS = 60_000;

/**
 * Today's cleaning over every site that the user may see, as one line among the fleet figures; each figure leads to
 * the robots that it counts, and what is planned to the calendar.
 */
export function TodayFigures() {
  const query = useQuery({
    ...routeQuery(runsToday, {}),
    refetchInterval: REFRESH_MS,
    enabled: useFirstContentShown(),
  });
  return (
    <div className={`${shared["card"]} ${classes["today"]}`} role="group" aria-label="Today's cleaning">
      <IconCalendarStats size={20} aria-hidden />
      <span>
        <strong>Today:</strong>{" "}
        <QueryState
          query={query}
          loading={<Skeleton component="span" display="inline-block" width={290} height={14} />}
          renderFailed={() => (
            <Box component="span" c="dimmed">
              could not be loaded
            </Box>
          )}
        >
          {(data) =>
            todayTexts(data).map(({ count, text }, index) => {
              const recorded = recordedCountSchema.safeParse(count);
              const to = recorded.success ? paths.robots({ today: recorded.data }) : paths.calendar();
              return (
                <Fragment key={count}>
                  {index > 0 && ", "}
                  {data[count] > 0 ? (
                    <Link to={to} className={classes["figure"]}>
                      {text}
                    </Link>
                  ) : (
                    text
                  )}
                </Fragment>
              );
            })
          }
        </QueryState>
      </span>
    </div>
  );
}
