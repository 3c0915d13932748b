export { type NewSecrets, provision } from "./device-calls.ts";
export { DevicesButton } from "./devices-dialog.tsx";
export { SecretsDialog } from "./secrets-dialog.tsx";
