export { MonthlyReports, reportGenerator, reportMails } from "./monthly-reports.ts";
export { reportDeliveryMails } from "./report-deliveries.ts";
/** For a restored database. */
export { giveUpReports } from "./monthly-reports.repository.ts";
