export { MaintenanceLink, PartnerPicker } from "./site-partner.tsx";
