import { fork } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createPartner } from "@suncrew/contract/partners/partners.ts";
import { sql } from "kysely";
import { type LoadName, loadNames, type LoadOrder } from "./crowd-loads.ts";
import { type KnownRobot, makeDevices } from "./fleet.ts";
import { end } from "./private-part.ts";
import { startSystem, type StepContext, type TestSystem } from "./test-system.ts";

const ROBOTS = 20;
const PRESSES = 200;
const EVERY_MS = 100;
/** Until a load has reached its full size. */
const BEGUN_AFTER_MS = 5_000;
/** The content of a site's report: rows of activity over a year. */
const ROWS = 20_000;

const program = fileURLToPath(new URL("./crowd-loads.ts", import.meta.url));

/** How soon a person's Stop stops the robot and is answered, on one server, while others request too much. */
export async function crowd(parts: StepContext): Promise<boolean> {
  console.log(`\n=== crowd: ${PRESSES} Stops, one each ${EVERY_MS} ms, while others ask for too much`);
  const system = await startSystem(parts, makeDevices("CRD", ROBOTS), { servers: 1 });
  console.log(system.versions);
  const order = await makePartner(system);
  const slow: string[] = [];
  console.log(`${"".padEnd(14)} robot stands within, median  99 %   most   answered, median  99 %   most`);
  for (const load of loadNames) {
    const figures = await pressUnder(system, load, order);
    const { stood, answered, wrong } = figures;
    console.log(`${load.padEnd(14)} ${describe(stood, 28)}   ${describe(answered, 16)}`);
    if (wrong > 0) console.log(`  ${wrong} were answered otherwise than as done`);
    if (at(stood, 0.99) > 250 || at(answered, 0.99) > 1_000 || wrong > 0) slow.push(load);
  }
  if (slow.length > 0) console.log(`Slower than 250 ms and 1 s: ${slow.join(", ")}`);
  return slow.length === 0;
}

interface Figures {
  readonly stood: number[];
  readonly answered: number[];
  readonly wrong: number;
}

interface Pressed {
  readonly stoodMs: number;
  readonly answeredMs: number;
  readonly isDone: boolean;
}

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;

function describe(sorted: readonly number[], width: number): string {
  const [median, ...others] = [0.5, 0.99, 1].map((share) => `${Math.round(at(sorted, share))}`);
  return `${(median ?? "").padStart(width)} ${others.map((ms) => ms.padStart(6)).join("")} ms`;
}

async function pressUnder(system: TestSystem, load: LoadName, order: Omit<LoadOrder, "load">): Promise<Figures> {
  const crowd = fork(program, { stdio: "inherit" });
  try {
    crowd.send({ ...order, load } satisfies LoadOrder);
    await pause(load === "streams" ? 4 * BEGUN_AFTER_MS : BEGUN_AFTER_MS);
    const pressing: Promise<Pressed>[] = [];
    for (let nth = 0; nth < PRESSES; nth += 1) {
      const robot = system.robots[nth % system.robots.length];
      if (robot === undefined) break;
      pressing.push(stop(system, robot));
      await pause(EVERY_MS);
    }
    const pressed = await Promise.all(pressing);
    const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
    return {
      stood: sorted(pressed.map(({ stoodMs }) => stoodMs)),
      answered: sorted(pressed.map(({ answeredMs }) => answeredMs)),
      wrong: pressed.filter(({ isDone }) => !isDone).length,
    };
  } finally {
    await end(crowd, "SIGTERM", 5_000);
    await pause(2_000);
  }
}

/** Makes the robot move by itself, as somebody at its panel would, and stops it. */
async function stop(system: TestSystem, { id, serial, siteId }: KnownRobot): Promise<Pressed> {
  const { fleet, caller, places } = system;
  const [place] = places as [(typeof places)[number]];
  const robot = fleet.fleet.robot(serial);
  const body = { robotId: serial, robotObjectId: id, siteId };
  await caller.call(place, sendCommand, { body: { ...body, command: "START" } });
  const pressedMs = performance.now();
  const isSince = () => performance.now() - pressedMs;
  const stopped = robot.until(({ motion }) => motion === "STOPPED").then(isSince);
  const answer = await caller.call(place, sendCommand, { body: { ...body, command: "STOP" } });
  const answeredMs = isSince();
  return { stoodMs: await stopped, answeredMs, isDone: answer?.status === 200 };
}

async function makePartner({ caller, places, db, robots }: TestSystem): Promise<Omit<LoadOrder, "load">> {
  const [place] = places as [(typeof places)[number]];
  const body = {
    name: "Crowd Cleaning",
    contact_person: "Ravi Shah",
    contact_info: "+91 98290 00000",
    email: "ravi@crowd.example",
    address: "1 Canal Road",
    city: "Jodhpur",
    state: "Rajasthan",
    zip_code: "342001",
  };
  const made = await caller.call(place, createPartner, { body });
  const { partnerId, credentials } = createPartner.response.parse(made?.body);
  const siteId = robots[0]?.siteId ?? 0;
  await db.updateTable("sites").set({ maintenance_partner_id: partnerId }).where("id", "=", siteId).execute();
  await sql`
    insert into activity (created_at, site_id, robot_id, action, action_type, status, user_name, site_name, partner_name,
      robot_name, serial_number, details, params)
    select now() - n * interval '25 minutes', ${siteId}, ${robots[0]?.id ?? 0}, 'START', 'MANUAL', 'SUCCESS', 'Omkar Jain',
      'Crowd Park', 'Crowd Cleaning', 'Row ' || n % 20, ${robots[0]?.serial ?? ""}, 'made up', '{"mode":"AUTO"}'
    from generate_series(1, ${ROWS}::int) n`.execute(db);
  return { url: place.url, siteId, partner: credentials };
}
