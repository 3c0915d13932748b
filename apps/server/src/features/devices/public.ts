export { Bridge, type BridgeDependencies as BridgeParts } from "./bridge.ts";
export { type BridgeStatus, readBridgeStatus } from "./bridge-lock.ts";
export { endLockOfRetired, storeDeviceSecrets, storeMissingDevices } from "./devices.repository.ts";
export { type DeviceAccess, deviceAccess, hashDeviceSecret } from "./device-access.ts";
/** For the demo's history, which is stored by what really stores what robots say. */
export { ensureReadingsPartitions } from "./robot-state.repository.ts";
export type { IncomingMessage } from "./devices.mqtt.ts";
export { ingest } from "./ingest.repository.ts";
/** For who gives a robot another machine. */
