import { allSections } from "@suncrew/domain/report-templates/template-sections.ts";
import { reportFigureRules } from "@suncrew/domain/reports/report-figures.ts";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyReportData, sampleReportData, savedReportData } from "../../../test/report-data-fixtures.ts";
import { jpegOf, sampleLogo } from "../../../test/sample-logo.ts";
import { elementsOf, type ReadPdf, readPdf } from "../../../test/read-pdf.ts";
import { readLogoImage } from "../report-templates/public.ts";
import { writeReportPdf } from "./report-document.ts";

const textOf = (pdf: ReadPdf) => pdf.pages.map(({ text }) => text).join("\n");
/** A month of the sample site with every section. */
let usual: ReadPdf;
beforeAll(async () => {
  usual = await readPdf(writeReportPdf(sampleReportData(), null));
});
const SECTIONS = ["Robot Performance", "Activity Log", "Robot Health Status", "Maintenance History", "Alerts Summary"];
const APPENDIX = ["How each figure is calculated", "Log"];

describe("§2 Site Reports: what the PDF is", () => {
  test("headings, tables and figures are tagged, figures have text alternatives, and an outline links to the parts", async () => {
    const pdf = usual;
    expect(pdf.title).toBe("Site report: Bhadla Solar Park, 1 Jan 2026 to 30 Jan 2026");
    expect(pdf.language).toBe("en-IN");
    expect(pdf.outline).toEqual(["Bhadla Solar Park", "Planned against done", ...SECTIONS, ...APPENDIX]);
    expect(elementsOf(pdf, "H1")).toHaveLength(1);
    expect(elementsOf(pdf, "H2")).toHaveLength(9);
    expect(elementsOf(pdf, "H3").length).toBeGreaterThan(10);
    expect(elementsOf(pdf, "TH").length).toBeGreaterThan(50);
    const alts = elementsOf(pdf, "Figure").map(({ alt }) => alt ?? "");
    expect(alts).toHaveLength(7);
    expect(alts[0]).toBe("Traffic light: red.");
    expect(alts[1]).toMatch(
      /^Stacked columns of 240 planned runs by day, .*: Done 215, Stopped early 4, Cut short 5, Skipped 8, Missed 4, Failed 4\.$/,
    );
    expect(alts[2]).toMatch(/^Heat map of planned runs by robot and day, .*, most runs not done by SCR-1001, 7\./);
    expect(alts[3]).toMatch(
      /^Column chart of the time cleaned by day, .* in total, at most \d h \d+ min \(\d+ Jan 2026\)\.$/,
    );
    expect(alts[4]).toMatch(/^Line chart of uptime in percent by day, .* between 9\d\.\d and 9\d\.\d\.$/);
    expect(alts[5]).toMatch(/^Line chart of average battery in percent by day, .* between 6\d\.\d and 8\d\.\d\.$/);
    expect(alts[6]).toContain("Done 218 (89.7 %), Under way 0 (0.0 %), Stopped early 4 (1.6 %), Cut short 5");
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
    const cover = pdf.pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    expect(cover).toContain("Asia/Kolkata (UTC+05:30)");
    expect(cover).toContain("SunCare Services");
    expect(cover).toContain("30 Jan 2026, 23:59:59");
    expect(cover).toContain("31 Jan 2026, 09:41");
  });

  test("the first page has the site's energy facts that are known, and no word of them if none is", async () => {
    const data = sampleReportData();
    const facts = { dc_capacity_kwp: 10_000, tilt_degrees: 25, tariff_per_kwh: 2.5, currency: "INR" };
    const pdf = await readPdf(writeReportPdf({ ...data, site: { ...data.site, ...facts } }, null));
    const first = pdf.pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    expect(first).toContain("Energy: 10,000 kWp DC, tilt 25\u00b0, tariff 2.5 INR per kWh");
    expect(pdf.pages).toHaveLength(usual.pages.length);
    expect(usual.pages[0]?.text).not.toContain("Energy:");
  });

  test("every figure is accompanied by how it is computed, and is rounded alike wherever it is printed", async () => {
    const text = textOf(usual).replaceAll(/\s+/g, " ");
    for (const { label, how } of Object.values(reportFigureRules)) {
      expect(text).toContain(label);
      expect(text).toContain(how);
    }
    for (const value of ["98.4 %", "218", "102 h 51 min", "83.6 %", "71.3 %", "30 of 30 days", "3 h 25 min"]) {
      expect(text.split(value).length).toBeGreaterThan(2);
    }
  });

  test("decisions, report figures: recomputing the cover's figures from the numbers printed there gives the same result", async () => {
    const cover = usual.pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    const found = (pattern: string) => new RegExp(pattern).exec(cover)?.slice(1) ?? [];
    const percentOf = (part: number, whole: number) => Math.round((part / whole) * 1_000) / 10;
    const time = "((?:[\\d,]+ h ?)?(?:\\d+ min)?)";
    const [reachable, known, uptime, days] = found(
      `Uptime ${time} of ${time} reachable ([\\d.]+) % known on (\\d+ of \\d+) days`,
    );
    expect(Number(uptime)).toBe(percentOf(minutesOf(reachable), minutesOf(known)));
    expect(days).toBe("30 of 30");
    const [asPlanned, outside, byHand, cleaned] = found(
      `Time cleaned ${time} as planned, ${time} outside the plan, ${time} in manual runs ${time} known on 30 of 30 days`,
    );
    expect(minutesOf(cleaned)).toBe(minutesOf(asPlanned) + minutesOf(outside) + minutesOf(byHand));
    expect(cover).toContain(`robots cleaned for ${cleaned} altogether`);
    const [ofPlan, planned, efficiency] = found(`Efficiency ${time} cleaned as planned of ${time} planned ([\\d.]+) %`);
    expect(ofPlan).toBe(asPlanned);
    expect(Number(efficiency)).toBe(percentOf(minutesOf(ofPlan), minutesOf(planned)));
    const [done, runs, share] = found("Planned runs done (\\d+) of (\\d+) planned runs ([\\d.]+) %");
    expect(Number(share)).toBe(percentOf(Number(done), Number(runs)));
    expect(cover).toContain(`${done} of ${runs} planned runs were done (${share} %)`);
    expect(cover).toMatch(/Time with a critical alert .* 48 h known on 30 of 30 days/);
  });

  test("energy saved: the first page has it with its band and days, and it follows from the numbers beside it", async () => {
    const pdf = await readPdf(writeReportPdf(savedReportData(), null));
    const cover = pdf.pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    const of = (pattern: string) => {
      const numbers = new RegExp(pattern).exec(cover)?.slice(1) ?? [];
      return numbers.map((number) => Number(number.replaceAll(",", "")));
    };
    const kWh = "([\\d,]+) kWh";
    const [without = 0, lost = 0] = of(
      `Energy saved by cleaning ${kWh} lost without the cleanings of this range, ${kWh} with them`,
    );
    const [saved = 0, low, high, days] = of(`\\) ${kWh} ([\\d,]+) to ${kWh}; modelled on (\\d+) of 30 days`);
    expect([without, lost, saved]).toEqual([61_240, 4_811, without - lost]);
    expect([low, high, days]).toEqual([30_600, 95_700, 28]);
    const [worth, tariff = 0] = of("worth ([\\d,]+) INR at ([\\d.]+) INR per kWh");
    expect(worth).toBe(Math.round(saved * tariff));
    const [before = 0, change] = of(`30 days ${kWh} [\\d,]+ to [\\d,]+ kWh; modelled on 30 of 30 days \\+${kWh}`);
    expect(change).toBe(saved - before);
    expect(cover).toContain("3 runs of unknown share are not counted");
    expect(cover).toContain(
      "verifies 2 of 9 days with cleanings (5 Jan: +3.1 % (2.3 to 3.9 %), 15 Jan: +4.1 % (3.3 to 4.9 %))",
    );
    const appendix = textOf(pdf).replaceAll(/\s+/g, " ");
    expect(appendix).toContain("Energy lost without the cleanings \u2212 energy lost with them, each in whole kWh");
    expect(appendix).toContain("118 runs of the range count, 3 cannot be counted");
    expect(pdf.pages[0]?.text).not.toContain("\u2026");
    expect(textOf(await readPdf(writeReportPdf(savedReportData({ robots: 200 }), null)))).toContain("56,429 kWh");
  });

  test.each([
    [["dc_capacity_kwp"], "DC capacity of this site is not entered"],
    [["tilt_degrees", "azimuth_degrees", "robots"], "tilt and azimuth of this site are not entered"],
    [["robots"], "the site has no robots whose rows could be modelled"],
    [[], "nothing is known of any robot on these days, so nobody knows what cleaned"],
    [["particles"], "particles, rain and irradiation are not known of any whole day"],
  ] as const)("energy saved: without %s there is no figure, and the first page says why", async (missing, words) => {
    const data = savedReportData({ activities: 0 });
    const energy = { ...data.energy, saved: null, missing, measured: null };
    const pdf = await readPdf(writeReportPdf({ ...data, energy }, null));
    const cover = pdf.pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    expect(cover).toContain(`Energy saved by cleaning ${words} Not known modelled on 0 of 30 days`);
    expect(cover).not.toContain("lost without");
  });

  test("§3 Maintenance due date: overdue maintenance comes before all other maintenance, on the cover too, and is never counted as not due", async () => {
    const made = sampleReportData();
    const old = { robotName: "SCR-1003", serialNumber: "SCR-1003", date: "2024-03-12" };
    const overdue = [old, { robotName: "Two", serialNumber: "SCR-1002", date: "2025-01-03" }];
    const data = { ...made, maintenance: { ...made.maintenance, due: [], overdue } };
    const { pages } = await readPdf(writeReportPdf(data, null));
    const words = "verdue since 12 Mar 2024: SCR-1003; since 3 Jan 2025: SCR-1002.";
    expect(pages[0]?.text).toContain(words);
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

  test("a figure that is known on some days says so, and a total over them is not compared", async () => {
    const made = sampleReportData();
    const figures = { ...made.figures, data_days: 9, uptime_days: 8 };
    const { pages } = await readPdf(writeReportPdf({ ...made, figures }, null));
    const cover = pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    expect(cover).toMatch(/Time cleaned .* 102 h 51 min known on 9 of 30 days .* too few days to compare Efficiency/);
    expect(cover).toMatch(/Uptime .* known on 8 of 30 days/);
    expect(cover).toContain("there is data on only 9 of 30 days");
  });

  test("a range of one day, one of 92 days and one of 400 days: the first page is one page, and only the longest is not compared", async () => {
    for (const [days, robots] of [
      [1, 1],
      [92, 200],
      [400, 3],
    ] as const) {
      const { pages } = await readPdf(
        writeReportPdf({ ...sampleReportData({ days, robots }), ...(days > 92 && { before: null }) }, null),
        { withTrees: false },
      );
      expect(pages[1]?.text).toContain("Planned against done");
      expect(pages[0]?.text).toContain("Generated");
      expect(pages[0]?.text.includes("are not compared")).toBe(days > 92);
    }
  });

  test("what needs action: alerts and robots that are offline come first, and nothing is said if nothing does", async () => {
    const coverOf = async (data: ReturnType<typeof sampleReportData>) =>
      (await readPdf(writeReportPdf(data, null))).pages[0]?.text.replaceAll(/\s+/g, " ") ?? "";
    const made = sampleReportData({ robots: 5 });
    const alert = { severity: "CRITICAL" as const, text: "The site is dark", since: made.generatedAt };
    const cover = await coverOf({ ...made, siteAlerts: [alert] });
    const parts = [
      "Whole site: The site is dark",
      "SCR-1004 has a critical alert open",
      "1 robot is offline: SCR-1005",
      "Maintenance: overdue",
      "Planned runs 5 missed and 5 failed",
    ];
    const places = parts.map((part) => cover.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const calm = made.robots.map((robot) => ({
      ...robot,
      planned: { ...robot.planned, MISSED: 0, FAILED: 0 },
      health: robot.health && { ...robot.health, online: true, activeAlerts: [] },
    }));
    const quiet = await coverOf({ ...made, robots: calm, maintenance: { ...made.maintenance, overdue: [] } });
    expect(quiet).toContain("Nothing needs action.");
  });

  test("a logo is drawn once, on the first page, and changes nothing else", async () => {
    for (const file of [sampleLogo, jpegOf()]) {
      const { content } = readLogoImage(file);
      const data = sampleReportData({ days: 1, robots: 1 });
      const bytes = await buffer(writeReportPdf(data, null, content));
      expect(bytes.toString("latin1").split("/Subtype /Image")).toHaveLength(2);
      const [withLogo, without] = await Promise.all([
        readPdf(Readable.from([bytes])),
        readPdf(writeReportPdf(data, null)),
      ]);
      expect(textOf(withLogo)).toBe(textOf(without));
    }
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

/** "102 h 51 min", "45 min" or "30 h". */
function minutesOf(text = ""): number {
  const [, h = "0", min = "0"] = /^(?:([\d,]+) h)? ?(?:(\d+) min)?$/.exec(text.trim()) ?? [];
  return Number(h.replaceAll(",", "")) * 60 + Number(min);
}

describe("§2 Site Reports: entries that repeat are one", () => {
  test("twelve robots started one after the other are one row with their number and times; each entry is in one row", async () => {
    const made = sampleReportData({ activities: 12, robots: 12 });
    const rows = made.activity.rows.map((row, nth) => ({
      ...row,
      action: "START" as const,
      actionType: "SCHEDULED" as const,
      status: "SUCCESS" as const,
      userName: "Scheduler",
      details: "The robot confirmed it",
      at: { utc: `2026-01-30T15:${59 - nth}:00.000Z`, local: `2026-01-30 21:${29 - nth}:00` },
    }));
    const { pages } = await readPdf(writeReportPdf({ ...made, activity: { rows, rest: 0 } }, null));
    const log = pages.at(-1)?.text.replaceAll(/\s+/g, " ") ?? "";
    expect(log).toContain("30 Jan 2026, 21:18:00\u201321:29:00");
    expect(log).toMatch(/12 × Start, scheduled/);
    expect(log).toContain("12 robots");
    expect(log.split("The robot confirmed it")).toHaveLength(2);
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
    expect(pdf.outline.slice(1)).toEqual(["Alerts Summary", "Robot Performance", "How each figure is calculated"]);
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
    expect(elementsOf(pdf, "Figure").map(({ alt }) => alt)).toEqual(["Traffic light: red."]);
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
    // pdf.js lists the heading again on each page, without content there: the tables of figures, on the first page with
    // four column headings and one row heading and at the end with three and one, and the seven headings of the timeline.
    const read = (tag: string) => elementsOf(pdf, tag).filter(({ children }) => children.length > 0);
    expect(read("TH")).toHaveLength(4 + 2 + 3 + 1 + 3 + 4 + 7);
    expect(read("TD")).toHaveLength(2 * 3 + 2 + 4 * 2 + 120 * 7);
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
