export { Bridge, type BridgeParts } from "./bridge.ts";
export { storeDeviceSecrets } from "./device-secrets.writes.ts";
export { type DeviceAccess, deviceAccess, hashDeviceSecret } from "./device-access.ts";
