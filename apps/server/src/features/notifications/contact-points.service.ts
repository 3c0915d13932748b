import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  CONTACT_POINTS_PER_OWNER,
  type ContactOwnerInput,
  type ContactPoint,
  channelKindSchema,
  type createContactPoint,
  type notificationOptions,
  type replaceSigningSecret,
  type updateContactPoint,
  type WhatsappOptions,
  whatsappOptionsSchema,
} from "@suncrew/contract/notifications/contact-points.ts";
import {
  type DestinationField,
  destinationFields,
  destinationProblem,
  shownAddress,
} from "@suncrew/domain/notifications/destination.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, invalid, notFound } from "../../platform/http/http-error.ts";
import { canSendMail } from "../../platform/mailer.ts";
import type { SealedSecrets } from "../../platform/sealed-secrets.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ChangeDetails } from "../audit/public.ts";
import { requireSite } from "../sites/public.ts";
import {
  type ContactSecrets,
  contactSeal,
  FORMER_SECRET_HOURS,
  newSigningSecret,
  openContact,
  sealContact,
} from "./contact-secrets.ts";
import { lockContactPoint, readContactPoints } from "./contact-points.queries.ts";
import {
  changeContactPoint,
  countContactPointsOf,
  findRuleNaming,
  insertContactPoint,
  lockOwner,
  type OwnerColumns,
  readPeople,
  removeContactPoint,
  storeSecret,
} from "./contact-points.repository.ts";
import { wakeWaiting } from "./deliveries.repository.ts";

type ContactBody = Omit<BodyOf<typeof updateContactPoint>, "version">;
type LockedContactPoint = NonNullable<Awaited<ReturnType<typeof lockContactPoint>>>;
type ServiceDependencies = Pick<Dependencies, "db" | "clock" | "mailer"> & {
  readonly settings: Pick<Dependencies["settings"], "secretKey">;
};

interface Change {
  readonly tx: Tx;
  readonly row: LockedContactPoint;
  readonly details: ChangeDetails;
  readonly at: Date;
}

/** Contact points of people, partners, sites and teams, as far as the viewer may change them. */
export class ContactPoints {
  readonly #deps: ServiceDependencies;
  readonly #sealed: SealedSecrets;

  constructor(deps: ServiceDependencies) {
    this.#deps = deps;
    this.#sealed = contactSeal(deps.settings);
  }

