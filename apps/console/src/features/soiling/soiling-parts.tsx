import { Skeleton } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { firstContentShown } from "../../platform/first-content.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";

export interface SoilingTabProps {
  readonly site: Site;
}

/** What soiling costs a site, and when to clean it next. Loaded when first shown. */
export const SoilingTab = lazyPart<SoilingTabProps>(async () => (await import("./soiling-tab.tsx")).SoilingCard, {
  waiting: <Skeleton height={820} role="status" aria-label="Loading the soiling" />,
  failed: (failure) => <FailedPart title="The soiling could not be loaded." failure={failure} />,
});

/** What not cleaning tonight costs over all sites; loaded after the first robots, in a place that is kept for it. */
export const EnergyAtRisk = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./energy-at-risk.tsx")).AtRiskCard;
  },
  {
    // As high as what comes.
    waiting: <Skeleton h={{ base: 129, sm: 72, md: 56 }} radius="md" />,
    failed: (failure) => <FailedPart title="The energy at risk could not be loaded." failure={failure} />,
  },
);
