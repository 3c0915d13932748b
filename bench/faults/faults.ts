import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { lookAtBridge } from "../production/bridge-watch.ts";
import type { ServerPlace } from "../production/killed-servers.ts";
import { fill } from "../production/small-disk.ts";
import type { SteppedClock } from "../production/stepped-clock.ts";
import type { TestSystem } from "../production/test-system.ts";

const HOUR_S = 3_600;
const GREEDY = 5;
const GRAB_PAUSE_MS = 100;

/** What goes wrong, and how it ends; by then the part is back. */
export interface Fault {
  readonly name: FaultName;
  /** For the table. */
  readonly title: string;
  /** How long it lasts, in seconds: as customers tell it, and in the short round of every change. */
  readonly seconds: number;
  readonly shortSeconds: number;
  /** Whether a Stop must work while it lasts: that takes a server, the broker and the way to the robot. */
  readonly stops: boolean;
  /** Whether a START must work while it lasts: that takes the database and clocks, too. */
  readonly starts: boolean;
  begin(): Promise<unknown> | void;
  end(): Promise<unknown> | void;
  /** For clock faults: the servers that have to say that their clock disagrees. */
  readonly reportedBy?: readonly ServerPlace[];
}

export const faultNames = [
  "server-killed",
  "servers-killed",
  "server-frozen",
  "broker-restarted",
  "broker-stopped",
  "broker-killed",
  "broker-frozen",
  "broker-cut",
  "robots-frozen",
  "database-restarted",
  "database-immediate",
  "database-stopped",
  "database-killed",
  "database-paused",
  "database-frozen",
  "disk-full",
  "connections-exhausted",
  "server-clock",
  "servers-clocks",
  "database-clock",
] as const;
export type FaultName = (typeof faultNames)[number];

/** Few and telling, for every change: what robots, schedules and people depend on, once each. */
export const shortRound: readonly FaultName[] = ["broker-killed", "database-paused", "robots-frozen", "server-clock"];

/** Every fault, on this system; without one for a full disk if the database is on no small disk. */
export function faultsOf(system: TestSystem, smallDisk: string | null): Fault[] {
  const { postgres, mosquitto, places, networks, clocks, database } = system;
  if (networks === null || clocks === null) throw new Error("The networks and clocks of this system stay as they are.");
  const bridge = new Victim(system);
  const greedy = new GreedyClient(database.serverUrl, database.adminUrl);
  const ballast = join(smallDisk ?? "", "ballast");
  const step = (of: readonly SteppedClock[], bySeconds: number) =>
    Promise.all(of.map((clock) => clock.step(bySeconds)));
  const bothWork = { stops: true, starts: true };
  const nothingWorks = { stops: false, starts: false };
  const stopsWork = { stops: true, starts: false };
  const everyFault: Fault[] = [
    {
      name: "server-killed",
      title: "one server, a bridge, killed (-9)",
      seconds: 20,
      shortSeconds: 8,
      ...bothWork,
      begin: async () => (await bridge.choose()).kill(),
      end: () => bridge.chosen.start(),
    },
    {
      name: "servers-killed",
      title: "all servers killed (-9)",
      seconds: 20,
      shortSeconds: 8,
      ...nothingWorks,
      begin: () => Promise.all(places.map((place) => place.kill())),
      end: () => Promise.all(places.map((place) => place.start())),
    },
    {
      name: "server-frozen",
      title: "one server, a bridge, frozen (SIGSTOP)",
      seconds: 20,
      shortSeconds: 10,
      ...bothWork,
      begin: async () => (await bridge.choose()).freeze(),
      end: () => bridge.chosen.thaw(),
    },
    {
      name: "broker-restarted",
      title: "broker restarted",
      seconds: 0,
      shortSeconds: 0,
      ...nothingWorks,
      begin: () => mosquitto.stop(),
      end: () => mosquitto.start(),
    },
    {
      name: "broker-stopped",
      title: "broker stopped",
      seconds: 20,
      shortSeconds: 8,
      ...nothingWorks,
      begin: () => mosquitto.stop(),
      end: () => mosquitto.start(),
    },
    {
      name: "broker-killed",
      title: "broker killed (-9)",
      seconds: 20,
      shortSeconds: 8,
      ...nothingWorks,
      begin: () => mosquitto.kill(),
      end: () => mosquitto.start(),
    },
    {
      name: "broker-frozen",
      title: "broker frozen (SIGSTOP)",
      seconds: 30,
      shortSeconds: 8,
      ...nothingWorks,
      begin: () => mosquitto.pause(),
      end: () => mosquitto.resume(),
    },
    {
      name: "broker-cut",
      title: "servers cut off from the broker",
      seconds: 20,
      shortSeconds: 8,
      ...nothingWorks,
      begin: () => networks.broker.cut(),
      end: () => networks.broker.mend(),
    },
    {
      name: "robots-frozen",
      title: "robots' network frozen",
      seconds: 60,
      shortSeconds: 12,
      ...nothingWorks,
      begin: () => networks.robots.freeze(),
      end: () => networks.robots.thaw(),
    },
    {
      name: "database-restarted",
      title: "PostgreSQL restarted (fast)",
      seconds: 0,
      shortSeconds: 0,
      ...stopsWork,
      begin: () => postgres.shutDown("fast"),
      end: () => postgres.startAgain(),
    },
    {
      name: "database-immediate",
      title: "PostgreSQL shut down (immediate)",
      seconds: 10,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => postgres.shutDown("immediate"),
      end: () => postgres.startAgain(),
    },
    {
      name: "database-stopped",
      title: "PostgreSQL stopped",
      seconds: 105,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => postgres.shutDown("fast"),
      end: () => postgres.startAgain(),
    },
    {
      name: "database-killed",
      title: "PostgreSQL killed (-9)",
      seconds: 20,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => postgres.kill(),
      end: () => postgres.startAgain(),
    },
    {
      name: "database-paused",
      title: "PostgreSQL paused (SIGSTOP)",
      seconds: 60,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => postgres.pause(),
      end: () => postgres.resume(),
    },
    {
      name: "database-frozen",
      title: "network between servers and PostgreSQL frozen",
      seconds: 20,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => networks.database.freeze(),
      end: () => networks.database.thaw(),
    },
    {
      name: "disk-full",
      title: "PostgreSQL's disk full (ENOSPC)",
      seconds: 20,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => fill(ballast),
      end: async () => {
        await rm(ballast, { force: true });
        await postgres.startAgain();
      },
    },
    {
      name: "connections-exhausted",
      title: "PostgreSQL's connections exhausted, the servers' ended",
      seconds: 20,
      shortSeconds: 10,
      ...stopsWork,
      begin: () => greedy.begin(),
      end: () => greedy.end(),
    },
    {
      name: "server-clock",
      title: "the clock of one server's machine an hour ahead",
      seconds: 20,
      shortSeconds: 12,
      ...bothWork,
      begin: () => step(clocks.servers.slice(0, 1), HOUR_S),
      end: () => step(clocks.servers, 0),
      reportedBy: places.slice(0, 1),
    },
    {
      name: "servers-clocks",
      title: "the clocks of all servers' machines an hour ahead",
      seconds: 20,
      shortSeconds: 12,
      ...stopsWork,
      begin: () => step(clocks.servers, HOUR_S),
      end: () => step(clocks.servers, 0),
      reportedBy: places,
    },
    {
      name: "database-clock",
      title: "the database's clock ten minutes ahead",
      seconds: 20,
      shortSeconds: 12,
      ...stopsWork,
      begin: () => step([clocks.database], 600),
      end: () => step([clocks.database], 0),
      reportedBy: places,
    },
  ];
  return everyFault.filter(({ name }) => name !== "disk-full" || smallDisk !== null);
}

