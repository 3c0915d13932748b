export { CopyButton } from "./copy-button.tsx";
export { copyText } from "./copy-text.ts";
export { PartnerPicker } from "./lazy-partner-picker.ts";
export { MaintenanceLink } from "./maintenance-link.tsx";
