import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { createSite, updateSite } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { missingContacts } from "@suncrew/domain/sites/site-contacts.ts";
import { timezoneAt } from "@suncrew/domain/sites/timezone.ts";
import type { Tx } from "../../platform/database/database.ts";
import { editConflict, forbidden, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { lockLivePartner } from "../partners/public.ts";
import { rezoneSchedules } from "../schedules/public.ts";
import { requireSite } from "../sites/public.ts";
import { siteConflicts } from "./site-conflicts.repository.ts";
import {
  changeSite,
  contentOf,
  holdSites,
  insertSites,
  readStored,
  type SiteContent,
  type StoredSite,
} from "./site-rows.repository.ts";

/** §9: the maintenance partner where none is chosen, or what was sent is none. */
export const DEFAULT_PARTNER_ID = 1;

/** What saving came to in its transaction; a refusal is on record and is thrown after the commit. */
export type SavedSite =
  | { readonly kind: "saved"; readonly siteId: number }
  | { readonly kind: "refused"; readonly error: HttpError };

/** §5 Site create. */
export async function storeNewSite(
  tx: Tx,
  viewer: Viewer,
  body: BodyOf<typeof createSite>,
  now: Date,
): Promise<SavedSite> {
  await holdSites(tx);
  const { maintenance_partner_id: partnerId = DEFAULT_PARTNER_ID } = body;
  const content = contentOf({ ...body, maintenance_partner_id: partnerId });
  const about = { viewer, siteId: null, before: null, after: content, now };
  const error = wrongContacts({ ...body, maintenance_partner_id: partnerId }) ?? (await refusalOf(tx, content, null));
  if (error !== null) return refuse(tx, about, error);
  const timezone = timezoneAt(content.latitude, content.longitude);
  const [siteId] = await insertSites(tx, [{ ...content, timezone }], now);
  if (siteId === undefined) throw new Error("The site was not stored.");
  await audit(tx, { ...about, siteId, refused: null });
  return { kind: "saved", siteId };
}

/** §5 Edit: the same rules, without the site itself. Throws 404. */
export async function storeChangedSite(
  tx: Tx,
  viewer: Viewer,
  siteId: number,
  body: BodyOf<typeof updateSite>,
  now: Date,
): Promise<SavedSite> {
  await holdSites(tx);
  await requireSite(viewer, tx, siteId);
  const stored = await readStored(tx, siteId);
  if (stored === null) throw notFound("Site");
  const { version, maintenance_partner_id: partnerId = stored.maintenance_partner_id, ...fields } = body;
  const content = contentOf({ ...fields, maintenance_partner_id: partnerId });
  const about = { viewer, siteId, before: contentOf(stored), after: content, now };
  const error =
    partnerForbidden(viewer, stored, partnerId) ??
    (version !== undefined && version !== stored.version ? editConflict("site") : null) ??
    wrongContacts({ ...fields, maintenance_partner_id: partnerId }) ??
    (await refusalOf(tx, content, siteId));
  if (error !== null) return refuse(tx, about, error);
  if (isSame(about.before, content)) return { kind: "saved", siteId };
  const timezone = zoneOf(stored, content);
  if (timezone !== stored.timezone) {
    const by = { userId: viewer.userId, name: viewer.name };
    await rezoneSchedules(tx, { id: siteId, timezone }, by, now);
  }
  await changeSite(tx, siteId, { ...content, timezone });
  await audit(tx, { ...about, refused: null });
  return { kind: "saved", siteId };
}

/** Found anew only where the site moved: other versions of the zones' borders must not move its schedules. */
function zoneOf(stored: StoredSite, { latitude, longitude }: SiteContent): string {
  const stays = stored.latitude === latitude && stored.longitude === longitude;
  return stays ? stored.timezone : timezoneAt(latitude, longitude);
}

function isSame(one: SiteContent, other: SiteContent): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** §6: the maintenance partner is changed by who may; nothing else of the edit is looked at. */
function partnerForbidden(viewer: Viewer, stored: StoredSite, partnerId: number | null): HttpError | null {
  if (partnerId === stored.maintenance_partner_id || may(viewer.role, "changeMaintenancePartner")) return null;
  return forbidden("Your role does not allow to change the maintenance partner of a site.");
}

function wrongContacts(site: SiteContent): HttpError | null {
  const errors = missingContacts(site);
  return errors.length === 0 ? null : new HttpError(400, errors.map(({ message }) => message).join("; "), { errors });
}

async function refusalOf(tx: Tx, site: SiteContent, siteId: number | null): Promise<HttpError | null> {
  const { maintenance_partner_id: partnerId } = site;
  if (partnerId !== null && (await lockLivePartner(tx, partnerId)) === null) {
    return invalid("maintenance_partner_id", "There is no such maintenance partner.");
  }
  const [errors = []] = await siteConflicts(tx, [{ ...site, ...(siteId !== null && { id: siteId }) }]);
  const [first] = errors;
  return first === undefined ? null : new HttpError(409, first.message, { errors });
}

interface Change {
  readonly viewer: Viewer;
  readonly siteId: number | null;
  readonly before: SiteContent | null;
  readonly after: SiteContent;
  readonly now: Date;
}

async function refuse(tx: Tx, change: Change, error: HttpError): Promise<SavedSite> {
  await audit(tx, { ...change, refused: error.message });
  return { kind: "refused", error };
}

async function audit(
  tx: Tx,
  { viewer, siteId, before, after, now, refused }: Change & { readonly refused: string | null },
): Promise<void> {
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: before === null ? "CREATE_SITE" : "UPDATE_SITE",
    entity: "site",
    entityId: siteId,
    siteId,
    outcome: refused === null ? "DONE" : "REFUSED",
    reason: refused,
    before: before && { ...before },
    after: { ...after },
    at: now,
  });
}
