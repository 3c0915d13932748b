import { type Browser, chromium, type Page } from "playwright";
import { browserArguments, prepareBrowser } from "../e2e/support/browser.ts";
import { type RunningServer, startServer } from "../e2e/support/server-process.ts";
import { report } from "./result.ts";

// How often the console's page is busy for so long that a person notices: tasks over 50 ms while robots report, on the
// dashboard with one site of 3,000 robots, and on that with 1,000 sites and 10,000 robots. Each robot reports every
// 30 s, and one report in ten changes what the robot does. The server shares the machine with the browser.

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 100);
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

async function main(browser: Browser, server: RunningServer): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
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
    const { title, name, robots } = park;
    await fill(server, park);
    const end = letReport(server, park);
    const site = `${name} 1`;
    await page.goto(`${server.baseUrl}/dashboard?q=${encodeURIComponent(site)}`);
    await page.getByRole("button", { name: site }).first().click();
    await page.locator("article").first().waitFor();
    await page.goto(
      page
        .url()
        .replace(/[?&]q=[^&]*/, "")
        .replace("dashboard&", "dashboard?"),
    );
    await page.locator("article").first().waitFor();
    await page.waitForTimeout(8_000);
    const { seconds, longestMs } = await longTasks(page);
    await end();
    const what = `the dashboard with ${title}, ${Math.round(robots / REPORT_EVERY_S)} reports a second`;
    const percent = (100 * seconds) / SECONDS;
    report({ what: `${what}: seconds with a task over 50 ms`, figure: percent, unit: "%", atMost: 1 });
    report({ what: `${what}: longest task`, figure: longestMs, unit: "ms", atMost: 100 });
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
