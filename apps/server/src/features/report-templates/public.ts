export { type PrintedTemplate, readPrintedTemplate } from "./printed-template.ts";
export { readSettingsRow, type SettingsRow } from "./settings-rows.repository.ts";
