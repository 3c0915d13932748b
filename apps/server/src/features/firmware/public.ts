export { firmwareRoutes } from "./firmware.routes.ts";
/** A Service; brings rollouts on. */
export { Rollouts } from "./rollouts.service.ts";
/** For the bridge, inside its own transaction and under its locks on robot_state. */
export { type FirmwareReport, type FirmwareShown, recordReports, settleByFirmware } from "./update-ends.repository.ts";
