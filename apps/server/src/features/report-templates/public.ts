export { readLogoImage } from "./logo-image.ts";
export { distinctAddresses, readPrintedTemplate } from "./report-templates.service.ts";
export { readLogoRow, readSettingsRow, type SettingsRow } from "./report-templates.repository.ts";
