import { type AttentionItem, attentionList } from "@suncrew/contract/attention/attention.ts";
import { live } from "@suncrew/contract/live/live.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { runsToday } from "@suncrew/contract/runs/runs.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../test/answers.ts";
import { expectAccessible, expectContains, expectCount, expectText } from "../../../test/expectations.ts";
import { showWallboard } from "../../../test/open-console.tsx";
import { BHADLA, fleetSnapshot, livePart, sampleRobots, sampleSite } from "../../../test/sample-fleet.ts";
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
  for (const row of document.querySelectorAll("main h2, main li, main dd, main footer p, main header p")) {
    const { bottom, right } = row.getBoundingClientRect();
    const box = row.closest("section, footer, header, dl")?.getBoundingClientRect();
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

  for (const [width, height] of [
    [1920, 1080],
    [1280, 720],
    [1080, 1920],
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
      await expectCount(wrong.getByRole("listitem"), 4);
      await expectContains(wrong, "and 9 more");
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
    showWallboard();
    await expectContains(wrong, "and 96 more");
    await expectContains(board, "40 fault");
    await expectContains(board, "960 normal");
    await expectContains(board, "400");
    await expectContains(board, "9600");
    await expectContains(board, "and 6 more");
    await expectContains(board, "of 20");
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
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await expectToday("Partly out of date", true);
    await expectAccessible();
    when(runsToday).answerAsUsual();
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await expectToday("Live", false);
    when(runsToday).hang();
    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
    await expectToday("Partly out of date", true);
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
