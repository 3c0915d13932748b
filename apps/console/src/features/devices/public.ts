export { DevicesButton } from "./devices-dialog.tsx";
