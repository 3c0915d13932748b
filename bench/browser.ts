import { type Browser, chromium, type Locator, type Page } from "playwright";
import { browserArguments, prepareBrowser } from "../e2e/support/browser.ts";
import { type RunningServer, startServer } from "../e2e/support/server-process.ts";
import { quantile, report } from "./result.ts";

// How often the console's page is busy for so long that a person notices: tasks over 50 ms while robots report, on the
// dashboard with one site of 3,000 robots, and on that with 1,000 sites and 10,000 robots. With the latter also how soon
// the page shows something after a key, a press or a turn of the wheel, there, on the page of all robots, in the command
// palette and in the calendar of all sites. Each robot reports every 30 s, and one report in ten changes what the robot
// does. The server shares the machine with the browser.

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 100);
/** How often the pages are used in the same way. */
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
/** Only these, such as "palette,calendar". */
const PAGES = process.env["BENCH_PAGES"]?.split(",");
const CHANGES_EVERY_MS = 100;
const REPORT_EVERY_S = 30;

interface Park {
  readonly name: string;
  readonly sites: number;
  readonly robots: number;
}

/** Sites "NAME 1" and so on, which share these robots, all of them standing and connected. */
async function fill(server: RunningServer, { name, sites, robots }: Park): Promise<void> {
  await server.sql(`
    insert into sites (name, latitude, longitude, address, district, state, pin_code, commissioning_date, timezone)
      select '${name} ' || n, 9 + n % 25, 70 + n / 60.0, 'Bench Road', 'Jodhpur', 'Rajasthan', '342301', '2023-03-31',
      'Asia/Kolkata' from generate_series(1, ${sites}) n;
    insert into devices (serial, secret_sha256)
      select '${name}-' || n, decode(repeat('00', 32), 'hex') from generate_series(1, ${robots}) n;
    insert into robots (robot_name, serial_number, site_id, installation_date)
      select 'Robot ' || n, '${name}-' || n, s.id, '2024-02-29' from generate_series(1, ${robots}) n
      join sites s on s.name = '${name} ' || 1 + n % ${sites};
    update robot_state t set session = 1, online = true, connection = 'ONLINE', connection_at = now(), live_at = now(),
      received_at = now(), robot_ts = now(), robot_status = 'idle', status = 'stop', motion = 'STOPPED', mode = 'AUTO',
      battery = 80, firmware = '1.0.0', clock_skew_ms = 0
      from robots r where r.id = t.robot_id and r.serial_number like '${name}-%';
    analyze`);
}

/** A group with a daily schedule at each site, and its runs of the last three evenings, of which a few failed. */
async function fillCalendar(server: RunningServer, { name }: Park): Promise<void> {
  await server.sql(`
    insert into robot_groups (site_id, group_name, name_key) select id, 'East', 'east' from sites where name like '${name} %';
    insert into robot_group_members (robot_id, group_id, site_id) select r.id, g.id, r.site_id from robots r
      join robot_groups g on g.site_id = r.site_id where r.serial_number like '${name}-%';
    insert into schedules (group_id, site_id, frequency, start_time, duration_minutes, status, next_run_at)
      select g.id, g.site_id, 'DAILY', '2024-03-01 18:30:00', 30, 'ACTIVE', now() + interval '20 hours' from robot_groups g
      join sites s on s.id = g.site_id where s.name like '${name} %';
    insert into runs (id, robot_id, site_id, started_by, planned, action_type, schedule_id, group_id, group_name, due_at,
      stop_due_at, began_at, battery_began, ended_at, battery_ended, outcome, reason)
      select gen_random_uuid(), r.id, r.site_id, 'Scheduler', true, 'SCHEDULED', c.id, c.group_id, 'East', t.due,
      t.due + interval '30 minutes', case when failed then null else t.due end, case when failed then null else 90 end,
      t.due + interval '30 minutes', case when failed then null else 70 end,
      case when failed then 'FAILED' else 'COMPLETED' end, case when failed then 'The brush is jammed.' else 'FINISHED' end
      from robots r join schedules c on c.site_id = r.site_id, generate_series(1, 3) n,
      lateral (select now() - n * interval '1 day' - interval '1 hour' as due, (r.id + n) % 50 = 0 as failed) t
      where r.serial_number like '${name}-%';
    analyze`);
}

