export { DevicesButton } from "./devices-button.tsx";
