export { MonthlyReports, reportGenerator } from "./monthly-reports.ts";
export { reportMails } from "./report-mails.ts";
