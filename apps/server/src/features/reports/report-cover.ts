import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { label, paragraph, setLines } from "../../platform/pdf/blocks.ts";
import { facts, type Named } from "../../platform/pdf/cards.ts";
import { look, page } from "../../platform/pdf/look.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { ascent, type TextStyle } from "../../platform/pdf/typesetter.ts";
import type { ReportData } from "./report-data.ts";
import { BAND } from "./report-page.ts";
import { figureCards, figureNames, overdueWords, sectionName, tellsMaintenance, warningStyle } from "./report-part.ts";
import { offsetWords, rangeWords } from "./report-range.ts";
import { count, day, moment, second } from "./report-words.ts";

const light: TextStyle = { size: 11, color: look.accentSoft };
const partStyle: TextStyle = { size: 9.5, weight: "SEMIBOLD", color: look.accent };

export function* coverPart(
  document: PdfDocument,
  data: ReportData,
  sections: readonly PrintedSection[],
): Generator<void> {
  document.outline(data.site.name);
  drawTitle(document, data);
  document.y = BAND + 26;
  if (data.sample) drawSampleNotice(document);
  facts(document, coverFacts(data));
  document.y += 6;
  const overdue = tellsMaintenance(sections) ? overdueWords(data, 6) : null;
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
  label(document, "P", "Site report", page.left, 88, { ...light, weight: "SEMIBOLD" });
  const large: TextStyle = { size: 28, weight: "SEMIBOLD", color: "#ffffff" };
  const fits = document.type.lines(site.name, page.width, large).length <= 2;
  const style = fits ? large : { ...large, size: 19 };
  const lines = document.type.lines(site.name, page.width, style, 3);
  document.y = 104;
  document.open("H1");
  setLines(document, lines, page.left, style);
  document.close();
  label(document, "P", rangeWords(range), page.left, BAND - 32, { ...light, size: 13, color: "#ffffff" });
}

function drawSampleNotice(document: PdfDocument): void {
  const style: TextStyle = { size: 9.5, weight: "SEMIBOLD", color: look.fair };
  const top = document.y;
  document.artifact(() => document.kit.roundedRect(page.left, top, page.width, 28, 4).fillColor(look.fairSoft).fill());
  const text = "Contains sample data: part of what is reported was invented for a demo.";
  document.mark("P", () => document.type.set(text, page.left + 12, top + 14 + ascent(9.5) / 2, style));
  document.y = top + 28 + 18;
}

function smallHeading(document: PdfDocument, text: string): void {
  label(document, "P", text, page.left, document.y, partStyle);
  document.y += 18;
}

function coverFacts({ site, partner, range, generatedAt, robots }: ReportData): Named[] {
  const place = [site.address, site.district, `${site.state} ${site.pin_code}`].filter((one) => one.trim() !== "");
  const contact = [partner?.contactPerson, partner?.phone, partner?.email].filter((one) => one);
  return [
    { name: "Site", value: place.join(", ") },
    { name: "Position", value: `${site.latitude.toFixed(4)}\u00b0, ${site.longitude.toFixed(4)}\u00b0` },
    { name: "From", value: second(range.from) },
    { name: "To, this second included", value: second(range.to) },
    { name: "Time zone", value: `${site.timezone} (${offsetWords(range)})` },
    { name: "Maintenance partner", value: partner?.name ?? "None" },
    { name: "Contact", value: contact.length === 0 ? "None" : contact.join(", ") },
    { name: "Commissioned", value: day(site.commissioning_date) },
    { name: "Robots", value: count(robots.length) },
    { name: "Made", value: moment(generatedAt, "") },
  ];
}
