export { attachmentHeader, reportCsvTask, reportPdfTask } from "./report-files.ts";
