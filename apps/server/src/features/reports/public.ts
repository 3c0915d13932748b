/** For the reports that are made by themselves. */
export type { ReportAsked } from "./read-report.ts";
export { attachmentOf } from "./report-file-name.ts";
export { reportCsvTask, reportPdfTask } from "./report-files.ts";