/** Lets robots of these sites report in turn until it is ended. */
function letReport(server: RunningServer, { name, robots }: Park): () => Promise<void> {
  const atOnce = Math.round((robots / REPORT_EVERY_S) * (CHANGES_EVERY_MS / 1_000));
  const ended = new AbortController();
  const work = async () => {
    for (let nth = 0; !ended.signal.aborted; nth += 1) {
      const next = new Promise((resolve) => setTimeout(resolve, CHANGES_EVERY_MS));
      await server.sql(`
        with turn as (
          select t.robot_id, (t.robot_id + ${nth}) % 10 = 0 as turns from robot_state t join robots r on r.id = t.robot_id
            join sites s on s.id = r.site_id where s.name like '${name} %' order by t.live_at limit ${atOnce})
        update robot_state t set change_no = pg_current_xact_id(), live_at = clock_timestamp(),
          received_at = clock_timestamp(), robot_ts = clock_timestamp(), online = true, battery = 60 + (t.robot_id + ${nth}) % 40,
          motion = case when turns <> (motion = 'MOVING') then 'MOVING' else 'STOPPED' end,
          status = case when turns <> (motion = 'MOVING') then 'start' else 'stop' end,
          robot_status = case when turns <> (motion = 'MOVING') then 'normal' else 'idle' end
        from turn where turn.robot_id = t.robot_id;
        notify suncrew_changes`);
      await next;
    }
  };
  const working = work();
  return async () => {
    ended.abort();
    await working;
  };
}

async function whileReporting<T>(server: RunningServer, park: Park, work: () => Promise<T>): Promise<T> {
  const end = letReport(server, park);
  try {
    return await work();
  } finally {
    await end();
  }
}

/** Notes the longest task, and for each input how long it takes until the browser has painted what follows. */
const WATCH_INPUT = `{
  const watched = { inputs: [], longestMs: 0 };
  Object.assign(globalThis, { watched });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longestMs = Math.max(watched.longestMs, duration);
  }).observe({ type: "longtask" });
  const note = ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => watched.inputs.push(performance.now() - timeStamp);
    port2.postMessage(null);
  });
  // A click is counted from the press: the browser's own measure is the longer of the two.
  for (const type of ["keydown", "pointerdown", "click", "wheel"]) addEventListener(type, note, { capture: true, passive: true });
}`;

interface Watched {
  readonly inputs: readonly number[];
  readonly longestMs: number;
}

/** Milliseconds for each input of one kind, by kind. */
type Inputs = Record<"search" | "filter" | "select" | "scroll" | "map" | "palette" | "calendar", number[]>;

/** Uses a page as a person does, and notes how long each input took; the longest task meanwhile, in milliseconds. */
async function use(page: Page, inputs: Inputs, works: readonly [kind: keyof Inputs, work: () => Promise<unknown>][]) {
  let longestMs = 0;
  for (const [kind, work] of works) {
    await page.evaluate("Object.assign(watched, { inputs: [], longestMs: 0 })");
    await work();
    await page.waitForTimeout(400);
    const watched = await page.evaluate<Watched>("watched");
    inputs[kind].push(...watched.inputs);
    longestMs = Math.max(longestMs, watched.longestMs);
  }
  return longestMs;
}

/** Between two inputs of a quick person. */
const PAUSE_MS = 120;

async function useDashboard(page: Page, inputs: Inputs): Promise<number> {
  const list = page.getByRole("group", { name: "All Sites" });
  const map = page.getByRole("region", { name: /^Map of sites/ });
  const search = page.getByLabel("Search sites");
  return use(page, inputs, [
    ["search", () => search.pressSequentially("park 77", { delay: PAUSE_MS })],
    ["search", () => erase(page, 7)],
    ["filter", () => pressAll(page.getByRole("button", { name: "Worst first" }), 4)],
    ["scroll", () => turnWheel(page, list, 30)],
    ["select", () => pressEach(list.getByRole("button"), 8)],
    ["scroll", () => turnWheel(page, page.getByRole("region", { name: "Site details" }), 20)],
    ["map", () => pressAll(page.getByRole("button", { name: "Zoom in" }), 3)],
    ["map", () => turnWheel(page, map, 8)],
    ["map", () => pressAll(page.getByRole("button", { name: "Zoom out" }), 4)],
    ["map", () => pressAll(page.getByRole("button", { name: "Reset the map" }), 2)],
  ]);
}