  /** Throws 404 for a site that the viewer does not see. */
  async list(
    viewer: Viewer,
    { site_id: siteId, mine }: { readonly site_id?: number | undefined; readonly mine?: boolean | undefined },
  ): Promise<ContactPoint[]> {
    if (siteId !== undefined) await requireSite(viewer, this.#deps.db, siteId);
    return readContactPoints(viewer, this.#deps.db, { siteId, mine });
  }

  /** Which channels can be used, and who can be told: for a partner's user nobody else. */
  async options(viewer: Viewer): Promise<ResponseOf<typeof notificationOptions>> {
    const { db, mailer } = this.#deps;
    const canMail = await canSendMail(mailer);
    return {
      channels: channelKindSchema.options.map((channel) => ({
        channel,
        available: channel !== "EMAIL" || canMail,
      })),
      people: await readPeople(db, viewer.role === "SUPER_ADMIN" ? null : viewer.userId),
    };
  }

  /** Throws 400 with the field named, 404 for an owner that the viewer may not name, and 409 for too many. */
  async create(
    viewer: Viewer,
    { owner, ...body }: BodyOf<typeof createContactPoint>,
  ): Promise<ResponseOf<typeof createContactPoint>> {
    const at = this.#deps.clock.now();
    const destination = destinationOfBody(body, []);
    const secrets: ContactSecrets = {
      ...newSecretsOf(body),
      ...(body.channel === "WEBHOOK" && { signing_secret: newSigningSecret() }),
    };
    const after = { name: body.name, channel: body.channel };
    const change = { actor: viewer, action: "CREATE_CONTACT_POINT", entity: "contact_point", after, at };
    const contactPointId = await auditedChange(this.#deps.db, change, async (tx, details) => {
      const { columns, name } = await this.#ownerOf(viewer, tx, owner);
      details.siteId = columns.site_id;
      const row = {
        ...columns,
        ...contentOf(body),
        ...columnsOf(destination),
        ...startOfDaily(body, at),
        ...reportFieldsOf(body, { ...columns, language: "en", gets_reports: false }),
        channel: body.channel,
        created_at: at,
      };
      details.after = audited({ ...row, owner_name: name }, destination.whatsapp, secretsNamed(row.channel, "set"));
      const id = await insertContactPoint(tx, row);
      details.entityId = id;
      if (Object.keys(secrets).length > 0) await storeSecret(tx, id, sealContact(this.#sealed, id, secrets));
      return id;
    });
    const message = `The contact point ${body.name} was added.`;
    return { message, contactPointId, signing_secret: secrets.signing_secret ?? null };
  }

  /** Throws the same, 404 for one that is not the viewer's, and 409 after a concurrent edit. */
  async update(
    viewer: Viewer,
    contactPointId: number,
    { version, ...body }: BodyOf<typeof updateContactPoint>,
  ): Promise<ResponseOf<typeof updateContactPoint>> {
    await this.#change(viewer, "UPDATE_CONTACT_POINT", contactPointId, async ({ tx, row, details, at }) => {
      const stored = openContact(this.#sealed, row) ?? {};
      const isNew = { url: isGiven(body.url, stored.url), token: isGiven(body.token, stored.token) };
      if (body.channel !== row.channel) throw invalid("channel", "The channel of a contact point stays as it is.");
      const { address, whatsapp } = destinationOfBody(body, storedFields(stored), row.address);
      const isElsewhere = address !== row.address || !isDeepStrictEqual(whatsapp, whatsappOf(row));
      const isMoved = isNew.url || isNew.token || isElsewhere;
      const secrets: ContactSecrets = {
        ...stored,
        ...newSecretsOf(body),
        // It is lost together with the address where the key of the secrets was changed.
        ...(row.channel === "WEBHOOK" && { signing_secret: stored.signing_secret ?? newSigningSecret() }),
      };
      const isSwitchedOn = body.enabled && (!row.enabled || row.unsubscribed_at !== null);
      const changes = {
        ...contentOf(body),
        ...columnsOf({ address, whatsapp }),
        ...dailyChangesOf(body, row, at),
        ...reportFieldsOf(body, row),
        ...((isMoved || isSwitchedOn) && noFailures),
        ...(isSwitchedOn && { unsubscribed_at: null }),
        ...(Object.keys(secrets).length > 0 && { secret: sealContact(this.#sealed, row.id, secrets) }),
      };
      details.before = audited(row, whatsappOf(row), secretsNamed(row.channel, "as before"));
      details.after = audited({ ...row, ...changes }, whatsapp, secretsNamed(row.channel, "as before", isNew));
      if (version !== undefined && version !== row.version) throw editConflict("contact point");
      await changeContactPoint(tx, row.id, changes);
      await wakeWaiting(tx, row.id, at);
    });
    return { message: `The contact point ${body.name} was changed.` };
  }

  /** Throws 404, and 409 while a rule or subscription tells it. */
  async delete(viewer: Viewer, contactPointId: number): Promise<{ message: string }> {
    return this.#change(viewer, "DELETE_CONTACT_POINT", contactPointId, async ({ tx, row, details, at }) => {
      details.before = audited(row, whatsappOf(row), {});
      await refuseIfNamed(tx, "CONTACT_POINT", row.id, row.name);
      await removeContactPoint(tx, row.id, at);
      return { message: `The contact point ${row.name} was deleted.` };
    });
  }

  /** For a day calls are signed with the former secret, too. Throws 404, and 409 for what is no webhook. */
  async replaceSigningSecret(viewer: Viewer, id: number): Promise<ResponseOf<typeof replaceSigningSecret>> {
    const secret = newSigningSecret();
    return this.#change(viewer, "REPLACE_SIGNING_SECRET", id, async ({ tx, row, details, at }) => {
      details.after = { name: row.name, owner: row.owner_name };
      if (row.channel !== "WEBHOOK") throw conflict("CONTACT_POINT_UNSIGNED", "Only calls to webhooks are signed.");
      const stored = openContact(this.#sealed, row);
      if (stored?.url === undefined) throw invalid("url", "The address could not be read any more: enter it again.");
      const former = {
        former_signing_secret: stored.signing_secret,
        former_until: new Date(at.getTime() + FORMER_SECRET_HOURS * 3_600_000).toISOString(),
      };
      const secrets = { url: stored.url, signing_secret: secret, ...(stored.signing_secret !== undefined && former) };
      await storeSecret(tx, row.id, sealContact(this.#sealed, row.id, secrets));
      const message = `${row.name} has a new signing secret. For ${FORMER_SECRET_HOURS} hours calls are signed with the former one, too.`;
      return { message, signing_secret: secret };
    });
  }

  /** Throws 404 for an owner outside of the viewer's scope, 400 without a site's role, 409 for too many. */
  async #ownerOf(
    viewer: Viewer,
    tx: Tx,
    { kind, id: given, role }: ContactOwnerInput,
  ): Promise<{ readonly columns: OwnerColumns; readonly name: string }> {
    const id = given ?? (kind === "PERSON" ? viewer.userId : undefined);
    if (id === undefined) throw invalid("owner.id", "Choose whose contact point it is.");
    if (kind === "SITE") await requireSite(viewer, tx, id);
    const isOwn = kind === "SITE" || (kind === "PERSON" && id === viewer.userId);
    const mayName = isOwn || (kind === "PARTNER" && id === viewer.partnerId) || viewer.role === "SUPER_ADMIN";
    const name = mayName ? await lockOwner(tx, kind, id) : null;
    if (name === null) throw notFound(ownerWords[kind]);
    if (kind === "SITE" && role === undefined) throw invalid("owner.role", "Choose the owner or the caretaker.");
    if ((await countContactPointsOf(tx, kind, id)) >= CONTACT_POINTS_PER_OWNER) {
      const many = `${name} has ${CONTACT_POINTS_PER_OWNER} contact points. Delete one that is no longer used.`;
      throw conflict("CONTACT_POINTS_LIMIT", many);
    }
    const columns = {
      owner_kind: kind,
      user_id: kind === "PERSON" ? id : null,
      partner_id: kind === "PARTNER" ? id : null,
      site_id: kind === "SITE" ? id : null,
      team_id: kind === "TEAM" ? id : null,
      site_role: kind === "SITE" ? (role ?? null) : null,
    };
    return { columns, name };
  }

  async #change<T>(viewer: Viewer, action: string, id: number, work: (change: Change) => Promise<T>): Promise<T> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action, entity: "contact_point", entityId: id, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const row = await lockContactPoint(viewer, tx, id);
      if (row === null) throw notFound("Contact point");
      details.siteId = row.site_id;
      return work({ tx, row, details, at });
    });
  }
}

