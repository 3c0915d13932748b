import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { type createSite, SITE_FIELDS, type updateSite } from "@suncrew/contract/sites/site-forms.ts";
import { importSites } from "@suncrew/contract/sites/site-files.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { missingContacts } from "@suncrew/domain/sites/site-contacts.ts";
import { changedEnergyFacts, energyFactErrors, noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, forbidden, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import { SerializedAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { endSiteAlerts } from "../alerts/public.ts";
import { auditedChange } from "../audit/public.ts";
import { lockRobots, readStillMoving, type StillMovingRobot } from "../commands/public.ts";
import { lockSchedulesOfSite, removeGroupsOfSite } from "../groups/public.ts";
import { freeSensor } from "../guard/public.ts";
import { lockLivePartner } from "../partners/public.ts";
import { removeRobots } from "../robots/public.ts";
import { rezoneSchedules } from "../schedules/public.ts";
import { requireSite, seenAt } from "../sites/public.ts";
import { exportSitesTask, importSitesTask } from "./site-files.ts";
import {
  DEFAULT_PARTNER_ID,
  changeSite,
  contentOf,
  holdSites,
  insertSites,
  markDeleted,
  readStored,
  robotsOfSite,
  siteConflicts,
  type SiteContent,
  type StoredSite,
} from "./site-management.repository.ts";

export class SiteManagement {
  readonly #deps: Pick<Dependencies, "db" | "clock" | "broker" | "settings">;
  readonly #workers: Workers;

  constructor(deps: Pick<Dependencies, "db" | "clock" | "broker" | "settings">, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** §5 Site create. Returns the new site's id. Throws 400 and 409. */
  async create(viewer: Viewer, body: BodyOf<typeof createSite>): Promise<number> {
    const at = this.#deps.clock.now();
    const { maintenance_partner_id: partnerId = DEFAULT_PARTNER_ID } = body;
    const form = { ...body, ...changedEnergyFacts(noEnergyFacts, body), maintenance_partner_id: partnerId };
    const content = contentOf(form);
    const change = { actor: viewer, action: "CREATE_SITE", entity: "site", after: content, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      await holdSites(tx);
      const refusal = incomplete(form) ?? (await conflictOf(tx, content, null));
      if (refusal !== null) throw refusal;
      const timezone = timezoneAt(content.latitude, content.longitude);
      const [siteId] = await insertSites(tx, [{ content, timezone }], at);
      if (siteId === undefined) throw new Error("The site was not stored.");
      details.entityId = siteId;
      details.siteId = siteId;
      return siteId;
    });
  }

  /** §5 Edit: the same rules, without the site itself. Throws 400, 403, 404 and 409. */
  async update(viewer: Viewer, siteId: number, body: BodyOf<typeof updateSite>): Promise<void> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "UPDATE_SITE", entity: "site", entityId: siteId, siteId, at };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const stored = await holdSite(tx, viewer, siteId);
      const { version, maintenance_partner_id: partnerId = stored.content.maintenance_partner_id, ...fields } = body;
      const facts = changedEnergyFacts(stored.content, fields);
      const form = { ...fields, ...facts, maintenance_partner_id: partnerId };
      const content = contentOf(form);
      details.before = stored.content;
      details.after = content;
      const refusal =
        partnerForbidden(viewer, stored.content, partnerId) ??
        (version !== undefined && version !== stored.version ? editConflict("site") : null) ??
        incomplete(form) ??
        (await conflictOf(tx, content, siteId));
      if (refusal !== null) throw refusal;
      if (isSame(stored.content, content)) {
        details.rows = [];
        return;
      }
      const timezone = zoneOf(stored, content);
      if (timezone !== stored.timezone) await rezoneSchedules(tx, { id: siteId, timezone }, viewer, at);
      await changeSite(tx, siteId, { content, timezone });
    });
  }

  /** With its robots, groups and schedules; its history remains. Throws 404, and 409 where a robot may move. */
  async delete(viewer: Viewer, siteId: number): Promise<void> {
    const seen = seenAt(this.#deps);
    const { now } = seen;
    const change = { actor: viewer, action: "DELETE_SITE", entity: "site", entityId: siteId, siteId, at: now };
    await auditedChange(this.#deps.db, change, async (tx, details) => {
      const stored = await holdSite(tx, viewer, siteId);
      details.before = stored.content;
      const schedules = await lockSchedulesOfSite(tx, siteId);
      const robotIds = await robotsOfSite(tx, siteId);
      const robots = await lockRobots(tx, robotIds);
      // Deleted, or moved to another site, while this call waited for the locks.
      if ([...robots.values()].some((robot) => robot.deleted_at !== null || robot.site_id !== siteId)) {
        throw new ConcurrentChangeError();
      }
      const moving = await readStillMoving(tx, robotIds, seen);
      if (moving.length > 0) throw conflict("SITE_HAS_MOVING_ROBOTS", stillMovingMessage(stored.content.name, moving));
      const groups = await removeGroupsOfSite(tx, siteId, viewer, now);
      await removeRobots(tx, [...robots.values()], viewer, now);
      await endSiteAlerts(tx, siteId, now);
      await freeSensor(tx, siteId);
      await markDeleted(tx, siteId, now);
      // None is added after this: adding a robot locks the site's row first.
      if ((await robotsOfSite(tx, siteId)).length > 0) throw new ConcurrentChangeError();
      details.before = { ...stored.content, robots: robots.size, groups, schedules };
    });
  }

  async export(viewer: Viewer, signal: AbortSignal): Promise<string> {
    const input = { viewer, at: seenAt(this.#deps) };
    return this.#workers.run(exportSitesTask, input, { owner: workOwnerOf(viewer), signal });
  }

  /** Throws 400 if a row to be created is invalid. */
  async import(
    viewer: Viewer,
    body: BodyOf<typeof importSites>,
    signal: AbortSignal,
  ): Promise<SerializedAnswer<typeof importSites>> {
    const input = { viewer, body, now: this.#deps.clock.now() };
    const json = await this.#workers.run(importSitesTask, input, { owner: workOwnerOf(viewer), signal });
    return new SerializedAnswer(importSites, json);
  }
}

/** Throws 404. */
async function holdSite(tx: Tx, viewer: Viewer, siteId: number): Promise<StoredSite> {
  await holdSites(tx);
  await requireSite(viewer, tx, siteId);
  const stored = await readStored(tx, siteId);
  if (stored === null) throw notFound("Site");
  return stored;
}

/** Looked up only if the site moved: an update of the time zone borders must not shift its schedules. */
function zoneOf({ content, timezone }: StoredSite, { latitude, longitude }: SiteContent): string {
  const stays = content.latitude === latitude && content.longitude === longitude;
  return stays ? timezone : timezoneAt(latitude, longitude);
}

function isSame(one: SiteContent, other: SiteContent): boolean {
  return SITE_FIELDS.every((field) => one[field] === other[field]);
}

/** §6: only some roles may change the maintenance partner; checked before anything else of the edit. */
function partnerForbidden(viewer: Viewer, stored: SiteContent, partnerId: number | null): HttpError | null {
  if (partnerId === stored.maintenance_partner_id || may(viewer.role, "changeMaintenancePartner")) return null;
  return forbidden(
    "Your role does not allow you to change the maintenance partner of a site.",
    "PARTNER_CHANGE_FORBIDDEN",
  );
}

function incomplete(site: SiteContent): HttpError | null {
  const errors = [...missingContacts(site), ...energyFactErrors(site)];
  return errors.length === 0
    ? null
    : new HttpError(400, "VALIDATION_FAILED", errors.map(({ message }) => message).join("; "), { errors });
}

async function conflictOf(tx: Tx, site: SiteContent, siteId: number | null): Promise<HttpError | null> {
  const { maintenance_partner_id: partnerId } = site;
  if (partnerId !== null && (await lockLivePartner(tx, partnerId)) === null) {
    return invalid("maintenance_partner_id", "There is no such maintenance partner.", "UNKNOWN_PARTNER");
  }
  const [errors = []] = await siteConflicts(tx, [{ ...site, ...(siteId !== null && { id: siteId }) }]);
  const [first] = errors;
  if (first === undefined) return null;
  return new HttpError(409, first.field === "name" ? "SITE_NAME_TAKEN" : "SITE_LOCATION_TAKEN", first.message, {
    errors,
  });
}

/** A refusal names at most this many robots, and counts the others. */
const MAX_NAMED = 5;

function stillMovingMessage(name: string, moving: readonly StillMovingRobot[]): string {
  const named = moving.slice(0, MAX_NAMED).map(({ message }) => message);
  const more = moving.length - named.length;
  const rest = more === 0 ? [] : [`So ${more === 1 ? "is 1 more robot" : `are ${more} more robots`} there.`];
  return [`Site "${name}" cannot be deleted now.`, ...named, ...rest].join(" ");
}
