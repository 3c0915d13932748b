import { type AttentionItem, attentionList } from "@suncrew/contract/attention/attention.ts";
import { live } from "@suncrew/contract/live/live.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { runsFleetCalendar, runsToday } from "@suncrew/contract/runs/runs.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectContains, expectCount, expectText, expectTexts } from "../../../test/expectations.ts";
import { showWallboard } from "../../../test/open-console.tsx";
import { refetchNow } from "../../../test/refetches.ts";
import {
  BHADLA,
  CHARANKA,
  fleetSnapshot,
  livePart,
  REWA,
  sampleRobots,
  sampleSite,
  sampleSites,
  sampleWeather,
} from "../../../test/sample-fleet.ts";
import { reloadOnceServed } from "../../platform/served-page.ts";
import { chooseTheme } from "../../ui/theme/theme-choice.ts";

const board = page.getByRole("main");
const connection = page.getByRole("status");
const MINUTE_MS = 60_000;
const wrong = page.getByRole("region", { name: "What is wrong" });

beforeEach(async () => {
  await page.viewport(1920, 1080);
  chooseTheme("dark");
});

afterEach(() => void vi.useRealTimers());

function item(nth: number, change: Partial<AttentionItem> = {}): AttentionItem {
  return {
    key: `${nth}`,
    kind: "ALERT",
    code: "JAM",
    severity: "CRITICAL",
    site_id: 1,
    site_name: BHADLA,
    robots: [{ robot_id: 11, serial_number: "SCR-1011" }],
    robot_count: 1,
    since: new Date(Date.now() - 8 * 3_600_000).toISOString(),
    due_at: null,
    cause:
      "The brush is jammed, the robot has stopped on the rail between two rows, and somebody has to look after it.",
    suggestion: "Send somebody.",
    can_stop: false,
    retry_minutes: null,
    day: null,
    acknowledged_at: null,
    acknowledged_by: null,
    comment: null,
    ...change,
  };
}

function tell(items: readonly AttentionItem[]): void {
  const open = { CRITICAL: items.length, WARNING: 0, INFO: 0 };
  when(attentionList).answer({ items: [...items], open, acknowledged: 0 });
}

/** Nothing is cut off at the edge of the screen, or of its own box, and nothing takes the focus. */
function expectWhole(): void {
  expect([document.documentElement.scrollHeight, document.documentElement.scrollWidth]).toEqual([
    innerHeight,
    innerWidth,
  ]);
  for (const row of document.querySelectorAll("main :is(h2, h3, li, dd, p)")) {
    if (!row.checkVisibility({ visibilityProperty: true })) continue;
    const { bottom, right } = row.getBoundingClientRect();
    const box = row.closest("section, footer, header, dl, main")?.getBoundingClientRect();
    expect([row.textContent, bottom <= (box?.bottom ?? 0) + 1, right <= innerWidth]).toEqual([
      row.textContent,
      true,
      true,
    ]);
  }
  expect(document.querySelectorAll("main :is(a, button, input, select, [tabindex])")).toHaveLength(0);
}

