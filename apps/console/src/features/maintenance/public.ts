export {
  GroupMaintenanceButton,
  type GroupMaintenanceProps,
  RobotMaintenanceButton,
  RobotsMaintenanceDialog,
} from "./maintenance-buttons.tsx";
export { maintainedRobotOf } from "./maintained-robot.ts";
export { MaintenanceNote } from "./maintenance-note.tsx";
export type { MaintainedRobot } from "./maintained-robot.ts";