const ownerWords = { PERSON: "Person", PARTNER: "Partner", SITE: "Site", TEAM: "Team" } as const;
const named = { CONTACT_POINT: "contact point", TEAM: "team", ROTA: "rota" } as const;

/** Throws 409 with the name of the rule or subscription that tells it. */
export async function refuseIfNamed(tx: Tx, kind: keyof typeof named, id: number, name: string): Promise<void> {
  const rule = await findRuleNaming(tx, kind, id);
  if (rule === null) return;
  const what = rule.isSubscription ? "subscription" : "rule";
  throw conflict("NAMED_BY_RULE", `The ${what} ${rule.name} tells the ${named[kind]} ${name}. Change it first.`);
}

const noFailures = {
  failures: 0,
  failed_at: null,
  failure_reason: null,
  failure_reason_code: null,
  failure_reason_params: null,
};

/** Throws 400 with the field that does not fit the channel. `shown` is what is shown while the address stays secret. */
function destinationOfBody(body: ContactBody, stored: readonly DestinationField[], shown?: string) {
  const problem = destinationProblem(body.channel, body, stored);
  if (problem !== null) throw invalid(problem.field, problem.message);
  const address = shownAddress(body.channel, body) ?? shown ?? "";
  return { address, whatsapp: (body.channel === "WHATSAPP" ? body.whatsapp : null) ?? null };
}

function columnsOf({ address, whatsapp }: Pick<ContactPoint, "address" | "whatsapp">) {
  return { address, options: whatsapp === null ? null : JSON.stringify(whatsapp) };
}

