export { GroupMaintenanceButton } from "./group-maintenance-button.tsx";
export type { GroupMaintenanceProps } from "./group-maintenance-button.tsx";
export { MaintenanceNote } from "./maintenance-note.tsx";
export { RobotMaintenanceButton } from "./robot-maintenance-button.tsx";
export type { MaintainedRobot } from "./maintained-robot.ts";
