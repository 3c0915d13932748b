export { MaintenanceLink } from "./maintenance-link.tsx";
