export { MonthlyReports, reportGenerator } from "./monthly-reports.ts";