/** The server that is the bridge of most robots when the fault begins. */
class Victim {
  readonly #system: TestSystem;
  #chosen: ServerPlace | null = null;

  constructor(system: TestSystem) {
    this.#system = system;
  }

  async choose(): Promise<ServerPlace> {
    const { holder } = await lookAtBridge(this.#system.db);
    this.#chosen = this.#system.places.find(({ answering }) => answering !== null && answering === holder) ?? null;
    return this.chosen;
  }

  get chosen(): ServerPlace {
    if (this.#chosen === null) throw new Error("No server was a bridge.");
    return this.#chosen;
  }
}

/** A program that takes every connection that PostgreSQL has for the servers' account, and does not return it. */
class GreedyClient {
  readonly #url: string;
  readonly #adminUrl: string;
  #clients: pg.Client[] = [];
  #grabbing = false;
  #done: Promise<unknown> = Promise.resolve();

  constructor(url: string, adminUrl: string) {
    this.#url = url;
    this.#adminUrl = adminUrl;
  }

  /** Takes what is free, ends the servers' connections, and takes those. */
  async begin(): Promise<void> {
    this.#grabbing = true;
    await Promise.all(Array.from({ length: GREEDY }, () => this.#grabAll()));
    const admin = new pg.Client({ connectionString: this.#adminUrl });
    await admin.connect();
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'server-%'");
    await admin.end();
    this.#done = Promise.all(
      Array.from({ length: GREEDY }, async () => {
        for (; this.#grabbing; await pause(GRAB_PAUSE_MS)) await this.#grabAll();
      }),
    );
  }

  async end(): Promise<void> {
    this.#grabbing = false;
    await this.#done;
    await Promise.all(this.#clients.map((client) => client.end()));
    this.#clients = [];
  }

  /** Until there is none left. */
  async #grabAll(): Promise<void> {
    while (this.#grabbing) {
      const client = new pg.Client({ connectionString: this.#url, application_name: "greedy" });
      client.on("error", () => {});
      try {
        await client.connect();
      } catch {
        return;
      }
      this.#clients.push(client);
    }
  }
}
