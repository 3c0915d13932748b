export { EnergyAtRisk, SoilingTab } from "./soiling-parts.tsx";
