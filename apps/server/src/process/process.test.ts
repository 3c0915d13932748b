import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { login } from "@suncrew/contract/auth/auth.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectReady } from "../../test/expect-ready.ts";
import { processesNaming, runSuncrew, type SuncrewRun, takePort } from "../../test/suncrew-process.ts";

const KEY = "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG";
let dataDir: string;
const runs: SuncrewRun[] = [];

/** Any free ports, with this file's data folder. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): SuncrewRun {
  const started = runSuncrew(args, { DATA_DIR: dataDir, PORT: "0", MQTT_PORT: "0", ...environment });
  runs.push(started);
  return started;
}

async function signIn(url: string, username = "admin", password = "admin@123"): Promise<string> {
  const response = await fetch(`${url}${login.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  return login.response.parse(await response.json()).token;
}

async function siteNames(url: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${await signIn(url)}` };
  const response = await fetch(`${url}${siteDetails.path}`, { headers });
  return siteDetails.response.parse(await response.json()).map((site) => site.name);
}

/** Where the folder's embedded PostgreSQL listens, and its process. */
async function postmaster(): Promise<{ pid: number; socketFolder: string }> {
  const lines = (await readFile(join(dataDir, "suncrew_demo/postmaster.pid"), "utf8")).split("\n");
  return { pid: Number(lines[0]), socketFolder: lines[4] ?? "" };
}

/** Waits until no process has the text in its command line; only the test's own time limit ends the wait. */
async function untilNobodyNames(text: string, except: RegExp): Promise<void> {
  for (;;) {
    const left = (await processesNaming(text)).filter((line) => !except.test(line));
    if (left.length === 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "suncrew-process-"));
});

