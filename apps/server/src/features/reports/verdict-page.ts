import { energyFactTexts } from "@suncrew/domain/sites/site-energy-facts.ts";
import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import type { VerdictLight } from "@suncrew/domain/reports/report-verdict.ts";
import { flowLines, label, noteStyle, paragraph } from "../../platform/pdf/blocks.ts";
import { page, type PdfDocument, theme } from "../../platform/pdf/pdf-document.ts";
import { type Column, titledTable } from "../../platform/pdf/table.ts";
import { capHeight, type TextStyle } from "../../platform/pdf/typesetter.ts";
import type { ReportData } from "./report-data.ts";
import { countOf, formatDate, formatDateTime, formatTimestamp, offsetText, rangeText } from "./report-format.ts";
import { type VerdictAction, type VerdictFigure, type VerdictPage, verdictPageOf } from "./verdict-layout.ts";

/** Coloured background at the top of the first page; points. */
const BAND_HEIGHT = 150;

/** Of the plate at the right end of the band that the logo lies on. */
const LOGO = { width: 150, height: 52, padding: 8, top: 20 } as const;

export function drawBand(document: PdfDocument, logo: Buffer | null): void {
  document.fill(0, 0, page.fullWidth, BAND_HEIGHT, theme.accent);
  drawSun(document, page.left + 11, 40);
  const style: TextStyle = { size: 13, weight: "SEMIBOLD", color: "#ffffff" };
  document.type.set("Suncrew", page.left + 28, 40 + capHeight(style.size) / 2, style);
  if (logo !== null) drawLogo(document, logo);
}

