import { Skeleton } from "@mantine/core";
import { runsToday } from "@suncrew/contract/runs/runs.ts";
import { IconCalendarStats } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { todayText } from "./run-texts.ts";
import classes from "./today-figures.module.css";

/** What is planned passes by itself, at midnight at the latest; all else is told by the live stream. */
const REFRESH_MS = 60_000;

/** Today's cleaning over every site that the user may see, in one line of the dashboard's strip. */
export function TodayFigures() {
  const query = useQuery({ ...routeQuery(runsToday, {}), refetchInterval: REFRESH_MS });
  return (
    <div className={classes["today"]} role="group" aria-label="Today's cleaning">
      <IconCalendarStats size={20} aria-hidden />
      <span>
        <strong>Today:</strong>{" "}
        {query.data !== undefined ? (
          todayText(query.data)
        ) : query.isPending ? (
          <Skeleton component="span" display="inline-block" width={250} height={14} />
        ) : (
          <span className={classes["unknown"]}>could not be loaded</span>
        )}
      </span>
    </div>
  );
}
