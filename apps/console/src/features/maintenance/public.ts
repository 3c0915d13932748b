export { GroupMaintenanceButton, type GroupMaintenanceProps, RobotMaintenanceButton } from "./maintenance-buttons.tsx";
export { MaintenanceNote } from "./maintenance-note.tsx";
export type { MaintainedRobot } from "./maintained-robot.ts";
