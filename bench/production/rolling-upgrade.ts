import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { copyServer, newestMigration } from "../../apps/server/test/copied-checkout.ts";
import { BridgeWatch } from "./bridge-watch.ts";
import { untilQuiet } from "./endurance.ts";
import { makeDevices } from "./fleet.ts";
import type { ServerPlace } from "./killed-servers.ts";
import { SeededRandom } from "./wait-and-random.ts";
import { Presses } from "./presses.ts";
import { migrated, startSystem, type StepContext } from "./test-system.ts";

const ROBOTS = 24;
/** Every second robot sends everything this much later: at every moment presses are in progress. */
const LATE_MS = 2_000;
/** People press for this long before the first step and after each one. */
const BETWEEN_MS = 3_000;
const QUIET_MS = 15_000;
/** Shown by the robot, refused, or not shown and stopped: never that a server was missing. */
const clear: readonly number[] = [200, 409, 504];
/** Of all presses, however busy the machine is. */
const SHOWN_SHARE = 0.9;

/** An upgrade like that of a version that only adds: to the tables that every press reads and writes. */
const addition = `-- additive
alter table robots add column made_up text not null default 'new';
alter table commands add column made_up text;
create table made_up (id integer primary key, robot_id integer references robots (id));
create index commands_by_made_up on commands (made_up) where made_up is not null;
`;

/**
 * Two servers are replaced one by one by a newer version, and one of them by the old version again, while people press
 * Start and Stop: true if every press got an answer that was true.
 */
export async function rollingUpgrade(parts: StepContext): Promise<boolean> {
  const { options, folder, stops } = parts;
  console.log(`\n=== rolling: two servers are upgraded one by one, and back, while people press`);
  const system = await startSystem(parts, makeDevices("ROLL", ROBOTS), { servers: 2 });
  console.log(system.versions);
  const name = `${String(newestMigration() + 1).padStart(4, "0")}_made_up.sql`;
  const newer = await copyServer(join(folder, "newer"), { [name]: addition });
  const watch = new BridgeWatch(system.db);
  watch.start();
  stops.push(() => watch.stop());
  system.robots.forEach(({ serial }, index) => {
    if (index % 2 === 0) system.fleet.fleet.robot(serial).inject({ kind: "late", ms: LATE_MS });
  });
  const presses = new Presses({ ...system, random: new SeededRandom(options.seed) });
  const problems: string[] = [];
  const ends: number[] = [];

  const replace = async (place: ServerPlace, checkout?: string): Promise<void> => {
    const { code, tookMs } = await place.retire();
    ends.push(tookMs);
    if (code !== 0) problems.push(`${place.name} ended with ${code} when it was asked to stop.`);
    await place.start(checkout);
    await pause(BETWEEN_MS);
  };
  let pressing = true;
  const pressed = presses.work(() => pressing);
  // The bridge first, so that it moves twice.
  const isBridge = ({ answering }: ServerPlace) => answering !== null && answering === watch.holder;
  const [first, second] = system.places.toSorted((a, b) => Number(isBridge(b)) - Number(isBridge(a)));
  if (first === undefined || second === undefined) throw new Error("There are two servers.");
  try {
    await pause(BETWEEN_MS);
    const beganMs = Date.now();
    await migrated(system.database, newer);
    console.log(`migrated beside both servers        ${Date.now() - beganMs} ms`);
    await pause(BETWEEN_MS);
    await replace(first, newer);
    await replace(second, newer);
    await replace(first);
  } finally {
    pressing = false;
  }
  await pressed;
  await untilQuiet(system, QUIET_MS);
  problems.push(...(await presses.check()));
  let shown = 0;
  for (const [what, times] of presses.answers) {
    const status = Number(what.split(" ")[1]);
    if (status === 200) shown += times;
    if (!clear.includes(status)) problems.push(`Presses were answered ${what}: ${times}.`);
  }
  if (shown < SHOWN_SHARE * presses.presses) problems.push(`Of ${presses.presses} presses robots showed ${shown}.`);
  if (presses.byStopping === 0) problems.push("No press was under way at a server that was asked to stop.");
  const log = first.printed();
  if (!log.includes("with additions only"))
    problems.push("The version before does not say that the database is newer.");
  for (const place of system.places) {
    if (place.printed().includes("did not stop in time"))
      problems.push(`A part of ${place.name} did not stop in time.`);
  }

  console.log(`servers replaced                    ${ends.length}, ended after ${ends.join(", ")} ms`);
  console.log(`presses                             ${presses.presses}, asked again elsewhere ${presses.repeated}`);
  console.log(`  answered by a server that stops   ${presses.byStopping}`);
  console.log(`  answers                           ${presses.describe()}`);
  console.log(`  STARTs taken by robots            ${presses.taken}`);
  for (const problem of problems) console.log(`WRONG: ${problem}`);
  if (problems.length === 0) console.log("No press dropped, every answer true.");
  if (problems.length > 0 || options.keep) {
    for (const place of system.places) await writeFile(join(folder, `${place.name}.log`), place.printed());
  }
  return problems.length === 0;
}
