export { DeployFirmwareButton, FirmwareButton } from "./firmware-buttons.tsx";
export { FirmwareDialogs } from "./firmware-dialogs.tsx";
