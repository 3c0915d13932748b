import { allSections, type PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import type { Readable } from "node:stream";
import { facts, heading, label, type Named, paragraph, rule, setLines } from "../../platform/pdf/blocks.ts";
import { page, PdfDocument, streamPdf, theme } from "../../platform/pdf/pdf-document.ts";
import { titledTable } from "../../platform/pdf/table.ts";
import { ascent, type TextStyle } from "../../platform/pdf/typesetter.ts";
import { writePerformance } from "./performance-section.ts";
import { writeActivities, writeAlerts, writeHealth, writeMaintenance } from "./report-sections.ts";
import type { ReportData } from "./report-data.ts";
import { count, formatDate, formatDateTime, formatTimestamp, offsetText, rangeText } from "./report-format.ts";
import {
  figureCards,
  figureNames,
  figureNamesWithInputs,
  figureText,
  overdueText,
  sectionName,
  type SectionWriter,
  showsMaintenance,
  warningStyle,
} from "./section-layout.ts";

const footerStyle: TextStyle = { size: 8, color: theme.muted };
const headerNameStyle: TextStyle = { size: 8, weight: "SEMIBOLD", color: theme.text };
const FOOTER_Y = 806;

/** Head and foot of every page; the cover has a face of its own and only the foot. */
function decoratePage(document: PdfDocument, number: number, data: ReportData): void {
  if (number === 1) drawBand(document);
  else drawHeader(document, data);
  rule(document, FOOTER_Y - 14);
  const sample = data.sample ? " \u00b7 Contains sample data" : "";
  document.type.set(
    `Suncrew site report \u00b7 times are local at the site${sample}`,
    page.left,
    FOOTER_Y,
    footerStyle,
  );
  document.pageNumber(page.right, FOOTER_Y);
}

function drawHeader(document: PdfDocument, { site, range }: ReportData): void {
  const words = rangeText(range);
  const room = page.width - document.type.width(words, footerStyle) - 24;
  const name = document.type.lines(site.name, room, headerNameStyle, 1)[0] ?? "";
  document.type.set(name, page.left, 44, headerNameStyle);
  document.type.set(words, page.right, 44, footerStyle, "RIGHT");
  rule(document, 54);
}

/** Height of the cover's coloured ground. */
const BAND_HEIGHT = 226;

function drawBand(document: PdfDocument): void {
  const { kit } = document;
  kit.rect(0, 0, page.fullWidth, BAND_HEIGHT).fillColor(theme.accent).fill();
  drawSun(document, page.left + 11, 58);
  document.type.set("Suncrew", page.left + 30, 58 + ascent(15) / 2, { size: 15, weight: "SEMIBOLD", color: "#ffffff" });
}

function drawSun({ kit }: PdfDocument, x: number, y: number): void {
  kit.circle(x, y, 5.2).fillColor(theme.sun).fill();
  kit.lineWidth(1.8).lineCap("round").strokeColor(theme.sun);
  for (let ray = 0; ray < 8; ray += 1) {
    const [cos, sin] = [Math.cos((ray * Math.PI) / 4), Math.sin((ray * Math.PI) / 4)];
    kit.moveTo(x + cos * 8, y + sin * 8).lineTo(x + cos * 10.6, y + sin * 10.6);
  }
  kit.stroke().lineCap("butt");
}

const coverStyle: TextStyle = { size: 11, color: theme.accentSoft };
const coverHeadingStyle: TextStyle = { size: 9.5, weight: "SEMIBOLD", color: theme.accent };

function* writeCover(document: PdfDocument, data: ReportData, sections: readonly PrintedSection[]): Generator<void> {
  document.outline(data.site.name);
  drawTitle(document, data);
  document.y = BAND_HEIGHT + 26;
  if (data.sample) drawSampleNotice(document);
  facts(document, coverFacts(data));
  document.y += 6;
  const overdue = showsMaintenance(sections) ? overdueText(data, 6) : null;
  if (overdue !== null) paragraph(document, `Maintenance: ${overdue}`, warningStyle);
  document.y += 6;
  smallHeading(document, "At a glance");
  figureCards(document, data, sections.flatMap(({ fields }) => figureNames(fields)).slice(0, 6));
  // The outline of the file has it too; a cover is one page.
  if (document.y + 60 <= page.bottom) {
    document.y += 6;
    smallHeading(document, "In this report");
    paragraph(document, ["Summary", ...sections.map(({ type }) => sectionName(type))].join(" \u00b7 "));
  }
  yield;
}

/** Over the coloured ground: three lines of a long name at the most, in smaller type. */
function drawTitle(document: PdfDocument, { site, range }: ReportData): void {
  label(document, "P", "Site report", page.left, 88, { ...coverStyle, weight: "SEMIBOLD" });
  const large: TextStyle = { size: 28, weight: "SEMIBOLD", color: "#ffffff" };
  const fits = document.type.lines(site.name, page.width, large).length <= 2;
  const style = fits ? large : { ...large, size: 19 };
  const lines = document.type.lines(site.name, page.width, style, 3);
  document.y = 104;
  document.open("H1");
  setLines(document, lines, page.left, style);
  document.close();
  label(document, "P", rangeText(range), page.left, BAND_HEIGHT - 32, { ...coverStyle, size: 13, color: "#ffffff" });
}

function drawSampleNotice(document: PdfDocument): void {
  const style: TextStyle = { size: 9.5, weight: "SEMIBOLD", color: theme.fair };
  const top = document.y;
  document.artifact(() => document.kit.roundedRect(page.left, top, page.width, 28, 4).fillColor(theme.fairSoft).fill());
  const text = "Contains sample data: part of what is reported was invented for a demo.";
  document.mark("P", () => document.type.set(text, page.left + 12, top + 14 + ascent(9.5) / 2, style));
  document.y = top + 28 + 18;
}

function smallHeading(document: PdfDocument, text: string): void {
  label(document, "P", text, page.left, document.y, coverHeadingStyle);
  document.y += 18;
}

function coverFacts({ site, partner, range, generatedAt, robots }: ReportData): Named[] {
  const place = [site.address, site.district, `${site.state} ${site.pin_code}`].filter((one) => one.trim() !== "");
  const contact = [partner?.contactPerson, partner?.phone, partner?.email].filter((one) => one);
  return [
    { name: "Site", value: place.join(", ") },
    { name: "Position", value: `${site.latitude.toFixed(4)}\u00b0, ${site.longitude.toFixed(4)}\u00b0` },
    { name: "From", value: formatTimestamp(range.from) },
    { name: "To, this second included", value: formatTimestamp(range.to) },
    { name: "Time zone", value: `${site.timezone} (${offsetText(range)})` },
    { name: "Maintenance partner", value: partner?.name ?? "None" },
    { name: "Contact", value: contact.length === 0 ? "None" : contact.join(", ") },
    { name: "Commissioned", value: formatDate(site.commissioning_date) },
    { name: "Robots", value: count(robots.length) },
    { name: "Made", value: formatDateTime(generatedAt, "") },
  ];
}

/** Every figure of the report with how it is computed. */
function* writeSummary(document: PdfDocument, data: ReportData, sections: readonly PrintedSection[]): Generator<void> {
  const entry = document.outline("Summary");
  heading(document, "H2", "Summary");
  paragraph(
    document,
    "What was measured at the site in this range, and how each figure is computed. \u201cNo data\u201d means that there was nothing to compute it from; it is not 0.",
  );
  const overdue = showsMaintenance(sections) ? overdueText(data, 20) : null;
  if (overdue !== null) paragraph(document, `Maintenance: ${overdue}`, warningStyle);
  for (const { type, fields } of sections) {
    const names = figureNamesWithInputs(fields);
    if (names.length === 0) continue;
    yield* titledTable(document, sectionName(type), [], {
      namesRows: true,
      columns: [
        { title: "Figure", share: 24 },
        { title: "Value", share: 16, align: "RIGHT" },
        { title: "How it is computed", share: 60, most: 6 },
      ],
      rows: names.map((name) => [
        reportFigureRules[name].label,
        { text: figureText(data, name), isStrong: true },
        reportFigureRules[name].how,
      ]),
    });
    document.outline(sectionName(type), entry);
  }
}

const parts: Record<PrintedSection["type"], SectionWriter> = {
  performance: writePerformance,
  activities: writeActivities,
  robot_health: writeHealth,
  maintenance: writeMaintenance,
  alerts: writeAlerts,
};

/**
 * The PDF of a report, byte by byte as it is wanted: between a few rows and the next others get their turn, and a
 * stream that is destroyed costs nothing more. `printed` are the sections of a template in their order; null is all.
 */
export function writeReportPdf(data: ReportData, printed: readonly PrintedSection[] | null): Readable {
  const sections = printed ?? allSections;
  const document = new PdfDocument({
    title: `Site report: ${data.site.name}, ${rangeText(data.range)}`,
    subject: `Cleaning robots of ${data.site.name}`,
    author: "Suncrew",
    language: "en-IN",
    createdAt: new Date(data.generatedAt.utc),
    decorate: (page, number) => decoratePage(page, number, data),
  });
  return streamPdf(document, steps(document, data, sections));
}

function* steps(document: PdfDocument, data: ReportData, sections: readonly PrintedSection[]): Generator<void> {
  document.newPage();
  yield* writeCover(document, data, sections);
  document.newPage();
  yield* writeSummary(document, data, sections);
  for (const { type, fields } of sections) {
    yield;
    yield* parts[type](document, data, new Set(fields));
  }
}
