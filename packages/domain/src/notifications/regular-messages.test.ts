import type { SiteNight } from "@suncrew/contract/notifications/regular-content.ts";
import { describe, expect, test } from "vitest";
import { messageAsText, MESSAGE_LINES_MAX } from "./message.ts";
import { digestMessage, nightText, summaryMessage } from "./regular-messages.ts";

const frame = {
  id: "019ac000-0000-7000-8000-000000000001",
  url: "https://suncrew.example/dashboard",
  footer: "You get this every morning.",
  acknowledgeUrl: "https://suncrew.example/acknowledge#token",
  unsubscribeUrl: "https://suncrew.example/unsubscribe#token",
  timezone: "Asia/Kolkata",
  now: new Date("2026-11-27T00:30:00Z"),
};
const quiet = { failed: 0, missed: 0, cut_short: 0, skipped: 0, for_rain: 0 };
const night = (name: string, of: Partial<SiteNight>): SiteNight => ({
  name,
  url: null,
  runs: 0,
  done: 0,
  ...quiet,
  ...of,
});

describe("notifications: the summary of last night", () => {
  test("says how many runs of how many were done, and what became of the others", () => {
    expect(nightText(night("A", { runs: 36, done: 34, skipped: 2, for_rain: 2 }))).toBe(
      "34 of 36 runs, 2 skipped for rain",
    );
    expect(nightText(night("A", { runs: 1, done: 1 }))).toBe("1 of 1 run");
    const all = { runs: 1_010, done: 1_000, failed: 1, missed: 2, cut_short: 3, skipped: 4, for_rain: 1 };
    expect(nightText(night("A", all))).toBe(
      "1,000 of 1,010 runs, 1 failed, 2 missed, 3 cut short, 3 skipped, 1 skipped for rain",
    );
  });

  test("is one message with a line for each site that had runs, those in trouble first; nothing in it is acknowledged", () => {
    const rain = night("Rain", { runs: 4, done: 2, skipped: 2, for_rain: 2 });
    const sites = [
      night("Bhadla", { runs: 2, done: 2 }),
      rain,
      night("Pavagada", { runs: 3, done: 2, failed: 1 }),
      night("New", {}),
    ];
    const { title, lines, acknowledgeUrl, unsubscribeUrl } = summaryMessage(frame, { sites });
    expect(title).toBe("Last night: 6 of 9 runs done at 3 sites");
    expect(lines.map(({ site }) => site)).toEqual(["Pavagada", "Bhadla", "Rain"]);
    expect([acknowledgeUrl, unsubscribeUrl]).toEqual([null, frame.unsubscribeUrl]);
  });

  test("of one site it is told in its title, and once below its name", () => {
    const message = summaryMessage(frame, {
      sites: [night("Bhadla", { runs: 36, done: 34, skipped: 2, for_rain: 2 }), night("New", {})],
    });
    expect(message.title).toBe("Last night at Bhadla: 34 of 36 runs, 2 skipped for rain");
    expect(messageAsText(message, "without links")).toMatch(
      /^Last night at Bhadla\n\n34 of 36 runs, 2 skipped for rain\n\n/,
    );
  });

  test("of many sites it has the first lines and says how many it leaves out; without runs it says so", () => {
    const sites = Array.from({ length: 30 }, (_, nth) => night(`Site ${nth}`, { runs: 1, done: 1 }));
    expect(summaryMessage(frame, { sites })).toMatchObject({ more: 30 - MESSAGE_LINES_MAX });
    expect(summaryMessage(frame, { sites: [] })).toMatchObject({
      title: "Last night: no runs",
      lines: [{ site: null }],
    });
  });
});

describe("notifications: the digest of the last day", () => {
  const nothing = { raised: 0, cleared: 0, done: 0, failed: 0, open: [], open_count: 0 };

  test("tells alerts and runs in numbers, then what is critical, by the recipient's clock", () => {
    const open = {
      severity: "CRITICAL" as const,
      text: "Stuck\nat row 4",
      site: "Bhadla",
      robot: "R-12",
      raised_at: "2026-11-26T23:30:00.000Z",
      url: null,
    };
    const message = digestMessage(frame, { raised: 3, cleared: 1, done: 34, failed: 2, open: [open], open_count: 5 });
    expect(message.title).toBe("The last day: 3 alerts, 5 critical open, 2 of 36 runs failed");
    expect(message.lines.map(({ text }) => text)).toEqual([
      "3 alerts raised and 1 cleared in the last 24 hours.",
      "34 runs done and 2 failed.",
      "Stuck at row 4",
    ]);
    expect(message.lines[2]?.at).toBe("05:00 IST");
    expect(message.more).toBe(4);
  });

  test.each([
    [{ raised: 1, cleared: 1, done: 1 }, "1 alert, 1 run done", "1 run done and 0 failed."],
    [{ done: 34 }, "no alerts, 34 runs done", "34 runs done and 0 failed."],
    [{ raised: 2 }, "2 alerts", "No runs ended."],
  ])("names no zeros in its title: %j", (some, title, runs) => {
    const message = digestMessage(frame, { ...nothing, ...some });
    expect([message.title, message.lines[1]?.text]).toEqual([`The last day: ${title}`, runs]);
  });

  test("says in one line that there is nothing to say", () => {
    const { title, lines } = digestMessage(frame, nothing);
    expect([title, lines.length]).toEqual(["The last day: all quiet", 1]);
  });
});
