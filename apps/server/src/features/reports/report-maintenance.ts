import { maintenanceDueRule } from "@suncrew/domain/reports/report-figures.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { facts } from "../../platform/pdf/cards.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { titledTable } from "../../platform/pdf/table.ts";
import type { ReportData, ReportMaintenance, ReportPartner } from "./report-data.ts";
import { beginSection, overdueWords, type ReportPart, restNotes, robotWords, warningStyle } from "./report-part.ts";
import { day, duration, moment } from "./report-words.ts";

export const maintenancePart: ReportPart = function* (document, data, fields) {
  beginSection(document, data, "maintenance", fields);
  yield* due(document, data);
  if (fields.has("partner_details")) drawPartner(document, data.partner);
  if (fields.has("maintenance_history")) yield* history(document, data.maintenance);
};

function drawPartner(document: PdfDocument, partner: ReportPartner | null): void {
  heading(document, "H3", "Maintenance partner");
  if (partner === null) {
    paragraph(document, "The site has no maintenance partner.");
    return;
  }
  facts(document, [
    { name: "Name", value: partner.name },
    { name: "Contact person", value: partner.contactPerson ?? "None" },
    { name: "Phone", value: partner.phone ?? "None" },
    { name: "E-mail", value: partner.email ?? "None" },
  ]);
}

/** What is overdue comes first: who reads only the beginning must not take it for done. */
function* due(document: PdfDocument, data: ReportData): Generator<void> {
  const { due: inRange, overdue, intervalDays } = data.maintenance;
  const words = overdueWords(data, overdue.length);
  if (words !== null) paragraph(document, words.replace("overdue", "Overdue"), warningStyle);
  const title = "Came due in this range";
  const rule = maintenanceDueRule(intervalDays);
  if (inRange.length === 0) {
    heading(document, "H3", title);
    paragraph(document, rule, noteStyle);
    const none = "No robot's maintenance came due in this range";
    paragraph(document, words === null ? `${none}, and none is overdue.` : `${none} itself.`);
    return;
  }
  yield* titledTable(document, title, [rule], {
    columns: [
      { title: "Due on", share: 25 },
      { title: "Robot", share: 75 },
    ],
    rows: inRange.map(({ date, robotName, serialNumber }) => [day(date), robotWords(robotName, serialNumber)]),
  });
}

function* history(document: PdfDocument, { locks }: ReportMaintenance): Generator<void> {
  const title = "Maintenance locks";
  if (locks.rows.length === 0) {
    heading(document, "H3", title);
    paragraph(document, "No robot was in maintenance in this range.");
    return;
  }
  yield* titledTable(document, title, restNotes(locks, "locks", "The figures above count all of them."), {
    columns: [
      { title: "Robot", share: 19, most: 2 },
      { title: "Set", share: 19 },
      { title: "By", share: 13, most: 2 },
      { title: "Reason", share: 24 },
      { title: "Released", share: 19 },
      { title: "By", share: 13, most: 2 },
      { title: "Lasted", share: 14, align: "RIGHT" },
    ],
    rows: locks.rows.map((lock) => [
      robotWords(lock.robotName, lock.serialNumber),
      moment(lock.setAt, ""),
      lock.setBy,
      lock.reason === "" ? "Not told" : lock.reason,
      moment(lock.releasedAt, "Still set"),
      lock.releasedBy ?? "",
      duration(lock.minutes),
    ]),
  });
}
