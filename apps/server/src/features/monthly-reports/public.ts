export { MonthlyReports, reportGenerator, reportMails } from "./monthly-reports.ts";
/** For a restored database. */
export { giveUpReports } from "./monthly-reports.repository.ts";
