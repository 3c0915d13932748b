import { allSections } from "@suncrew/domain/report-templates/template-sections.ts";
import { reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyReportData, sampleReportData } from "../../../test/report-data-fixtures.ts";
import { elementsOf, type ReadPdf, readPdf } from "../../../test/read-pdf.ts";
import { writeReportPdf } from "./report-document.ts";

const textOf = (pdf: ReadPdf) => pdf.pages.map(({ text }) => text).join("\n");
/** A month of the sample site with every section. */
let usual: ReadPdf;
beforeAll(async () => {
  usual = await readPdf(writeReportPdf(sampleReportData(), null));
});
const SECTIONS = ["Robot Performance", "Activity Log", "Robot Health Status", "Maintenance History", "Alerts Summary"];

describe("§2 Site Reports: what the PDF is", () => {
  test("headings, tables and figures are tagged, figures have text alternatives, and an outline links to the parts", async () => {
    const pdf = usual;
    expect(pdf.title).toBe("Site report: Bhadla Solar Park, 1 Jan 2026 to 30 Jan 2026");
    expect(pdf.language).toBe("en-IN");
    expect(pdf.outline).toEqual(["Bhadla Solar Park", "Summary", ...SECTIONS]);
    expect(elementsOf(pdf, "H1")).toHaveLength(1);
    expect(elementsOf(pdf, "H2")).toHaveLength(6);
    expect(elementsOf(pdf, "H3").length).toBeGreaterThan(10);
    expect(elementsOf(pdf, "TH").length).toBeGreaterThan(50);
    const alts = elementsOf(pdf, "Figure").map(({ alt }) => alt ?? "");
    expect(alts).toHaveLength(4);
    expect(alts[0]).toMatch(/^Column chart of the minutes cleaned by day, .* at most 1,\d{3} \(\d+ Jan 2026\)\.$/);
    expect(alts[1]).toMatch(/^Line chart of uptime in percent by day, .* between 9\d\.\d and 9\d\.\d\.$/);
    expect(alts[2]).toMatch(/^Line chart of average battery in percent by day, .* between 6\d\.\d and 8\d\.\d\.$/);
    expect(alts[3]).toContain("Done 1,234 (94.4 %), Stopped early 12 (0.9 %), Cut short 21");
  });

  test("each page shows its number and the page count; the cover names site, range, zone and partner, and says that data are invented", async () => {
    const pdf = await readPdf(writeReportPdf(sampleReportData({ sample: true }), null));
    for (const { text } of pdf.pages.slice(1)) {
      expect(text).toMatch(/^Bhadla Solar Park\s+1 Jan 2026 to 30 Jan 2026/);
    }
    for (const [nth, { text }] of pdf.pages.entries()) {
      expect(text).toMatch(new RegExp(`Page ${nth + 1} of\\s*${pdf.pages.length}\\b`));
      expect(text).toContain("Contains sample data");
    }
    const cover = pdf.pages[0]?.text ?? "";
    expect(cover).toContain("Asia/Kolkata (UTC+05:30)");
    expect(cover).toContain("SunCare Services");
    expect(cover).toContain("30 Jan 2026, 23:59:59");
    expect(cover).toContain("31 Jan 2026, 09:41");
  });

  test("every figure is accompanied by how it is computed, and is rounded alike wherever it is printed", async () => {
    const text = textOf(usual).replaceAll(/\s+/g, " ");
    for (const { label, how } of Object.values(reportFigureRules)) {
      expect(text).toContain(label);
      expect(text).toContain(how);
    }
    for (const value of ["98.4 %", "1,234", "6,757 min", "91.8 %", "71.3 %", "30 of 30 days", "3 h 25 min"]) {
      expect(text.split(value).length).toBeGreaterThan(2);
    }
  });

  test("decisions, report figures: recomputing the cover's figures from the numbers printed there gives the same result", async () => {
    const cover = usual.pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    const numbersOf = (pattern: RegExp) => {
      const found = pattern.exec(cover)?.slice(1) ?? [];
      return found.map((text) => Number(text.replaceAll(",", "")));
    };
    const n = "([\\d,.]+)";
    const [uptime = 0, reachable = 0, known = 0, days, ofDays] = numbersOf(
      new RegExp(`Uptime ${n} % ${n} of ${n} min reachable; known on ${n} of ${n} days`),
    );
    expect(uptime).toBe(Math.round((reachable / known) * 1_000) / 10);
    expect([days, ofDays]).toEqual([30, 30]);
    const [cleaned, asPlanned = 0, outside = 0, byHand = 0] = numbersOf(
      new RegExp(`Minutes cleaned ${n} min ${n} as planned, ${n} outside the plan, ${n} in manual runs`),
    );
    expect(cleaned).toBe(asPlanned + outside + byHand);
    const [efficiency, ofPlan, planned = 0] = numbersOf(
      new RegExp(`Efficiency ${n} % ${n} min cleaned as planned of ${n} min planned`),
    );
    expect(ofPlan).toBe(asPlanned);
    expect(efficiency).toBe(Math.round((asPlanned / planned) * 1_000) / 10);
    expect(cover).toContain("Time with a critical alert 2,880 min");
    expect(cover).toContain("known on 30 of 30 days");
  });

  test("§3 Maintenance due date: overdue maintenance comes before all other maintenance, on the cover too, and is never counted as not due", async () => {
    const made = sampleReportData();
    const old = { robotName: "SCR-1003", serialNumber: "SCR-1003", date: "2024-03-12" };
    const overdue = [old, { robotName: "Two", serialNumber: "SCR-1002", date: "2025-01-03" }];
    const data = { ...made, maintenance: { ...made.maintenance, due: [], overdue } };
    const { pages } = await readPdf(writeReportPdf(data, null));
    const words = "verdue since 12 Mar 2024: SCR-1003; since 3 Jan 2025: SCR-1002.";
    expect(pages[0]?.text).toContain(words);
    expect(pages[1]?.text).toContain(words);
    const part = pages.find(({ text }) => text.includes("Due in this range"))?.text ?? "";
    expect(part.indexOf(words)).toBeGreaterThan(0);
    expect(part.indexOf(words)).toBeLessThan(part.indexOf("Due in this range"));
    expect(part).not.toContain("none is overdue");
    const none = { ...data, maintenance: { ...data.maintenance, overdue: [] } };
    const text = textOf(await readPdf(writeReportPdf(none, null)));
    expect(text).toContain("No robot's maintenance was due in this range, and none is overdue.");
    expect(text).not.toContain("verdue since");
  });

  test("days to come have a dash, neither 0 nor 100 %", async () => {
    const made = sampleReportData({ days: 9 });
    const generatedAt = { utc: "2026-01-07T04:00:00.000Z", local: "2026-01-07 09:30:00" };
    const text = textOf(await readPdf(writeReportPdf({ ...made, generatedAt }, null)));
    expect(text).toContain("A dash marks a day that was still in the future.");
    expect(text).toMatch(/8 Jan 2026\s+\u2013\s+\u2013\s+\u2013\s+\u2013\s+\u2013/);
    expect(text).toMatch(/\n7 Jan 2026\s+[\d,]+/);
  });

  test("no column heading and no figure is cut where names are short", async () => {
    expect(textOf(await readPdf(writeReportPdf(sampleReportData({ days: 400, activities: 3 }), null)))).not.toContain(
      "\u2026",
    );
  });

  test("values of a chart keep clear of its title, even if the highest is at the top of the axis", async () => {
    const made = sampleReportData({ days: 7 });
    const days = made.days.map((day) => ({ ...day, uptimePercent: 100 }));
    const { pages } = await readPdf(writeReportPdf({ ...made, days }, null));
    const page = pages.find(({ text }) => text.includes("Uptime by day"));
    const title = page?.texts.find(({ text }) => text.startsWith("Uptime by day"));
    const values = page?.texts.filter(({ text, y }) => text === "100.0" && y < (title?.y ?? 0)) ?? [];
    expect(values).toHaveLength(7);
    for (const { y } of values) expect((title?.y ?? 0) - y).toBeGreaterThan(11);
  });

  test("without data, text says so and no figure is invented", async () => {
    const text = textOf(await readPdf(writeReportPdf(emptyReportData(), null)));
    for (const sentence of [
      "No robot cleaned in this range",
      "There were no runs in this range.",
      "No robot was started or stopped in this range.",
      "The site currently has no robots.",
      "The site has no maintenance partner.",
      "No robot was in maintenance in this range.",
      "No alert was raised or cleared in this range.",
    ]) {
      expect(text).toContain(sentence);
    }
    expect(text).not.toMatch(/NaN|undefined|null|Infinity|Contains sample data/);
    expect(text.split("No data").length).toBeGreaterThan(20);
  });

  test("a year is drawn by weeks and says so; two months are drawn by days", async () => {
    const year = textOf(await readPdf(writeReportPdf(sampleReportData({ days: 365 }), null)));
    expect(year).toContain("each point is a week from Monday to Sunday");
    expect(year).toContain("5 Jan to 11 Jan 2026");
    const months = textOf(await readPdf(writeReportPdf(sampleReportData({ days: 62 }), null)));
    expect(months).not.toContain("Monday");
    expect(months).toContain("3 Mar 2026");
  });
});

