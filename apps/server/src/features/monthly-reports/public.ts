export { MonthlyReports, reportGenerator, reportMails } from "./monthly-reports.ts";
