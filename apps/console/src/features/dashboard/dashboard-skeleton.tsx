import { Skeleton } from "@mantine/core";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import classes from "./dashboard-page.module.css";

/** The page's shape until the sites are there, so that nothing jumps. */
export function DashboardSkeleton({ isMapShown }: { isMapShown: boolean }) {
  const detail = (
    <div className={classes["detail"]}>
      <SkeletonLines label="Loading sites" lines={6} lineHeightPx={56} />
    </div>
  );
  if (!isMapShown) {
    return (
      <div className={classes["single"]}>
        <Skeleton height={150} radius="md" />
        {detail}
      </div>
    );
  }
  return (
    <div className={classes["split"]}>
      <div className={classes["map"]}>
        <Skeleton height="100%" radius="md" />
      </div>
      {detail}
    </div>
  );
}