function whatsappOf({ options }: Pick<LockedContactPoint, "options">): WhatsappOptions | null {
  return options === null ? null : whatsappOptionsSchema.parse(options);
}

function contentOf(body: ContactBody) {
  const { name, timezone, quiet_from, quiet_to, critical_pierces, enabled } = body;
  return {
    name,
    timezone,
    quiet_from,
    quiet_to,
    days_off: body.days_off.toSorted((one, other) => one - other),
    critical_pierces,
    digest_at: body.digest_at ?? null,
    summary_at: body.summary_at ?? null,
    enabled,
  };
}

/** Throws 400 for reports to what is no email contact of a site. */
function reportFieldsOf(
  { channel, language, gets_reports }: ContactBody,
  stored: Pick<LockedContactPoint, "owner_kind" | "language" | "gets_reports">,
) {
  if (gets_reports === true && (channel !== "EMAIL" || stored.owner_kind !== "SITE")) {
    throw invalid("gets_reports", "Reports go to email contacts of a site only.");
  }
  return { language: language ?? stored.language, gets_reports: gets_reports ?? stored.gets_reports };
}

/** Secrets that a body brings, of those that its channel has. */
function newSecretsOf({ channel, url, token }: ContactBody): ContactSecrets {
  const has = (field: DestinationField) => destinationFields[channel].includes(field);
  return { ...(has("url") && url && { url: url.trim() }), ...(has("token") && token && { token: token.trim() }) };
}

function storedFields(stored: ContactSecrets): DestinationField[] {
  return (["url", "token"] as const).filter((field) => stored[field] !== undefined);
}

function isGiven(text: string | null | undefined, stored: string | undefined): boolean {
  return text !== undefined && text !== null && text.trim() !== "" && text.trim() !== stored;
}

type Daily = Pick<ContactBody, "timezone" | "digest_at" | "summary_at">;

/** A time of day that has passed comes tomorrow for the first time. */
function startOfDaily(body: Daily, now: Date) {
  const { date, time } = localTimeOf(now, body.timezone);
  const firstOn = (at: string | null | undefined) => (at !== undefined && at !== null && at <= time ? date : null);
  return { digest_on: firstOn(body.digest_at), summary_on: firstOn(body.summary_at) };
}

/** What was sent today is not sent twice where its time stays. */
function dailyChangesOf(body: Daily, row: Daily, now: Date) {
  const isSame = (field: "digest_at" | "summary_at") => (body[field] ?? null) === (row[field] ?? null);
  const { digest_on, summary_on } = startOfDaily(body, now);
  return { ...(!isSame("digest_at") && { digest_on }), ...(!isSame("summary_at") && { summary_on }) };
}

interface AuditedContactPoint extends ReturnType<typeof contentOf> {
  readonly channel: ContactPoint["channel"];
  readonly address: string;
  readonly owner_name: string;
  readonly site_role: ContactPoint["owner"]["role"];
  readonly language: ContactPoint["language"];
  readonly gets_reports: boolean;
}

/** What the audit tells of it: of secrets only whether they were changed. */
function audited(row: AuditedContactPoint, whatsapp: WhatsappOptions | null, secrets: object): object {
  const { name, owner_name: owner, site_role, channel, address, timezone, quiet_from, quiet_to } = row;
  const { days_off, critical_pierces, digest_at, summary_at, enabled } = row;
  return {
    name,
    owner,
    ...(site_role !== null && { site_role }),
    channel,
    address,
    ...(whatsapp !== null && { whatsapp }),
    timezone,
    quiet_from,
    quiet_to,
    days_off,
    critical_pierces,
    digest_at,
    summary_at,
    ...(channel === "EMAIL" && { language: row.language, gets_reports: row.gets_reports }),
    enabled,
    ...secrets,
  };
}

/** Words in place of the secrets; not by names that the audit leaves out. */
function secretsNamed(
  channel: ContactPoint["channel"],
  word: "set" | "as before",
  changed: { readonly url?: boolean; readonly token?: boolean } = {},
): object {
  const fields = destinationFields[channel];
  return {
    ...(fields.includes("url") && { url: changed.url === true ? "changed" : word }),
    ...(fields.includes("token") && { access: changed.token === true ? "changed" : word }),
  };
}
