import { describe, expect, test } from "vitest";
import { readUrl, writeUrl } from "../../platform/url-state.ts";
import { todayIn } from "../../ui/days.ts";
import { quickRanges, reportUrl, reportFileName, downloadBlockedReason, wrongDays } from "./report-choice.ts";

describe("§5 Site report: site, start date and end date are all required", () => {
  const complete = { siteId: 1, from: "2026-06-01", to: "2026-06-30", templateId: null };
  test.each([
    [{ siteId: null }, "Choose a site first."],
    [{ from: "" }, "Choose a start date first."],
    [{ to: "" }, "Choose an end date first."],
    [{ to: "2026-05-31" }, "The end date is before the start date."],
    [{ to: "2027-07-06" }, "A report covers at most 400 days."],
    [{ to: "2027-07-05" }, null],
    [{ to: "2026-06-01" }, null],
  ])("with %j: %j", (change, reason) => {
    expect(downloadBlockedReason({ ...complete, ...change })).toBe(reason);
  });

  test("dates that are not chosen yet are not wrong", () => {
    expect(wrongDays({ from: "", to: "2026-01-01" })).toBeNull();
  });
});

test("§2 Site Reports: the choice is kept in the URL, and invalid parts are ignored", () => {
  const params = writeUrl(reportUrl, new URLSearchParams(), { siteId: 3, from: "2026-06-01", to: "2026-06-30" });
  expect(params.toString()).toBe("site=3&from=2026-06-01&to=2026-06-30");
  expect(readUrl(reportUrl, params)).toEqual({ siteId: 3, from: "2026-06-01", to: "2026-06-30", templateId: null });
  expect(readUrl(reportUrl, new URLSearchParams("site=x&from=2026-02-30&to=1969-12-31&template=0"))).toEqual({
    siteId: null,
    from: "",
    to: "",
    templateId: null,
  });
});

test("§2 Site Reports: quick ranges start from today at the site", () => {
  expect(todayIn("Pacific/Auckland", new Date("2026-01-31T12:00:00Z"))).toBe("2026-02-01");
  expect(todayIn("America/New_York", new Date("2026-02-01T04:00:00Z"))).toBe("2026-01-31");
  expect(quickRanges("2026-03-05").map(({ from, to }) => [from, to])).toEqual([
    ["2026-02-27", "2026-03-05"],
    ["2026-03-01", "2026-03-05"],
    ["2026-02-01", "2026-02-28"],
  ]);
  expect(quickRanges("2026-01-01")[2]).toMatchObject({ from: "2025-12-01", to: "2025-12-31" });
});

test("§9: the file is named <site>_report_<from>_to_<to>.pdf", () => {
  const days = { from: "2026-06-01", to: "2026-06-30" };
  expect(reportFileName("Bhadla Solar Park", days, "pdf")).toBe(
    "Bhadla Solar Park_report_2026-06-01_to_2026-06-30.pdf",
  );
  expect(reportFileName("भड़ला / A:B", days, "csv")).toBe("भड़ला - A-B_report_2026-06-01_to_2026-06-30.csv");
});
