export { MonthlyReports } from "./monthly-reports.ts";
export { siteReports } from "./site-report.ts";
