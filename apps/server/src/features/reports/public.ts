/** For the reports that are made by themselves. */
export { readReport, type ReportAsked, type ReportTerms } from "./read-report.ts";
export { writeReportPdf } from "./report-document.ts";
export { attachmentOf } from "./report-file-name.ts";