afterEach(async () => {
  for (const started of runs.splice(0)) {
    if (started.child.exitCode === null && started.child.signalCode === null) await started.interrupt();
  }
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

describe("set-up: npm start", () => {
  test("prints the URL, accounts, broker and control URL; another instance on the same data is refused and changes nothing; Ctrl-C with an open stream leaves no process behind; a second start keeps data and passwords", async () => {
    const first = run(["demo"]);
    const { url, mqttPort, controlAddress } = await first.ready();
    expect(first.printed()).toContain("admin / admin@123");
    expect(first.printed()).toContain("partner / partner@123");
    expect(mqttPort).toBeGreaterThan(0);
    expect((await fetch(`${controlAddress}/robots`)).status).toBe(200);
    const token = await signIn(url);

    const other = run(["demo"]);
    expect(await other.ended()).toBe(1);
    expect(other.printed().trim()).toBe(
      `Another Suncrew (process ${first.pid}) already runs on the data in ${dataDir}: stop it first, or choose another folder with DATA_DIR.`,
    );
    const reset = run(["demo", "--reset"]);
    expect(await reset.ended()).toBe(1);
    expect(reset.printed()).toContain(`(process ${first.pid}) already runs on the data`);
    expect(await siteNames(url)).toHaveLength(6);

    const stream = await fetch(`${url}/api/live`, { headers: { authorization: `Bearer ${await signIn(url)}` } });
    expect(stream.status).toBe(200);
    await first.interrupt();
    expect(first.printed()).not.toContain("did not stop in time");
    expect(await first.ended()).toBe(0);
    await stream.text().catch(() => "cut");
    expect(await processesNaming(dataDir)).toEqual([]);

    const second = run(["demo"]);
    const { url: newUrl } = await second.ready();
    const response = await fetch(`${newUrl}${siteDetails.path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
  });

  test("after kill -9 of everything the next start recovers; of the server alone, the simulator's process ends by itself, and the next start attaches to the database still running, or recovers if the temporary folder was emptied", async () => {
    const first = run(["demo"]);
    await first.ready();
    first.child.kill("SIGKILL");
    process.kill((await postmaster()).pid, "SIGKILL");
    await first.ended();
    const second = run(["demo"]);
    expect(await siteNames((await second.ready()).url)).toHaveLength(6);

    const { pid } = await postmaster();
    second.child.kill("SIGKILL");
    await second.ended();
    await untilNobodyNames(dataDir, /bin\/postgres|^postgres:/);
    const third = run(["demo"]);
    expect(await siteNames((await third.ready()).url)).toHaveLength(6);
    expect((await postmaster()).pid).toBe(pid);
    await third.interrupt();
    expect(third.printed()).not.toContain("did not stop in time");
    expect(await processesNaming(dataDir)).toEqual([]);

    const fourth = run(["demo"]);
    await fourth.ready();
    fourth.child.kill("SIGKILL");
    await fourth.ended();
    await rm((await postmaster()).socketFolder, { recursive: true });
    const fifth = run(["demo"]);
    expect(await siteNames((await fifth.ready()).url)).toHaveLength(6);
  });

  test("--reset starts over and deletes only the demo's data", async () => {
    const before = await readFile(join(dataDir, "demo-devices.json"), "utf8");
    const programs = (await readdir(dataDir)).filter((name) => name.startsWith("postgresql-"));
    const again = run(["demo", "--reset"]);
    expect(await siteNames((await again.ready()).url)).toHaveLength(6);
    expect(await readFile(join(dataDir, "demo-devices.json"), "utf8")).not.toBe(before);
    expect((await readdir(dataDir)).filter((name) => name.startsWith("postgresql-"))).toEqual(programs);
  });

  test("an occupied port that was configured ends with one sentence, an occupied default port is replaced by the next free one", async () => {
    const taken = await takePort();
    for (const name of ["PORT", "MQTT_PORT"]) {
      const refused = run(["demo"], { [name]: String(taken.port) });
      expect(await refused.ended()).toBe(1);
      expect(refused.printed().trim()).toMatch(
        new RegExp(`^Port ${taken.port} is taken by another program: set ${name} .*\\.$`),
      );
    }
    await taken.release();

    const defaults = await Promise.all([3000, 1883].map((port) => takePort(port).catch(() => null)));
    const moved = run(["demo"], { PORT: "", MQTT_PORT: "" });
    const { url, mqttPort } = await moved.ready();
    expect(Number(new URL(url).port)).toBeGreaterThan(3000);
    expect(mqttPort).toBeGreaterThan(1883);
    await expectReady(moved);
    for (const port of defaults) await port?.release();
  });

  test("--help lists the options and exits; invalid options and variables exit with code 2", async () => {
    const help = run(["demo", "--help"]);
    expect(await help.ended()).toBe(0);
    expect(help.printed()).toContain("--reset");
    const unknown = run(["demo", "--unknown"]);
    expect(await unknown.ended()).toBe(2);
    expect(unknown.printed().trim()).toBe("There is no option --unknown: `npm start -- --help` lists the options.");
    const wrong = run(["demo"], { PORT: "x", TOKEN_HOURS: "y" });
    expect(await wrong.ended()).toBe(2);
    expect(wrong.printed().trim().split("\n")).toHaveLength(2);
    const reset = run(["demo", "--reset"], { DATABASE_URL: "postgres://localhost/other" });
    expect(await reset.ended()).toBe(2);
    expect(reset.printed()).toContain("--reset deletes only the embedded database");
  });
});

describe("set-up: npm run serve", () => {
  test("refuses a missing or default secret key, and a broker on another machine without TLS", async () => {
    const missing = run(["production"], { MQTT_URL: "mqtt://broker.example" });
    expect(await missing.ended()).toBe(2);
    expect(missing.printed()).toContain("SECRET_KEY is missing");
    expect(missing.printed()).toContain("without TLS");
    expect(missing.said()).toContain("DATABASE_URL is missing: name your PostgreSQL, or set EMBEDDED=yes");
    const common = run(["production"], { SECRET_KEY: "change-me-change-me-change-me-change-me" });
    expect(await common.ended()).toBe(2);
    expect(common.printed()).toContain("SECRET_KEY must");
  });

  test("refuses a database that holds the demo's data", async () => {
    const demo = run(["demo"]);
    await demo.ready();
    const { socketFolder } = await postmaster();
    const url = `postgres://suncrew@localhost/suncrew_demo?host=${encodeURIComponent(socketFolder)}`;
    const production = run(["production"], { SECRET_KEY: KEY, EMBEDDED: "yes", DATABASE_URL: url, LOG_LEVEL: "error" });
    expect(await production.ended()).toBe(1);
    expect(production.printed()).toContain("holds the demo's sample data");
  });

  test("shows the Super Admin's random password even if the first start fails later, and not again at the next", async () => {
    const folder = await mkdtemp(join(tmpdir(), "suncrew-process-"));
    const environment = { DATA_DIR: folder, SECRET_KEY: KEY, EMBEDDED: "yes", LOG_LEVEL: "error", HOST: "127.0.0.1" };
    const taken = await takePort();
    const failed = run(["production"], { ...environment, PORT: String(taken.port) });
    expect(await failed.ended()).toBe(1);
    await taken.release();
    expect(failed.printed()).toContain(`Port ${taken.port} is taken`);
    const password = /Sign in +admin \/ (\S+)/.exec(failed.printed())?.[1] ?? "";
    const next = run(["production"], environment);
    expect(await signIn((await next.ready()).url, "admin", password)).not.toBe("");
    expect(next.printed()).not.toContain("Sign in");
    await next.interrupt();
    await rm(folder, { recursive: true, force: true });
  });

  test("creates a Super Admin with a random password, shown once, and no demo data", async () => {
    const first = run(["production"], { SECRET_KEY: KEY, EMBEDDED: "yes", LOG_LEVEL: "error", HOST: "127.0.0.1" });
    const { url } = await first.ready();
    const password = /Sign in +admin \/ (\S+)/.exec(first.printed())?.[1] ?? "";
    expect(password.length).toBeGreaterThanOrEqual(20);
    expect(first.printed().split(password)).toHaveLength(2);
    const plain = first
      .printed()
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("{"));
    expect(plain).toEqual([
      "The first Super Admin was created. The password is shown only once: note it down, then change it.",
      `  Sign in   admin / ${password}`,
    ]);
    const headers = { authorization: `Bearer ${await signIn(url, "admin", password)}` };
    expect(await (await fetch(`${url}${siteDetails.path}`, { headers })).json()).toEqual([]);
    expect(await (await fetch(`${url}/api/config`)).json()).toMatchObject({ mode: "production", demo_sign_ins: [] });
    await first.interrupt();
    expect(await processesNaming(dataDir)).toEqual([]);
  });
});
