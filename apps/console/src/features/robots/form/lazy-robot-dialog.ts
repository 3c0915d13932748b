import { lazy } from "react";

/** §2 Add New Robot and Edit Robot, whose code is loaded when one is opened. */
export const RobotDialog = lazy(() => import("./robot-dialog.tsx").then((module) => ({ default: module.RobotDialog })));

/** §2 Delete robot. */
export const DeleteRobotDialog = lazy(() =>
  import("./delete-robot-dialog.tsx").then((module) => ({ default: module.DeleteRobotDialog })),
);
