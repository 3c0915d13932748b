import type { Site } from "@suncrew/contract/sites/sites.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";

export interface WeekCalendarTabProps {
  readonly site: Site;
  /** Any day of the week shown, `YYYY-MM-DD`; null for the site's present week. */
  readonly day: string | null;
  /** Changes the day, starting from the one last requested. */
  readonly onDay: (step: (day: string | null) => string | null) => void;
}

/** A week of the selected site: what was cleaned, and what is planned. Loaded when first shown. */
export const WeekCalendarTab = lazyPart<WeekCalendarTabProps>(
  async () => (await import("./week-calendar.tsx")).WeekCalendar,
  {
    waiting: <SkeletonLines label="Loading the week" lines={7} lineHeightPx={48} />,
    failed: (failure) => <FailedPart title="The week could not be loaded." failure={failure} />,
  },
);