describe("§2 Site Reports: names in any script", () => {
  const names = [
    "भड़ला सौर ऊर्जा पार्क, क्षत्रिय (किरण)",
    "தமிழ்நாடு சூரிய பூங்கா கொங்கு",
    "কৃষ্ণনগর ক্ষেত্র",
    "കേരള സൗരോർജ്ജ പാർക്ക്",
    "ਪੰਜਾਬ ਸੂਰਜੀ ਸ੍ਰੀ",
    "కర్నూలు క్షేత్ర",
    "ಪಾವಗಡ ಕ್ಷೇತ್ರ",
    "ચારણકા ક્ષેત્ર",
    "ଓଡ଼ିଶା କ୍ଷେତ୍ର",
    "Bhadla <A & B> 漢 ₹",
  ];

  test.each(names)("%s is copied as it was written, in title, heading and text", async (siteName) => {
    const pdf = await readPdf(writeReportPdf(sampleReportData({ siteName, days: 1, robots: 1, activities: 1 }), null));
    expect(pdf.title).toBe(`Site report: ${siteName}, 1 Jan 2026`);
    // pdf.js returns text in Unicode's composed form; a long name takes two lines on the cover.
    const same = (text = "") => text.normalize("NFKC").replaceAll("\n", " ");
    expect(same(pdf.pages[0]?.text)).toContain(` ${same(siteName)} `);
    expect(same(pdf.pages[1]?.text)).toContain(same(siteName));
  });

  test("long names wrap or are cut with an ellipsis: no text overlaps another or leaves the margins", async () => {
    const made = sampleReportData({
      siteName: "Pavagada Ultra Mega Shakti Sthala Solar Park, north-western extension phase three, block 12 to 19",
      robotName: (nth) => `${"Unbrokenname".repeat(6)} ${nth} of the long row behind the substation`,
      robots: 7,
    });
    const { pages } = await readPdf(writeReportPdf(made, null));
    expect(pages.some(({ text }) => text.includes("\u2026"))).toBe(true);
    for (const { texts } of pages) {
      for (const one of texts) {
        expect(one.x).toBeGreaterThanOrEqual(47);
        expect(one.x + one.width).toBeLessThanOrEqual(548);
        const right = texts.filter((other) => other.x > one.x && Math.abs(other.y - one.y) < 4);
        for (const other of right) expect(one.x + one.width, `${one.text} | ${other.text}`).toBeLessThan(other.x + 0.5);
      }
    }
  });
});

