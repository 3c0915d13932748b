export { firmwareRoutes } from "./firmware.routes.ts";
export { deleteUnusedFirmware } from "./firmware-files.service.ts";
/** A Service: advances rollouts. */
export { RolloutEngine } from "./rollout-engine.ts";
/** For the bridge, inside its own transaction and under its locks on robot_state. */
export {
  type FirmwareReport,
  type FirmwareShown,
  recordReports,
  settleByFirmware,
} from "./firmware-updates.repository.ts";
/** For a restored database. */
export { pauseRunningRollouts } from "./rollouts.repository.ts";