function drawLogo({ kit }: PdfDocument, logo: Buffer): void {
  const { width, height, padding, top } = LOGO;
  const left = page.right - width;
  kit.roundedRect(left, top, width, height, 5).fillColor("#ffffff").fill();
  const fit: [number, number] = [width - padding * 2, height - padding * 2];
  kit.image(logo, left + padding, top + padding, { fit, align: "center", valign: "center" });
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

/** The first page: the verdict, the figures behind it, and what needs action. */
export function* writeVerdict(
  document: PdfDocument,
  data: ReportData,
  sections: readonly PrintedSection[],
): Generator<void> {
  document.outline(data.site.name);
  drawTitle(document, data);
  document.y = BAND_HEIGHT + 16;
  if (data.sample) drawSampleNotice(document);
  const verdict = verdictPageOf(data, sections);
  drawVerdict(document, verdict);
  yield* figureTable(document, verdict);
  drawActions(document, verdict.actions, formatDateTime(data.generatedAt, ""));
  paragraph(document, factsText(data), { ...noteStyle, size: 8 });
  yield;
}

const coverStyle: TextStyle = { size: 11, color: theme.accentSoft };

/** A long name is set in smaller type, on up to three lines. */
function drawTitle(document: PdfDocument, { site, range }: ReportData): void {
  label(document, "Site report", page.left, 62, { ...coverStyle, size: 10, weight: "SEMIBOLD" });
  const large: TextStyle = { size: 25, weight: "SEMIBOLD", color: "#ffffff" };
  const fits = document.type.lines(site.name, page.width, large).length <= 1;
  const style = fits ? large : { ...large, size: 16 };
  const lines = document.type.lines(site.name, page.width, style, fits ? 1 : 2);
  document.y = 74;
  flowLines(document, "H1", lines, style);
  label(document, rangeText(range), page.left, BAND_HEIGHT - 24, { ...coverStyle, size: 12, color: "#ffffff" });
}

function drawSampleNotice(document: PdfDocument): void {
  const style: TextStyle = { size: 9, weight: "SEMIBOLD", color: theme.fair };
  const top = document.y - 4;
  document.artifact(() => document.kit.roundedRect(page.left, top, page.width, 22, 4).fillColor(theme.fairSoft).fill());
  const text = "Contains sample data: some of the data in this report was made up for a demo.";
  document.mark("P", () => document.type.set(text, page.left + 10, top + 11 + capHeight(9) / 2, style));
  document.y = top + 22 + 12;
}

const lightColors: Record<VerdictLight, string> = {
  GREEN: theme.good,
  AMBER: theme.sun,
  RED: theme.poor,
  UNKNOWN: theme.muted,
};
const lights = ["RED", "AMBER", "GREEN"] as const;
const LIGHT = { width: 34, height: 92, radius: 11 } as const;
const sentenceStyle: TextStyle = { size: 9.5, color: theme.text };
const SENTENCE_LINE = 13.2;

function drawVerdict(document: PdfDocument, { light, title, sentences }: VerdictPage): void {
  const { type } = document;
  const top = document.y;
  const left = page.left + LIGHT.width + 16;
  const titleStyle: TextStyle = { size: 16, weight: "SEMIBOLD", color: theme.text };
  const lamp = () => drawLamp(document, light, top);
  document.mark("Figure", lamp, {
    alt: `Traffic light: ${light === "UNKNOWN" ? "none is lit" : light.toLowerCase()}.`,
    bbox: [page.left, top, page.left + LIGHT.width, top + LIGHT.height],
  });
  document.mark("H2", () => type.set(title, left, top + 4 + capHeight(16), titleStyle));
  let y = top + 28;
  for (const sentence of sentences) {
    const lines = type.lines(sentence, page.right - left, sentenceStyle);
    const baseline = y + capHeight(sentenceStyle.size);
    document.mark("P", () => type.setLines(lines, left, baseline, SENTENCE_LINE, sentenceStyle));
    y += lines.length * SENTENCE_LINE + 3;
  }
  document.y = Math.max(top + LIGHT.height, y) + 2;
}

/** The lit one is larger and has a ring, so that it is told apart without colour. */
function drawLamp({ kit }: PdfDocument, light: VerdictLight, top: number): void {
  kit.roundedRect(page.left, top, LIGHT.width, LIGHT.height, 8).fillColor("#2b3640").fill();
  for (const [nth, one] of lights.entries()) {
    const [x, y] = [page.left + LIGHT.width / 2, top + 17 + nth * 29];
    const isLit = one === light;
    kit
      .circle(x, y, isLit ? LIGHT.radius : LIGHT.radius - 3)
      .fillColor(isLit ? lightColors[one] : "#56636f")
      .fill();
    if (isLit) kit.circle(x, y, LIGHT.radius).lineWidth(1.6).strokeColor("#ffffff").stroke();
  }
}

function figureTable(document: PdfDocument, verdict: VerdictPage): Generator<void> {
  const { figures, energy, range, before, notCompared } = verdict;
  type Figures = Column<Omit<VerdictFigure, "name">>;
  const compared: Figures[] = [
    { title: before ?? "", share: 22, align: "RIGHT", of: (row) => ({ text: row.before, note: row.coverageBefore }) },
    {
      title: "Change",
      share: 21,
      align: "RIGHT",
      of: ({ change, changeNote, changeColor }) => ({
        text: change,
        note: changeNote,
        color: changeColor,
        isStrong: true,
      }),
    },
  ];
  return titledTable(document, {
    title: "The figures behind it",
    notes: notCompared === null ? [] : [notCompared],
    namesRows: true,
    isDense: true,
    columns: [
      {
        title: "Figure",
        share: 45,
        maxLines: 8,
        of: ({ label: name, formula }) => ({ text: name, note: formula, isStrong: true }),
      },
      {
        title: range,
        share: 22,
        align: "RIGHT",
        of: ({ value, coverage }) => ({ text: value, note: coverage, isStrong: true }),
      },
      ...(before === null ? [] : compared),
    ],
    rows: [...figures, energy],
  });
}

const actionStyle: TextStyle = { size: 9, color: theme.text };
const ACTION_LINE = 12.2;
/** Kept free for the facts below. */
const FACTS_HEIGHT = 50;

/** As many as there is room for; the parts below have all. */
function drawActions(document: PdfDocument, actions: readonly VerdictAction[], asOf: string): void {
  const style: TextStyle = { size: 11.5, weight: "SEMIBOLD", color: theme.text };
  document.mark("H3", () => document.type.set("What needs action", page.left, document.y + capHeight(11.5) + 4, style));
  const note: TextStyle = { size: 8, color: theme.muted };
  const x = page.left + document.type.width("What needs action", style) + 8;
  document.mark("P", () => document.type.set(`as of ${asOf}`, x, document.y + capHeight(11.5) + 4, note));
  document.y += 22;
  const blocks = actions.map((action) => ({
    ...action,
    lines: document.type.lines(action.text, page.width - 16, actionStyle, 2),
  }));
  const room = page.bottom - FACTS_HEIGHT - document.y;
  let used = 0;
  const fitting = blocks.filter(({ lines }) => {
    used += lines.length * ACTION_LINE + 3;
    return used + ACTION_LINE <= room;
  });
  for (const { light, lines } of fitting) {
    const top = document.y;
    document.artifact(() => drawSign(document, light, top));
    const baseline = top + capHeight(actionStyle.size) + 2;
    document.mark("P", () => document.type.setLines(lines, page.left + 16, baseline, ACTION_LINE, actionStyle));
    document.y += lines.length * ACTION_LINE + 3;
  }
  const rest = actions.length - fitting.length;
  const more =
    actions.length === 0 ? "Nothing needs action." : `${countOf(rest, "more is", "more are")} in the parts below.`;
  if (rest > 0 || actions.length === 0) paragraph(document, more, actionStyle);
  document.y += 6;
}

/** A disc or a triangle, so that it is told apart without colour. */
function drawSign({ kit }: PdfDocument, light: VerdictAction["light"], top: number): void {
  const [x, y] = [page.left + 5, top + 5.4];
  if (light === "RED") kit.circle(x, y, 4.2);
  else
    kit
      .moveTo(x, y - 4.4)
      .lineTo(x + 4.8, y + 3.8)
      .lineTo(x - 4.8, y + 3.8)
      .closePath();
  kit.fillColor(lightColors[light]).fill();
}

function factsText({ site, partner, range, generatedAt, robots }: ReportData): string {
  const place = [site.address, site.district, `${site.state} ${site.pin_code}`].filter((one) => one.trim() !== "");
  const contact = [partner?.contactPerson, partner?.phone, partner?.email].filter((one) => one);
  const present = robots.filter(({ health }) => health !== null).length;
  const energy = energyFactTexts(site);
  const named = partner === null ? "none" : [partner.name, ...contact].join(", ");
  return [
    `${place.join(", ")} (${site.latitude.toFixed(4)}\u00b0, ${site.longitude.toFixed(4)}\u00b0)`,
    `Commissioned ${site.commissioning_date === null ? "on a date that is not known" : formatDate(site.commissioning_date)}`,
    countOf(present, "robot now", "robots now"),
    ...(energy.length === 0 ? [] : [`Energy: ${energy.join(", ")}`]),
    `Maintenance partner: ${named}`,
    `From ${formatTimestamp(range.from)} to ${formatTimestamp(range.to)} (inclusive), ${countOf(range.days, "day", "days")}, ${site.timezone} (${offsetText(range)})`,
    `Generated ${formatDateTime(generatedAt, "")}`,
  ].join(" \u00b7 ");
}