describe("§3 Report template: the PDF follows it", () => {
  test("sections in the template's order, with only the enabled fields", async () => {
    const printed = [
      { type: "alerts", fields: ["critical_alerts"] },
      { type: "performance", fields: ["uptime", "cleaning_cycles"] },
    ] as const;
    const pdf = await readPdf(writeReportPdf(sampleReportData(), printed));
    expect(pdf.outline.slice(2)).toEqual(["Alerts Summary", "Robot Performance"]);
    const text = textOf(pdf);
    for (const shown of ["Critical alerts", "Uptime", "Cleaning cycles", "Planned versus done"])
      expect(text).toContain(shown);
    const hidden = [
      "Efficiency",
      "Average battery",
      "Resolved alerts",
      "Time to clear",
      "Timeline",
      "Robot Health",
      "Locks",
      "Entry number",
    ];
    for (const name of hidden) expect(text).not.toContain(name);
    expect(elementsOf(pdf, "Figure")).toHaveLength(0);
  });

  test("without a template every section is there", async () => {
    const all = await readPdf(writeReportPdf(sampleReportData(), allSections));
    const none = usual;
    expect(textOf(none)).toBe(textOf(all));
  });
});

describe("§2 Site Reports: many rows", () => {
  test("a table that fits on one page is never broken; a longer one leaves at least two rows on each side", async () => {
    for (let robots = 3; robots < 33; robots += 3) {
      const { pages } = await readPdf(writeReportPdf(sampleReportData({ robots, activities: 1 }), null), {
        withTrees: false,
      });
      const heads = pages.filter(({ text }) => /As planned\s+Outside the/.test(text));
      expect(heads.length, `${robots} robots`).toBe(1);
    }
    const long = await readPdf(writeReportPdf(sampleReportData({ robots: 200, activities: 1 }), null), {
      withTrees: false,
    });
    const parts = long.pages.filter(({ text }) => /As planned\s+Outside the/.test(text));
    expect(parts.length).toBeGreaterThan(3);
    for (const { text } of parts) {
      const rows = text.slice(text.search(/As planned\s+Outside the/)).match(/SCR-\d+|All robots/g) ?? [];
      expect(rows.length).toBeGreaterThan(1);
    }
    const last = parts.at(-1)?.text ?? "";
    expect(last.slice(0, last.indexOf("All robots"))).toContain("SCR-1200");
  });

  test("the activity table has the newest 2,000 rows, refers to the CSV for the rest, and repeats its heading on each page", async () => {
    const made = sampleReportData({ activities: 2_000, olderActivities: 998_000, robots: 3, days: 3 });
    const printed = [{ type: "activities", fields: ["maintenance_activities", "timeline"] }] as const;
    const pdf = await readPdf(writeReportPdf(made, printed), { withTrees: false });
    const text = textOf(pdf).replaceAll(/\s+/g, " ");
    expect(text).toContain("The newest 2,000 of 1,000,000 entries are shown.");
    expect(text).toContain(
      "The other 998,000 older entries are in the CSV file of this report, which has all 1,000,000.",
    );
    expect(text.match(/Entry number \d+/g)).toHaveLength(
      made.activity.rows.filter(({ status }) => status !== "FAILED").length,
    );
    const tablePages = pdf.pages.filter((page) => page.text.includes("Entry number"));
    expect(tablePages.length).toBeGreaterThan(40);
    for (const page of tablePages)
      expect(page.text).toMatch(
        /Timestamp \(local\)\s+Timestamp \(UTC\)\s+Action\s+Robot\s+Status\s+UserName\s+Details/,
      );
  });

  test("a table over many pages has one heading for screen readers; those on further pages are only visual", async () => {
    const printed = [{ type: "activities", fields: ["maintenance_activities", "timeline"] }] as const;
    const pdf = await readPdf(writeReportPdf(sampleReportData({ activities: 120 }), printed));
    // pdf.js lists the heading again on each page, without content there: the table of figures with its three column
    // headings and one row heading, and the seven headings of the timeline.
    const read = (tag: string) => elementsOf(pdf, tag).filter(({ children }) => children.length > 0);
    expect(read("TH")).toHaveLength(3 + 1 + 7);
    expect(read("TD")).toHaveLength(2 + 120 * 7);
  });

  test("other work gets its turn while 200 robots and 2,000 rows are drawn, and what is drawn is sent immediately", async () => {
    const stream = writeReportPdf(sampleReportData({ robots: 200, days: 365, activities: 2_000 }), null);
    let turns = 0;
    let isOver = false;
    const others = () => {
      turns += 1;
      if (!isOver) setImmediate(others);
    };
    setImmediate(others);
    const sizes: number[] = [];
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) sizes.push(chunk.length);
    isOver = true;
    expect(turns).toBeGreaterThan(100);
    expect(sizes.length).toBeGreaterThan(80);
    const end = sizes.at(-1) ?? 0;
    expect(Math.max(...sizes.slice(0, -1))).toBeLessThan(200_000);
    expect(end).toBeLessThan(2_500_000);
  });
});
