export { DeployFirmwareButton, FirmwareButton, FirmwareDialogs } from "./firmware-dialogs.tsx";
