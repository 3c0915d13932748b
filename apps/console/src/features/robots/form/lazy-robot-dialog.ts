import { lazyDialog } from "../../../ui/lazy-dialog.tsx";

/** §2 Add New Robot and Edit Robot, whose code is loaded when one is opened. */
export const RobotDialog = lazyDialog(
  ({ robot }) => (robot === null ? "Add New Robot" : "Edit Robot"),
  async () => (await import("./robot-dialog.tsx")).RobotDialog,
);

/** §2 Delete robot. */
export const DeleteRobotDialog = lazyDialog(
  () => "Delete Robot",
  async () => (await import("./delete-robot-dialog.tsx")).DeleteRobotDialog,
);

/** What is done with many robots of a site at once. */
export const ManyRobotsDialog = lazyDialog(
  () => "Robots",
  async () => (await import("./many-robots-dialog.tsx")).ManyRobotsDialog,
);