function expectReadable(): void {
  const sizes = [...document.querySelectorAll("main *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ""))
    .filter((element) => element.tagName !== "H1")
    .map((element) => Number.parseFloat(getComputedStyle(element).fontSize));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(24);
  for (const figure of document.querySelectorAll("main dd")) {
    expect(Number.parseFloat(getComputedStyle(figure).fontSize)).toBeGreaterThan(80);
  }
}

describe("wallboard: what a screen shows", () => {
  test("wallboard: all is well", async () => {
    showWallboard();
    await expectText(connection, "Live");
    await expectContains(board, "All 3 sites are well");
    await expectContains(board, "6 robots, nothing needs a person");
    await expectAccessible();
    expectWhole();
    expectReadable();
  });

  for (const [width, height, shown] of [
    [1920, 1080, 4],
    [1280, 720, 4],
    [1080, 1920, 3],
  ] as const) {
    test(`wallboard: what is wrong, and where, at ${width} by ${height}`, async () => {
      await page.viewport(width, height);
      const ill = sampleRobots.map((robot) =>
        robot.site_id === 1
          ? {
              ...robot,
              status: "critical" as const,
              alerts: ["The brush is jammed."],
              alert_severities: ["CRITICAL" as const],
            }
          : robot,
      );
      const snapshot = fleetSnapshot(ill);
      if (snapshot.type === "snapshot") snapshot.sites = [sampleSite({ status: "fault" }), ...snapshot.sites.slice(1)];
      when(live).stream(() => snapshot);
      tell(Array.from({ length: 13 }, (_, nth) => item(nth)));
      showWallboard();
      await expectCount(wrong.getByRole("listitem"), shown);
      await expectContains(wrong, `and ${13 - shown} more`);
      await expectContains(wrong, "8 h ago");
      const site = page.getByRole("region", { name: BHADLA });
      await expectContains(site, "Fault");
      await expectContains(site, "SCR-1011 The brush is jammed.");
      await expectContains(site, "34 °C, clear sky");
      expectWhole();
      if (width === 1920) expectReadable();
      if (width === 1920) await expectAccessible();
    });
  }

  test("wallboard: a screen that is not told why a robot is locked says only that it is", async () => {
    const lock = { reason: "", locked_by: "", locked_at: new Date().toISOString(), confirmed: true };
    const locked = sampleRobots.map((robot) =>
      robot.site_id === 1
        ? { ...robot, operating_mode: "maintenance" as const, motion: "STOPPED" as const, maintenance: lock }
        : robot,
    );
    const snapshot = fleetSnapshot(locked);
    if (snapshot.type === "snapshot") snapshot.sites = [sampleSite({ status: "fault" }), ...snapshot.sites.slice(1)];
    when(live).stream(() => snapshot);
    tell([]);
    showWallboard();
    const site = page.getByRole("region", { name: BHADLA });
    await expect.element(site.getByText("In maintenance", { exact: true }).first()).toBeVisible();
  });

  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
  ] as const) {
    test(`wallboard: a site with few robots in trouble fills its place at ${width} by ${height}`, async () => {
      await page.viewport(width, height);
      const name = "Northern Desert Solar Park of the Rajasthan Renewable Energy Company";
      const alerts = ["The brush is jammed, and the robot has stopped on the rail between the rows 14 and 15."];
      const ill = sampleRobots.filter(({ site_id: site }) => site === 1).slice(0, 2);
      const robots = ill.map((robot) => ({ ...robot, status: "critical" as const, alerts }));
      const snapshot = fleetSnapshot(robots);
      if (snapshot.type === "snapshot") snapshot.sites = [sampleSite({ name, status: "fault" })];
      when(live).stream(() => snapshot);
      showWallboard();
      const site = page.getByRole("region", { name });
      await expectCount(site.getByRole("listitem"), 2);
      await expectContains(site, "34 °C, clear sky");
      expectWhole();
      const [text] = site.getByRole("listitem").elements();
      expect(text && Number.parseFloat(getComputedStyle(text).fontSize)).toBeGreaterThan((30 * height) / 1080);
    });
  }

  test("wallboard: a thousand sites and ten thousand robots fit on the screen", async () => {
    const sites = Array.from({ length: 1_000 }, (_, nth) =>
      sampleSite({
        id: nth + 1,
        name: `Park ${nth + 1} of the Northern Desert Solar Company`,
        status: nth < 40 ? "fault" : "normal",
      }),
    );
    const [model] = sampleRobots as readonly [RobotWithSettings];
    const robots = Array.from({ length: 10_000 }, (_, nth) =>
      livePart({
        ...model,
        robot_id: nth + 1,
        site_id: (nth % 1_000) + 1,
        serial_number: `SCR-${10_000 + nth}`,
        status: nth % 1_000 < 40 ? ("critical" as const) : ("idle" as const),
        alerts: nth % 1_000 < 40 ? ["The brush is jammed and the robot has stopped between two rows."] : [],
        alert_severities: nth % 1_000 < 40 ? ["CRITICAL" as const] : [],
      }),
    );
    when(live).stream(() => ({ type: "snapshot", at: new Date().toISOString(), robots, sites }));
    tell(
      Array.from({ length: 100 }, (_, nth) =>
        item(nth, { site_id: nth + 1, site_name: `Park ${nth + 1} of the Northern Desert Solar Company` }),
      ),
    );
    // The first two sites have their turn.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    vi.setSystemTime(Math.ceil(Date.now() / (100 * 15_000)) * 100 * 15_000);
    showWallboard();
    await expectContains(wrong, "and 96 more");
    await expectContains(board, "40 fault");
    await expectContains(board, "960 normal");
    await expectContains(board, "400");
    await expectContains(board, "9,600");
    await expectContains(board, "1–2 of 100");
    for (const name of ["Park 1 of", "Park 2 of"]) {
      const site = page.getByRole("region", { name });
      // The ten robots are those that fit and those that are counted.
      const shown = () => site.element().querySelectorAll("li[data-cut=false]").length;
      await expect.poll(() => site.element().textContent.includes(`and ${10 - shown()} more`)).toBe(true);
    }
    expectWhole();
  });

  test("wallboard: figures from before the connection was lost never pass for current ones", async () => {
    showWallboard();
    await expectText(connection, "Live");
    when(live).offline();
    dispatchEvent(new Event("offline"));
    await expectText(connection, /^Connection lost since \d\d:\d\d$/);
    await expect.poll(() => board.element().getAttribute("data-stale")).toBe("true");
    expect(page.getByRole("dialog").elements()).toHaveLength(0);
    when(live).answerAsUsual();
    await expectText(connection, "Live");
    await expect.poll(() => board.element().getAttribute("data-stale")).toBe("false");
  });

  test("wallboard: today's cleaning that failed to come, or is minutes old, is marked, and nothing says that all is live", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const expectToday = async (told: string, isStale: boolean) => {
      await expectText(connection, told);
      const line = board.getByText("Today").element().closest("[data-stale]");
      expect([line?.tagName, line?.getAttribute("data-stale")]).toEqual(["P", String(isStale)]);
      expect(board.element().getAttribute("data-stale")).toBe("false");
    };
    showWallboard();
    await expectToday("Live", false);
    when(runsToday).fail(503, { message: "Busy." });
    refetchNow();
    await expectToday("Partly out of date", true);
    await expectAccessible();
    when(runsToday).answerAsUsual();
    refetchNow();
    await expectToday("Live", false);
    when(runsToday).hang();
    refetchNow();
    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
    await expectToday("Partly out of date", true);
  });
});

