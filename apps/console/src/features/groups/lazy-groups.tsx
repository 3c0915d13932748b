import { Skeleton } from "@mantine/core";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";

/** The usual height of a group's card. */
export const CARD_PX = 240;

export function CardSkeletons() {
  return (
    <div role="status" aria-label="Loading robot groups" style={{ display: "grid", gap: 12 }}>
      {[1, 2].map((key) => (
        <Skeleton key={key} height={CARD_PX} radius="md" />
      ))}
    </div>
  );
}

/** The dashboard loads it after the first robots. */
export const GroupControlTab = lazyPart(async () => (await import("./group-control-tab.tsx")).GroupControlTab, {
  waiting: <CardSkeletons />,
  failed: (failure) => <FailedPart title="The robot groups could not be loaded." failure={failure} />,
});

/** Asks before many robots are started. */
export const StartAllDialog = lazyDialog(
  ({ title }) => title,
  async () => (await import("./start-all-dialog.tsx")).StartAllDialog,
);

export const GroupDialog = lazyDialog(
  ({ group }) => (group === null ? "Create Group" : "Edit Robot Group"),
  async () => (await import("./group-dialog.tsx")).GroupDialog,
);

/** Of Site Management, so the dashboard does not load it. */
export const RobotGroupsCard = lazyPart(async () => (await import("./robot-groups-card.tsx")).RobotGroupsCard, {
  waiting: <SkeletonLines label="Loading robot groups" lines={3} lineHeightPx={72} />,
  failed: (failure) => <FailedPart title="The robot groups could not be loaded." failure={failure} />,
});
