export { distinctAddresses, readPrintedTemplate } from "./report-templates.service.ts";
export { readSettingsRow, type SettingsRow } from "./report-templates.repository.ts";
