import { maintenanceDueRule } from "@suncrew/domain/reports/report-figures.ts";
import { heading, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { facts } from "../../platform/pdf/cards.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { drawTable } from "../../platform/pdf/table.ts";
import type { ReportMaintenance, ReportPartner } from "./report-data.ts";
import { beginSection, type ReportPart, robotWords, sayRest } from "./report-part.ts";
import { day, duration, moment } from "./report-words.ts";

export const maintenancePart: ReportPart = function* (document, data, fields) {
  beginSection(document, data, "maintenance", fields);
  if (fields.has("partner_details")) drawPartner(document, data.partner);
  yield* due(document, data.maintenance);
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

function* due(document: PdfDocument, maintenance: ReportMaintenance): Generator<void> {
  heading(document, "H3", "Due in this range");
  paragraph(document, maintenanceDueRule(maintenance.intervalDays), noteStyle);
  if (maintenance.due.length === 0) {
    paragraph(document, "No robot's maintenance was due in this range.");
    return;
  }
  yield* drawTable(document, {
    columns: [
      { title: "Due on", share: 25 },
      { title: "Robot", share: 75 },
    ],
    rows: maintenance.due.map(({ date, robotName, serialNumber }) => [day(date), robotWords(robotName, serialNumber)]),
  });
}

function* history(document: PdfDocument, { locks }: ReportMaintenance): Generator<void> {
  heading(document, "H3", "Maintenance locks");
  if (locks.rows.length === 0) {
    paragraph(document, "No robot was in maintenance in this range.");
    return;
  }
  sayRest(document, locks, "locks", "The figures above count all of them.");
  yield* drawTable(document, {
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
