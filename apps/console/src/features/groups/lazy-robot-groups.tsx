import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";

export const GroupDialog = lazyDialog(
  ({ group }) => (group === null ? "Create Group" : "Edit Robot Group"),
  async () => (await import("./group-dialog.tsx")).GroupDialog,
);

/** Of Site Management, so the dashboard does not load it. */
export const RobotGroupsCard = lazyPart(async () => (await import("./robot-groups-card.tsx")).RobotGroupsCard, {
  waiting: <SkeletonLines label="Loading robot groups" lines={3} lineHeightPx={72} />,
  failed: (failure) => <FailedPart title="The robot groups could not be loaded." failure={failure} />,
});
