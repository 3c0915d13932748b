import { layoutOf, type Message, type ShownLine } from "@suncrew/domain/notifications/message.ts";
import { ACKNOWLEDGE_LABEL, moreText, OPEN_LABEL, whereAndWhen } from "./channel.ts";

/**
 * Colours of the reports and of the console's Light theme, written at each element because many readers ignore style
 * sheets, and of its Dark theme for readers that follow one.
 */
const light = {
  page: "#f5f7f9",
  surface: "#ffffff",
  border: "#dce2e8",
  text: "#15202b",
  muted: "#54616e",
  accent: "#0b6478",
  onBand: "#ffffff",
  onBandSoft: "#dcf0f4",
  sun: "#f5a800",
};
const tones = {
  poor: { text: "#a01616", soft: "#fde5e5", bar: "#d02c2c" },
  fair: { text: "#794600", soft: "#fdefd2", bar: "#bf7300" },
  calm: { text: "#2c5270", soft: "#e2ecf4", bar: "#4b7ba3" },
  good: { text: "#14673a", soft: "#e0f3e7", bar: "#1f8f52" },
} as const;
type Tone = keyof typeof tones;
const toneOf = { CRITICAL: "poor", WARNING: "fair", INFO: "calm" } as const;

const DARK_STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) { .pad { padding-left: 18px !important; padding-right: 18px !important; } }
@media (prefers-color-scheme: dark) {
  .page { background: #0f1419 !important; }
  .card { background: #171d24 !important; border-color: #2c3742 !important; }
  .band { background: #16353f !important; }
  .text, .text a { color: #e7ecf1 !important; }
  .muted, .muted a { color: #a3b1bf !important; }
  .rule { border-color: #2c3742 !important; }
  .fill { background: #5cc3da !important; border-color: #5cc3da !important; }
  .fill a { color: #04222b !important; }
  .outline { border-color: #6acce2 !important; }
  .outline a { color: #6acce2 !important; }
  .poor { color: #ffacac !important; background: #451a1b !important; }
  .fair { color: #f6c878 !important; background: #3a2a0c !important; }
  .calm { color: #a9cde9 !important; background: #182e40 !important; }
  .good { color: #8be0ae !important; background: #12311f !important; }
  .bar-poor { background: #f0605f !important; }
  .bar-fair { background: #e59e22 !important; }
  .bar-calm { background: #6ba6d3 !important; }
  .bar-good { background: #3fbf77 !important; }
}`;

const FONT = "font-family:'Noto Sans','Segoe UI',Roboto,Helvetica,Arial,sans-serif;";
/** Names and robots' texts may be long words, which would make the mail wider than its reader. */
const BREAKS = "overflow-wrap:anywhere;word-break:break-word;";
const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

/** A page of a mail. */
interface Page {
  readonly language: string;
  readonly title: string;
  /** Rows of its table, as HTML. */
  readonly rows: readonly string[];
  readonly footer: string;
  readonly unsubscribe: { readonly url: string; readonly label: string } | null;
}

/** The message as HTML that reads alike in most mail programs, 600 pixels wide at most, without anything to load. */
export function mailHtml(message: Message): string {
  const { more, footer, url, acknowledgeUrl, unsubscribeUrl } = message;
  const { heading, lines } = layoutOf(message);
  const rows = lines.map((line) => lineRow(line, message));
  if (more > 0)
    rows.push(row(`<span class="muted" style="color:${light.muted};">${moreText(more)}</span>`, "0 28px 14px"));
  const buttons = [
    ...(url === null ? [] : [button(url, OPEN_LABEL, "fill")]),
    ...(acknowledgeUrl === null ? [] : [button(acknowledgeUrl, ACKNOWLEDGE_LABEL, "outline")]),
  ];
  if (buttons.length > 0) {
    const table = `<table ${TABLE}><tr>${buttons.join(`<td style="width:12px;"></td>`)}</tr></table>`;
    rows.push(row(table, "6px 28px 24px"));
  }
  const unsubscribe = unsubscribeUrl === null ? null : { url: unsubscribeUrl, label: "Unsubscribe" };
  return framed({ language: "en", title: heading, rows, footer, unsubscribe });
}

/** A mail of paragraphs and facts, in any language, that looks like the others. */
export function mailPage({
  paragraphs,
  facts,
  ...page
}: Omit<Page, "rows"> & {
  readonly paragraphs: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
}): string {
  const written = paragraphs.map((text) =>
    row(`<span class="text" style="color:${light.text};">${escaped(text)}</span>`, "0 28px 12px"),
  );
  const listed = facts.map(
    ({ label, value }) =>
      `<tr><td class="muted rule" style="padding:7px 16px 7px 0;border-top:1px solid ${light.border};color:${light.muted};font-size:13px;">${escaped(label)}</td>` +
      `<td class="text rule" align="right" style="padding:7px 0;border-top:1px solid ${light.border};color:${light.text};font-weight:600;">${escaped(value)}</td></tr>`,
  );
  const table = listed.length === 0 ? "" : `<table ${TABLE} width="100%">${listed.join("")}</table>`;
  return framed({ ...page, rows: [...written, row(table, "6px 28px 24px")] });
}

function framed({ language, title, rows, footer, unsubscribe }: Page): string {
  const link =
    unsubscribe === null
      ? ""
      : ` <a href="${escaped(unsubscribe.url)}" style="color:${light.muted};">${escaped(unsubscribe.label)}</a>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>${DARK_STYLE}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${light.page};">
<table ${TABLE} width="100%" class="page" style="background:${light.page};"><tr><td align="center" style="padding:16px 8px 28px;">
<table ${TABLE} width="100%" style="max-width:600px;${FONT}font-size:15px;line-height:1.5;">
<tr><td class="card" style="background:${light.surface};border:1px solid ${light.border};border-radius:8px;overflow:hidden;${BREAKS}">
<table ${TABLE} width="100%">
<tr><td class="band pad" style="background:${light.accent};padding:20px 28px 22px;">
<div style="font-size:13px;font-weight:600;color:${light.onBandSoft};"><span style="color:${light.sun};font-size:15px;">&#9728;&#65038;</span>&ensp;Suncrew</div>
<h1 style="margin:10px 0 0;font-size:21px;line-height:1.3;font-weight:600;color:${light.onBand};">${escaped(title)}</h1>
</td></tr>
<tr><td style="height:20px;line-height:20px;font-size:0;">&nbsp;</td></tr>
${rows.join("\n")}
</table>
</td></tr>
<tr><td class="muted pad" style="padding:14px 28px 0;font-size:12px;color:${light.muted};${BREAKS}">${escaped(footer)}${link}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

function row(content: string, padding: string): string {
  return `<tr><td class="pad" style="padding:${padding};">${content}</td></tr>`;
}

/** A bar and a word in the colour of its severity; both, for those who see no colours. The heading may say the word. */
function lineRow(line: ShownLine, { kind, heading, severity: worst }: Message): string {
  const severity = heading === null ? line.severity : worst;
  const tone: Tone | null = kind === "CLEARED" ? "good" : severity === null ? null : toneOf[severity];
  const pill = tone === null || line.word === null ? "" : `${pillOf(tone, line.word)}<br>`;
  const place = whereAndWhen(line);
  const text = `<span class="text" style="color:${light.text};font-weight:600;">${linked(line)}</span>`;
  const under =
    place === "" ? "" : `<br><span class="muted" style="color:${light.muted};font-size:13px;">${escaped(place)}</span>`;
  const bar =
    tone === null
      ? ""
      : `<td class="bar-${tone}" width="4" style="width:4px;background:${tones[tone].bar};border-radius:2px;font-size:0;">&nbsp;</td>`;
  const content = `<table ${TABLE} width="100%"><tr>${bar}<td style="padding:0 0 0 ${tone === null ? 0 : 14}px;">${pill}${text}${under}</td></tr></table>`;
  return row(content, "0 28px 18px");
}

function pillOf(tone: Tone, word: string): string {
  const { text, soft } = tones[tone];
  return `<span class="${tone}" style="display:inline-block;padding:1px 9px;border-radius:9px;font-size:12px;font-weight:600;color:${text};background:${soft};">${word}</span>`;
}

function linked({ text, url }: ShownLine): string {
  if (url === null) return escaped(text);
  return `<a href="${escaped(url)}" style="color:${light.text};text-decoration:underline;">${escaped(text)}</a>`;
}

function button(url: string, label: string, look: "fill" | "outline"): string {
  const color = look === "fill" ? light.onBand : light.accent;
  const background = look === "fill" ? `background:${light.accent};` : "";
  return `<td class="${look}" style="border:1px solid ${light.accent};border-radius:6px;${background}"><a href="${escaped(url)}" style="display:inline-block;padding:9px 18px;font-size:14px;font-weight:600;color:${color};text-decoration:none;">${label}</a></td>`;
}

/** Text from robots and people, which may be inside an attribute. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("\n", "<br>");
}
