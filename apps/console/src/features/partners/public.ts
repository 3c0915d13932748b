export { PartnerPicker } from "./lazy-partner-picker.ts";
export { MaintenanceLink } from "./maintenance-link.tsx";
