import { createRequire } from "node:module";
import { buffer } from "node:stream/consumers";
import Kit from "pdfkit";
import { writeReportPdf } from "@suncrew/server/features/reports/report-document.ts";
import { sampleReportData } from "../apps/server/test/report-data-fixtures.ts";
import { report } from "./result.ts";

// How long the activity table of a report takes with 2,000 rows, as a ratio to the bare library drawing the texts of the
// same rows in the same font and columns, without the table's rules, tags, outline and shaping of scripts.

const ROWS = 2_000;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 7);
const LIMIT = 1.5;

const data = sampleReportData({ activities: ROWS });
const font = createRequire(import.meta.url).resolve("@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf");
/** Points. */
const columns = [81, 64, 58, 66, 34, 46, 90];
const TALLEST = 56;
const [left, top, bottom, gap, padding] = [48, 76, 778, 8, 3];

async function own(): Promise<Buffer> {
  return buffer(writeReportPdf(data, [{ type: "activities", fields: ["timeline"] }]));
}

async function bare(): Promise<Buffer> {
  const document = new Kit({ size: "A4", margin: 0 });
  const bytes = buffer(document);
  document.font(font).fontSize(7.5);
  let y = top;
  for (const row of data.activity.rows) {
    const cells = [row.at.local, row.at.utc, row.action, row.robotName, row.status, row.userName, row.details];
    if (y > bottom - TALLEST) {
      document.addPage();
      y = top;
    }
    let x = left;
    let below = y;
    for (const [index, cell] of cells.entries()) {
      document.text(cell, x, y + padding, { width: columns[index] ?? 0 });
      x += (columns[index] ?? 0) + gap;
      below = Math.max(below, document.y);
    }
    y = below + padding;
  }
  document.end();
  return bytes;
}

const medianOf = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

async function timed(make: () => Promise<Buffer>) {
  const before = process.cpuUsage();
  const { length } = await make();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, bytes: length };
}

await timed(own);
await timed(bare);
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push({ own: await timed(own), bare: await timed(bare) });
const [ownMs, bareMs] = [medianOf(rounds.map((round) => round.own.ms)), medianOf(rounds.map((round) => round.bare.ms))];
const ratio = medianOf(rounds.map((round) => round.own.ms / round.bare.ms));
report({
  what: `PDF with ${ROWS.toLocaleString("en")} activity rows against the bare library`,
  figure: ratio,
  unit: "times",
  atMost: LIMIT,
  detail:
    `${ownMs.toFixed(0)} and ${bareMs.toFixed(0)} ms of processor time, ` +
    `${((rounds[0]?.own.bytes ?? 0) / 1e6).toFixed(1)} and ${((rounds[0]?.bare.bytes ?? 0) / 1e6).toFixed(1)} MB`,
});