describe("wallboard: sites in trouble, and what comes next", () => {
  /** The first so many of the sample sites have a fault. */
  function trouble(count: number, weather_guard: Site["weather_guard"] = null): void {
    const snapshot = fleetSnapshot(sampleRobots);
    if (snapshot.type === "snapshot") {
      snapshot.sites = sampleSites.map((site, nth) => ({
        ...site,
        status: nth < count ? "fault" : "normal",
        weather_guard,
      }));
    }
    when(live).stream(() => snapshot);
  }

  const night = (date: string, first: string) => ({
    date,
    counts: { planned: 4 },
    plan: { first, minutes: 30, groups: 1 },
  });
  const tonight = "2026-06-15";

  beforeEach(() => {
    const sites = [
      { site_id: 1, tonight, nights: [night("2026-06-16", "18:15")] },
      { site_id: 2, tonight, nights: [{ ...night("2026-06-14", "19:00"), plan: null }, night(tonight, "05:30")] },
      { site_id: 3, tonight, nights: [night(tonight, "19:45")] },
    ];
    when(runsFleetCalendar).answer({ dates: [tonight], tonight, sites });
  });

  const rows = page.getByRole("region", { name: "Next runs" }).getByRole("listitem");

  test("wallboard: with nothing wrong, the next runs of all sites, the earliest first", async () => {
    showWallboard();
    await expectTexts(rows, [`19:45${REWA}4 robots`, `05:30${CHARANKA}4 robots`, `Tue 18:15${BHADLA}4 robots`]);
    expectWhole();
  });

  test("wallboard: robots that clean now come before the next runs", async () => {
    const moving = { motion: "MOVING", status: "normal" } as const;
    const robots = sampleRobots.map((robot) => (robot.site_id === 2 ? { ...robot, ...moving } : robot));
    when(live).stream(() => fleetSnapshot(robots));
    showWallboard();
    const list = page.getByRole("region", { name: "Now and next" }).getByRole("listitem");
    await expect.element(list.first()).toHaveTextContent(`Now${CHARANKA}2 robots`);
    await expectCount(list, 4);
  });

  test("wallboard: one site in trouble leaves room for the next runs; of several, two have their turn together", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    vi.setSystemTime(new Date(Math.ceil(Date.now() / 60_000) * 60_000));
    trouble(1);
    tell([item(1)]);
    showWallboard();
    const site = page.getByRole("region", { name: BHADLA });
    await expectContains(site, "Next run Tue 18:15");
    await expectContains(wrong, "Send somebody.");
    await expectContains(wrong, "The other 2 sites are well");
    await expectCount(rows, 3);
    expectWhole();
    when(live).offline();
    dispatchEvent(new Event("offline"));
    await expectText(connection, /^Connection lost/);
    trouble(3);
    await expectContains(board, "1–2 of 3");
    await expectCount(page.getByRole("region", { name: CHARANKA }), 1);
    await expectCount(rows, 0);
    expectWhole();
    await vi.advanceTimersByTimeAsync(15_000);
    await expectContains(board, "2–3 of 3");
    await expectCount(page.getByRole("region", { name: REWA }), 1);
    await expectCount(site, 0);
    expectWhole();
  });

  test("wallboard: weather from hours ago says so, and makes nothing else look old", async () => {
    trouble(1);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    when(siteWeather).answer(() => sampleWeather({ fetched_at: hoursAgo(3) }));
    showWallboard();
    const site = page.getByRole("region", { name: BHADLA });
    await expectContains(site, "clear sky");
    await expectContains(site, "3 h ago");
    await expectText(connection, "Live");
    expect(site.getByText("3 h ago").element().closest("[data-stale=true]")?.textContent).toContain("clear sky");
    await expectAccessible();
  });

  test("wallboard: weather that passes a limit of the site comes before the advice about rain", async () => {
    trouble(1, { verdict: "PASSED", text: "Wind and rain guard: gusts of 62 km/h (limit 45 km/h) are forecast." });
    showWallboard();
    const site = page.getByRole("region", { name: BHADLA });
    await expectContains(site, "Weather limit passed.");
    await expectCount(site.getByText("Good to Clean"), 0);
  });

  test("wallboard: a plan that could not be read again is marked beside the sites in trouble, too", async () => {
    trouble(1);
    showWallboard();
    const next = page.getByRole("region", { name: BHADLA }).getByText("Next run Tue 18:15");
    await expect.element(next).toHaveAttribute("data-stale", "false");
    await expectText(connection, "Live");
    when(runsFleetCalendar).fail(503, { message: "Busy." });
    refetchNow();
    await expectText(connection, "Partly out of date");
    await expect.element(next).toHaveAttribute("data-stale", "true");
    await expectAccessible();
  });

  test("wallboard: weather that never came is named, and makes nothing else look old", async () => {
    trouble(1);
    when(siteWeather).fail(503, { message: "Busy." });
    showWallboard();
    await expectContains(page.getByRole("region", { name: BHADLA }), "Weather unavailable");
    await expectText(connection, "Live");
  });

  test("wallboard: a list that cannot be loaded says so, rather than that nothing is wrong", async () => {
    when(attentionList).fail(503, { message: "Busy." });
    showWallboard();
    await expectContains(wrong, "The list could not be loaded. Trying again…");
    await expectText(connection, "Partly out of date");
    await expectAccessible();
  });

  test("wallboard: more screens than a link may have are told what to do", async () => {
    const message = "Make another link for this screen.";
    when(live).fail(429, { code: "STREAMS_OF_SESSION", message });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    showWallboard();
    await expectText(connection, "Connecting…");
    await vi.advanceTimersByTimeAsync(10_000);
    await expectText(connection, /^Not live since \d\d:\d\d$/);
    await expectContains(board, message);
    when(live).answerAsUsual();
    await expectText(connection, "Live");
    await expect.poll(() => board.element().textContent).not.toContain(message);
  });
});

