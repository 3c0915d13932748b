import type { Site } from "@suncrew/contract/sites/sites.ts";
import { lazy, Suspense } from "react";
import { SkeletonLines } from "../../ui/skeletons.tsx";

const WeekCalendar = lazy(() => import("./week-calendar.tsx").then((module) => ({ default: module.WeekCalendar })));

export interface WeekCalendarTabProps {
  readonly site: Site;
  /** Any day of the week shown, `YYYY-MM-DD`; null for the site's present week. */
  readonly day: string | null;
  /** Another day, from the one that was asked for last. */
  readonly onDay: (step: (day: string | null) => string | null) => void;
}

/** A week of the selected site: what was cleaned, and what is planned. Loaded when it is first looked at. */
export function WeekCalendarTab(props: WeekCalendarTabProps) {
  return (
    <Suspense fallback={<SkeletonLines label="Loading the week" lines={7} lineHeightPx={48} />}>
      <WeekCalendar {...props} />
    </Suspense>
  );
}
