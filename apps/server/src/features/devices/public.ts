export { Bridge } from "./bridge.ts";
export { type BridgeStatus, readBridgeStatus } from "./bridge-lock.ts";
export { endLockOfRetired, storeDeviceSecrets } from "./devices.repository.ts";
export { type DeviceAccess, deviceAccess, hashDeviceSecret } from "./device-secrets.ts";
/** For the demo's history, which is stored by the same code as real messages. */
export { ensureReadingsPartitions } from "./robot-state.repository.ts";
export type { IncomingMessage } from "./devices.mqtt.ts";
export { ingest } from "./ingest.repository.ts";
