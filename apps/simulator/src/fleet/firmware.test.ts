import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FirmwareOfferMessage, firmwareStateMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { afterEach, beforeEach, expect, it, test } from "vitest";
import { BrokerHarness } from "../../test/broker-harness.ts";
import type { FaultInput } from "../faults/fault.ts";
import { createFleet, type Fleet, type FleetOptions } from "./fleet.ts";
import type { SimulatedRobot } from "./simulated-robot.ts";
import { openFileStore } from "./store.ts";

const SERIAL = "SCR-1001";
const file = randomBytes(300_000);
let broker: BrokerHarness;
let fleet: Fleet | null = null;
let server: Server;
/** What the server returns instead of the file. */
let answerInstead: { status: number; body: Buffer } | null;
let folder: string;
let downloads: { now: number; most: number };

beforeEach(async () => {
  broker = await BrokerHarness.open();
  folder = mkdtempSync(join(tmpdir(), "suncrew-simulator-"));
  answerInstead = null;
  downloads = { now: 0, most: 0 };
  server = createServer((_request, response) => {
    downloads.now += 1;
    downloads.most = Math.max(downloads.most, downloads.now);
    response.on("close", () => (downloads.now -= 1));
    response.writeHead(answerInstead?.status ?? 200).end(answerInstead?.body ?? file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await fleet?.stop();
  await broker.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openFleet(options: Partial<FleetOptions> = {}): Promise<Fleet> {
  fleet = createFleet({ mqttUrl: broker.url, devices: [{ serial: SERIAL, secret: "the secret" }], ...options });
  fleet.start();
  await fleet.untilConnected();
  return fleet;
}

function offerTo(robot: SimulatedRobot, change: Partial<FirmwareOfferMessage> = {}): FirmwareOfferMessage {
  const bound = server.address();
  return {
    v: 1,
    id: randomUUID(),
    session: robot.truth().session,
    issuedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    by: "a test",
    url: `http://127.0.0.1:${bound !== null && typeof bound === "object" ? bound.port : 0}/firmware`,
    size: file.byteLength,
    sha256: createHash("sha256").update(file).digest("hex"),
    version: "3.0.0",
    ...change,
  };
}

/** What the robot reported about an offer, in short and in order. */
function toldOf(offerId: string): string[] {
  return broker.received.flatMap(({ leaf, text }) => {
    if (leaf !== "firmware/state") return [];
    const report = firmwareStateMessageSchema.parse(JSON.parse(text));
    return report.offerId === offerId ? [`${report.phase} ${report.code ?? report.percent}`] : [];
  });
}

/** Sends an offer and waits until the robot is connected again with its update over. */
async function update(robot: SimulatedRobot, change: Partial<FirmwareOfferMessage> = {}): Promise<string[]> {
  const offer = offerTo(robot, change);
  await broker.offer(SERIAL, offer);
  const ends = ["INSTALLED", "FAILED", "REJECTED"];
  await broker.first(({ leaf, text }) => leaf === "firmware/state" && ends.some((end) => text.includes(`"${end}"`)));
  return toldOf(offer.id);
}

it("protocol rule 13: a robot at a real broker downloads over HTTP, installs, and is back with the new version", async () => {
  const store = () => openFileStore(join(folder, "state.json"), () => {});
  const robot = (await openFleet({ store: store() })).robot(SERIAL);
  const { session } = robot.truth();
  const told = await update(robot);
  const steps = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((percent) => `DOWNLOADING ${percent}`);
  expect(told).toEqual([...steps, "INSTALLING 100", "INSTALLED 100"]);
  expect(robot.truth()).toMatchObject({ firmware: "3.0.0", session: session + 1, connected: true });
  const said = broker.received.map(({ leaf, text }) => `${leaf} ${text}`);
  expect(said.some((line) => line.startsWith("connection") && line.includes("OFFLINE"))).toBe(true);
  expect(broker.received.find(({ leaf }) => leaf === "firmware/state")?.retained).toBe(true);
  await fleet?.stop();
  expect((await openFleet({ store: store() })).robot(SERIAL).truth().firmware).toBe("3.0.0");
});

test.each<[string, FaultInput | null, Partial<FirmwareOfferMessage>, string]>([
  ["a file that is not the one that was offered", null, { sha256: "0".repeat(64) }, "FAILED HASH_MISMATCH"],
  ["a file that is too short", null, { size: file.byteLength + 1 }, "FAILED HASH_MISMATCH"],
  ["a file that is too long", null, { size: 1_000 }, "FAILED HASH_MISMATCH"],
  ["nobody at the address", null, { url: "http://127.0.0.1:1/none" }, "FAILED DOWNLOAD_FAILED"],
  ["fault hash", { kind: "firmware", what: "hash" }, {}, "FAILED HASH_MISMATCH"],
  ["fault download", { kind: "firmware", what: "download" }, {}, "FAILED DOWNLOAD_FAILED"],
  ["fault install", { kind: "firmware", what: "install" }, {}, "FAILED INSTALL_FAILED"],
  ["fault refuse", { kind: "firmware", what: "refuse" }, {}, "REJECTED REFUSED"],
  ["fault roll-back", { kind: "firmware", what: "roll-back" }, {}, "INSTALLED 100"],
])("protocol rule 13: %s keeps the old version", async (_title, fault, change, end) => {
  const robot = (await openFleet()).robot(SERIAL);
  if (fault !== null) robot.inject(fault);
  expect((await update(robot, change)).at(-1)).toBe(end);
  expect(robot.truth()).toMatchObject({ firmware: "2.4.1", connected: true });
});

it("protocol rule 13: an expired URL is a failed download", async () => {
  answerInstead = { status: 403, body: Buffer.from("{}") };
  const robot = (await openFleet()).robot(SERIAL);
  expect((await update(robot)).at(-1)).toBe("FAILED DOWNLOAD_FAILED");
});

it("fault silent: it goes offline in the middle of the installation, and reports the failure after a power cut", async () => {
  const robot = (await openFleet()).robot(SERIAL);
  robot.inject({ kind: "firmware", what: "silent" });
  const broken = broker.next(({ leaf, text }) => leaf === "connection" && text.includes("CONNECTION_BROKEN"));
  await broker.offer(SERIAL, offerTo(robot));
  await broken;
  expect(robot.truth()).toMatchObject({ connected: false, update: { phase: "INSTALLING" } });
  robot.clear("firmware");
  const { update: last } = await robot.until(({ connected }) => connected);
  expect(last).toMatchObject({ phase: "FAILED", code: "INSTALL_FAILED" });
});

it("fault slow: the download takes long, and a power loss ends it", async () => {
  const robot = (await openFleet()).robot(SERIAL);
  robot.inject({ kind: "firmware", what: "slow", seconds: 3_600 });
  await broker.offer(SERIAL, offerTo(robot));
  await robot.until(({ update: last }) => last?.phase === "DOWNLOADING");
  robot.powerCycle();
  const { update: last } = await robot.until(({ connected }) => connected);
  expect(last).toMatchObject({ phase: "FAILED", code: "DOWNLOAD_FAILED" });
});

it("sixty robots update in one process, a few downloads at once", async () => {
  const devices = Array.from({ length: 60 }, (_, index) => ({ serial: `SIM-${index}`, secret: "s" }));
  const all = await openFleet({ devices });
  const robots = devices.map(({ serial }) => all.robot(serial));
  await Promise.all(robots.map((robot) => broker.offer(robot.serial, offerTo(robot))));
  await Promise.all(robots.map((robot) => robot.until(({ firmware, connected }) => firmware === "3.0.0" && connected)));
  expect(downloads.most).toBeLessThanOrEqual(8);
}, 60_000);
