import { CachedSnapshot } from "../../platform/periodic-task.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { CommandBody } from "./accept-command.ts";
import { type KnownRobot, readKnownRobots } from "./known-fleet.repository.ts";

/**
 * The robots as the database last knew them, so that a person's Stop need not wait for it (protocol rule 3). Each person
 * finds the robots of the sites that were theirs; where anything does not fit, none.
 */
export class KnownFleet implements Service {
  readonly #robots: CachedSnapshot<readonly KnownRobot[]>;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "log">) {
    this.#robots = new CachedSnapshot(deps, () => readKnownRobots(deps.db));
  }

  async start(): Promise<void> {
    await this.#robots.start();
  }

  async stop(): Promise<void> {
    await this.#robots.stop();
  }

  /** The robot that a command names by serial number, id and site. */
  named(viewer: Viewer, { robotId, robotObjectId, siteId }: CommandBody): KnownRobot[] {
    return this.atSite(viewer, siteId).filter(({ id, serial }) => id === robotObjectId && serial === robotId);
  }

  atSite(viewer: Viewer, siteId: number): KnownRobot[] {
    return (this.#robots.value ?? []).filter((robot) => robot.siteId === siteId && mayReach(viewer, robot));
  }

  /** The members of a group of the site, or those `only` names, where all of them are members. */
  inGroup(viewer: Viewer, siteId: number, groupId: number, only?: readonly number[]): KnownRobot[] {
    const members = this.atSite(viewer, siteId).filter((robot) => robot.groupId === groupId);
    if (only === undefined) return members;
    const named = members.filter(({ id }) => only.includes(id));
    return named.length === new Set(only).size ? named : [];
  }
}

/** The wall of `visibleSites`, by what is remembered. */
function mayReach(viewer: Viewer, { partnerId }: KnownRobot): boolean {
  return viewer.role === "SUPER_ADMIN" || (viewer.partnerId !== null && viewer.partnerId === partnerId);
}
