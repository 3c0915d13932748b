export { Bridge, type BridgeDependencies as BridgeParts } from "./bridge.ts";
export { type BridgeStanding, bridgeStanding } from "./bridge-lock.ts";
export { storeDeviceSecrets, storeMissingDevices } from "./device-secrets.repository.ts";
export { type DeviceAccess, deviceAccess, hashDeviceSecret } from "./device-access.ts";
/** For the demo's history, which is stored by what really stores what robots say. */
export { ensureReadingsPartitions } from "./devices.repository.ts";
export type { IncomingMessage } from "./devices.mqtt.ts";
export { ingest } from "./ingest.repository.ts";
/** For who gives a robot another machine. */
export { endLockOfRetired } from "./device-rows.repository.ts";
