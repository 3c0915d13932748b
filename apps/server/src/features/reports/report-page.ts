import { rule } from "../../platform/pdf/blocks.ts";
import { look, page } from "../../platform/pdf/look.ts";
import type { PdfDocument } from "../../platform/pdf/pdf-document.ts";
import { ascent, type TextStyle } from "../../platform/pdf/typesetter.ts";
import type { ReportData } from "./report-data.ts";
import { rangeWords } from "./report-range.ts";

const style: TextStyle = { size: 8, color: look.muted };
const strong: TextStyle = { size: 8, weight: "SEMIBOLD", color: look.text };
const FOOT = 806;

/** Head and foot of every page; the cover has a face of its own and only the foot. */
export function decoratePage(document: PdfDocument, number: number, data: ReportData): void {
  if (number === 1) drawBand(document);
  else drawHead(document, data);
  rule(document, FOOT - 14);
  const sample = data.sample ? " \u00b7 Contains sample data" : "";
  document.type.set(`Suncrew site report \u00b7 times are local at the site${sample}`, page.left, FOOT, style);
  document.pageNumber(page.right, FOOT);
}

function drawHead(document: PdfDocument, { site, range }: ReportData): void {
  const words = rangeWords(range);
  const room = page.width - document.type.width(words, style) - 24;
  const name = document.type.lines(site.name, room, strong, 1)[0] ?? "";
  document.type.set(name, page.left, 44, strong);
  document.type.set(words, page.right, 44, style, "RIGHT");
  rule(document, 54);
}

/** Height of the cover's coloured ground. */
export const BAND = 226;

function drawBand(document: PdfDocument): void {
  const { kit } = document;
  kit.rect(0, 0, page.fullWidth, BAND).fillColor(look.accent).fill();
  drawSun(document, page.left + 11, 58);
  document.type.set("Suncrew", page.left + 30, 58 + ascent(15) / 2, { size: 15, weight: "SEMIBOLD", color: "#ffffff" });
}

function drawSun({ kit }: PdfDocument, x: number, y: number): void {
  kit.circle(x, y, 5.2).fillColor(look.sun).fill();
  kit.lineWidth(1.8).lineCap("round").strokeColor(look.sun);
  for (let ray = 0; ray < 8; ray += 1) {
    const [cos, sin] = [Math.cos((ray * Math.PI) / 4), Math.sin((ray * Math.PI) / 4)];
    kit.moveTo(x + cos * 8, y + sin * 8).lineTo(x + cos * 10.6, y + sin * 10.6);
  }
  kit.stroke().lineCap("butt");
}