describe("wallboard: the screen stays on", () => {
  test("wallboard: it is asked to stay on at first, and again whenever the page is shown after it was hidden", async () => {
    const held: string[] = [];
    const request = vi.fn((kind: WakeLockType = "screen") => {
      held.push(kind);
      return Promise.resolve(Object.assign(new EventTarget(), { release: () => Promise.resolve(void held.pop()) }));
    });
    Object.defineProperty(navigator, "wakeLock", { value: { request }, configurable: true });
    let isHidden = false;
    Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
    const show = (isShown: boolean) => {
      isHidden = !isShown;
      document.dispatchEvent(new Event("visibilitychange"));
    };
    try {
      showWallboard();
      await expectText(connection, "Live");
      expect(request.mock.calls).toEqual([["screen"]]);
      show(false);
      expect(request).toHaveBeenCalledTimes(1);
      show(true);
      expect(request).toHaveBeenCalledTimes(2);
      await expectText(connection, "Live");
    } finally {
      Reflect.deleteProperty(navigator, "wakeLock");
      Reflect.deleteProperty(document, "hidden");
    }
  });
});

describe("wallboard: a fresh page", () => {
  /** What the board read and did, in order. */
  let happened: string[] = [];
  /** Of the page. */
  let ageMs = 0;

  /** The server's page, or what answers in its place; `name` tells them apart. */
  function serve(name: string, html: string): void {
    const others = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      if (input !== location.pathname) return others(input, init);
      const answer = new Response(html);
      const read = answer.text.bind(answer);
      answer.text = async () => {
        const text = await read();
        happened.push(name);
        return text;
      };
      return Promise.resolve(answer);
    };
  }
  const servePage = (version: string) => serve(version, `<script src="/assets/start-${version}.js"></script>`);
  const servePortal = () => serve("portal", "<h1>Sign in to the network</h1>");

  const onNavigate = (event: NavigateEvent) => {
    if (event.navigationType !== "reload") return;
    event.preventDefault();
    happened.push("reload");
  };
  const own = document.createElement("meta");
  own.content = "/assets/start-own.js";

  beforeEach(() => {
    happened = [];
    document.head.append(own);
    navigation.addEventListener("navigate", onNavigate);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    vi.spyOn(performance, "now").mockImplementation(() => ageMs);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    navigation.removeEventListener("navigate", onNavigate);
    own.remove();
  });

  async function reconnect(): Promise<void> {
    when(live).offline();
    dispatchEvent(new Event("offline"));
    await expectText(connection, /^Connection lost/);
    when(live).answerAsUsual();
    await expectText(connection, "Live");
  }

  /** The board looks for a new version every five minutes. */
  async function look(): Promise<void> {
    const before = happened.length;
    vi.advanceTimersByTime(5 * MINUTE_MS);
    await expect.poll(() => happened.length).toBeGreaterThan(before);
  }

  test("wallboard: each night at 04:00 it loads itself anew, once our server itself answers", async () => {
    ageMs = 10 * 60 * MINUTE_MS;
    vi.setSystemTime(new Date(2026, 5, 15, 3, 50));
    servePage("own");
    showWallboard();
    await expect.poll(() => happened).toEqual(["own"]);
    await expectText(connection, "Live");
    await look();
    vi.setSystemTime(new Date(2026, 5, 15, 4, 0));
    servePortal();
    await look();
    servePage("own");
    await look();
    await expect.poll(() => happened).toEqual(["own", "own", "portal", "own", "reload"]);
    ageMs = 30 * MINUTE_MS;
    await look();
    expect(happened.slice(5)).toEqual(["own"]);
  });

  test("wallboard: a new version is loaded, but not again and again while servers are upgraded one by one", async () => {
    vi.setSystemTime(new Date(2026, 5, 15, 12, 0));
    ageMs = MINUTE_MS / 2;
    servePage("new");
    showWallboard();
    await expectText(connection, "Live");
    await reconnect();
    expect(happened).toEqual([]);
    ageMs = 2 * MINUTE_MS;
    servePage("own");
    await reconnect();
    await expect.poll(() => happened).toEqual(["own"]);
    servePortal();
    await reconnect();
    await expect.poll(() => happened).toEqual(["own", "portal"]);
    servePage("new");
    await reconnect();
    await expect.poll(() => happened).toEqual(["own", "portal", "new", "reload"]);
  });

  test("wallboard: a screen whose console could not load tries until our server itself brings the page", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const limit = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(limit.signal);
    globalThis.fetch = (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("Too long.", "TimeoutError")));
      });
    /** Timers of others may be waiting, too: goes on until this is the last that happened. */
    const passUntil = async (last: string) => {
      const pass = () => {
        vi.advanceTimersByTime(10_000);
        return happened.at(-1);
      };
      await expect.poll(pass).toBe(last);
    };
    reloadOnceServed();
    vi.advanceTimersByTime(10_000);
    limit.abort();
    servePortal();
    await passUntil("portal");
    servePage("new");
    await passUntil("reload");
    expect(happened.filter((one) => one !== "portal")).toEqual(["new", "reload"]);
  });

  test("wallboard: another link in the address bar opens", async () => {
    showWallboard();
    await expectText(connection, "Live");
    location.hash = "#another-link";
    await expect.poll(() => happened).toEqual(["reload"]);
    history.replaceState(null, "", location.pathname + location.search);
  });
});
