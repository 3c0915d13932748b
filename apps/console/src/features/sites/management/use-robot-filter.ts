import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useCallback, useMemo } from "react";
import { useUrlParams } from "../../../platform/url-params.tsx";
import { passesFilter, robotFilterOf, useRobotViews } from "../../robots/public.ts";
import type { RobotFilter } from "../../robots/public.ts";

const STATUS = "status";
const NONE: readonly RobotWithSettings[] = [];

/** §2 Robots tab: the status filter, which stands in the address, and the robots that pass it as they are now. */
export function useRobotFilter(rows: readonly RobotWithSettings[]) {
  const [params, change] = useUrlParams();
  const filter = robotFilterOf(params.get(STATUS));
  const setFilter = useCallback(
    (text: string) => {
      const next: RobotFilter = robotFilterOf(text);
      change((current) => {
        const changed = new URLSearchParams(current);
        if (next === "all") changed.delete(STATUS);
        else changed.set(STATUS, next);
        return changed;
      }, "replace");
    },
    [change],
  );
  // Nothing is computed of every robot while all are shown.
  const views = useRobotViews(filter === "all" ? NONE : rows);
  const shown = useMemo(() => {
    if (filter === "all") return rows;
    const passing = new Set(views.filter((view) => passesFilter(filter, view.status)).map((view) => view.id));
    return rows.filter((row) => passing.has(row.robot_id));
  }, [rows, filter, views]);
  return { filter, setFilter, shown };
}