async function useRobots(page: Page, inputs: Inputs): Promise<number> {
  const table = page.getByRole("region", { name: "Robots, scrollable" });
  const search = page.getByLabel("Search robots");
  const all = page.getByRole("checkbox", { name: /^Select all/ });
  return use(page, inputs, [
    ["search", () => search.pressSequentially("park-77", { delay: PAUSE_MS })],
    ["search", () => erase(page, 7)],
    ["filter", () => pressEach(page.getByRole("group", { name: "Status" }).getByRole("button"), 4, 2)],
    ["filter", () => pressEach(table.getByRole("columnheader").getByRole("button"), 4, 2)],
    ["scroll", () => turnWheel(page, table, 40)],
    ["select", () => pressEach(table.getByRole("rowgroup").nth(1).getByRole("checkbox"), 8)],
    ["select", () => pressAll(all, 4)],
  ]);
}

async function usePalette(page: Page, inputs: Inputs): Promise<number> {
  const field = page.getByRole("combobox", { name: /^Search, or say/ });
  const look = async (words: string) => {
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await field.pressSequentially(words, { delay: PAUSE_MS });
    await pressKey(page, "ArrowDown", 8);
    await pressKey(page, "ArrowUp", 4);
    await erase(page, words.length);
    await pressKey(page, "Escape", 1);
    await field.waitFor({ state: "hidden" });
  };
  return use(page, inputs, [
    ["palette", () => look("park 77")],
    ["palette", () => look("stop park-7")],
    ["palette", () => look("jodhpur")],
  ]);
}

async function useCalendar(page: Page, inputs: Inputs): Promise<number> {
  const grid = page.getByRole("grid", { name: "Nights of all sites" });
  const night = grid.getByRole("row").nth(3).getByRole("button");
  const search = page.getByLabel("Search sites");
  const openNight = async (nth: number) => {
    await night.nth(nth).click();
    await page.getByRole("dialog", { name: /night of/ }).waitFor();
    await page.waitForTimeout(PAUSE_MS);
    await pressKey(page, "Escape", 1);
  };
  return use(page, inputs, [
    ["calendar", () => pressAll(page.getByRole("button", { name: /^Next \d+ nights/ }), 2)],
    ["calendar", () => pressAll(page.getByRole("button", { name: /^Previous \d+ nights/ }), 2)],
    ["calendar", () => page.getByLabel("Nights shown").selectOption("14 nights")],
    ["calendar", () => search.pressSequentially("park 77", { delay: PAUSE_MS })],
    ["calendar", () => erase(page, 7)],
    ["calendar", () => pressAll(page.getByRole("checkbox", { name: "Only with trouble" }), 4)],
    ["calendar", () => page.getByLabel("Order").selectOption("Worst first")],
    ["calendar", () => page.getByLabel("Order").selectOption("By name")],
    ["calendar", () => turnWheel(page, grid, 40)],
    ["calendar", () => night.first().focus()],
    ["calendar", () => pressKey(page, "ArrowDown", 12)],
    ["calendar", () => openNight(5)],
    ["calendar", () => openNight(6)],
  ]);
}

/** What is used, with something that has to be there before. */
const USES = [
  {
    name: "dashboard",
    path: "/dashboard?map=shown",
    shows: (page: Page) => page.locator("article"),
    use: useDashboard,
  },
  {
    name: "robots",
    path: "/robots",
    shows: (page: Page) => page.getByRole("table", { name: "Robots" }).getByRole("link"),
    use: useRobots,
  },
  {
    name: "palette",
    path: "/dashboard",
    shows: (page: Page) => page.getByRole("button", { name: "Search", exact: true }),
    use: usePalette,
  },
  { name: "calendar", path: "/calendar", shows: (page: Page) => page.getByRole("rowheader"), use: useCalendar },
];

async function pressKey(page: Page, key: string, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    await page.keyboard.press(key);
    await page.waitForTimeout(PAUSE_MS);
  }
}

const erase = (page: Page, characters: number) => pressKey(page, "Backspace", characters);

async function pressAll(button: Locator, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    await button.click();
    await button.page().waitForTimeout(PAUSE_MS);
  }
}

async function pressEach(buttons: Locator, count: number, times = 1): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await pressAll(buttons.nth(nth), times);
}

async function turnWheel(page: Page, over: Locator, times: number): Promise<void> {
  await over.hover();
  for (let nth = 0; nth < times; nth += 1) {
    await page.mouse.wheel(0, nth < times / 2 ? 400 : -400);
    await page.waitForTimeout(60);
  }
}

interface LongTasks {
  /** Seconds with a task over 50 ms. */
  readonly seconds: number;
  readonly longestMs: number;
}

/** The browser's own account of tasks over 50 ms. */
async function longTasks(page: Page): Promise<LongTasks> {
  // As text, because Node's types know no tasks of a browser.
  const tasks = await page.evaluate<[startMs: number, ms: number][]>(`new Promise((resolve) => {
    const found = [];
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) found.push([startTime, duration]);
    });
    observer.observe({ type: "longtask" });
    setTimeout(() => resolve(found), ${SECONDS * 1_000});
  })`);
  return {
    seconds: new Set(tasks.map(([startMs]) => Math.floor(startMs / 1_000))).size,
    longestMs: Math.max(0, ...tasks.map(([, ms]) => ms)),
  };
}

/** With the dashboard open at a site of the park, and in use if the park has many. */
async function measure(page: Page, url: string, { name, sites }: Park) {
  const site = `${name} 1`;
  const card = page.locator("article").first();
  await page.goto(`${url}/dashboard?q=${encodeURIComponent(site)}`);
  await page.getByRole("button", { name: site }).first().click();
  await card.waitFor();
  await page.goto(
    page
      .url()
      .replace(/[?&]q=[^&]*/, "")
      .replace("dashboard&", "dashboard?"),
  );
  await card.waitFor();
  await page.waitForTimeout(8_000);
  const calm = await longTasks(page);
  const inputs: Inputs = { search: [], filter: [], select: [], scroll: [], map: [], palette: [], calendar: [] };
  const longestUsedMs = new Map<string, number>();
  const rounds = sites > 1 ? ROUNDS : 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const { name: used, path, shows, use: workWith } of USES) {
      if (PAGES?.includes(used) === false) continue;
      await page.goto(url + path);
      await shows(page).first().waitFor();
      await page.waitForTimeout(3_000);
      longestUsedMs.set(used, Math.max(longestUsedMs.get(used) ?? 0, await workWith(page, inputs)));
    }
  }
  return { ...calm, inputs, longestUsedMs };
}

async function main(browser: Browser, server: RunningServer): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH_INPUT);
  await page.goto(server.baseUrl);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password", { exact: true }).fill("admin@123");
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.waitForURL(/\/dashboard/);
  const parks = [
    { title: "one site of 3,000 robots", name: "Large", sites: 1, robots: 3_000 },
    { title: "1,000 sites with 10,000 robots", name: "Park", sites: 1_000, robots: 10_000 },
  ];
  for (const park of parks) {
    const { title, robots } = park;
    await fill(server, park);
    if (park.sites > 1) await fillCalendar(server, park);
    const { seconds, longestMs, inputs, longestUsedMs } = await whileReporting(server, park, () =>
      measure(page, server.baseUrl, park),
    );
    const what = `the dashboard with ${title}, ${Math.round(robots / REPORT_EVERY_S)} reports a second`;
    const percent = (100 * seconds) / SECONDS;
    report({ what: `${what}: seconds with a task over 50 ms`, figure: percent, unit: "%", atMost: 1 });
    report({ what: `${what}: longest task`, figure: longestMs, unit: "ms", atMost: 100 });
    for (const [kind, times] of Object.entries(inputs).filter(([, all]) => all.length > 0)) {
      report({
        what: `${title}, in use: input to next paint, ${kind}, 98 of 100`,
        figure: quantile(times, 0.98),
        unit: "ms",
        atMost: 200,
        detail: `median ${quantile(times, 0.5)} ms, most ${quantile(times, 1)} ms, of ${times.length}`,
      });
    }
    for (const [used, longest] of longestUsedMs) {
      report({ what: `${title}, ${used} in use: longest task`, figure: longest, unit: "ms", atMost: 150 });
    }
  }
}

const server = await startServer();
const browser = await chromium.launch({ executablePath: await prepareBrowser(), args: browserArguments });
try {
  await main(browser, server);
} finally {
  await browser.close();
  await server.stop();
}
