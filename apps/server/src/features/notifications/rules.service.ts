import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  type createNotificationRule,
  type createSubscription,
  type NotificationRule,
  type RuleStep,
  type RuleTarget,
  type Subscription,
  SUBSCRIPTIONS_PER_USER,
  type updateNotificationRule,
  type updateSubscription,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { anyInt, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ChangeDetails } from "../audit/public.ts";
import { visibleSites } from "../sites/public.ts";
import {
  changeRule,
  countSubscriptionsOf,
  findMissingPartners,
  findOthersContactPoints,
  insertRule,
  lockRule,
  readRules,
  readTargetNames,
  removeRule,
  type RuleContent,
  type StoredRule,
  targetKey,
} from "./rules.repository.ts";

type RuleBody = BodyOf<typeof createNotificationRule>;
type SubscriptionBody = BodyOf<typeof createSubscription>;

/** What a change of a rule and of a subscription differ in. */
interface RuleWords {
  readonly what: "rule" | "subscription";
  readonly notFound: "Rule" | "Subscription";
  readonly entity: "notification_rule" | "subscription";
}
const ruleWords: RuleWords = { what: "rule", notFound: "Rule", entity: "notification_rule" };
const subscriptionWords: RuleWords = { what: "subscription", notFound: "Subscription", entity: "subscription" };

interface Change {
  readonly tx: Tx;
  readonly rule: StoredRule;
  readonly details: ChangeDetails;
}

/** Rules of the installation, which the permission table leaves to Super Admins, and each person's subscriptions. */
export class NotificationRules {
  readonly #deps: Pick<Dependencies, "db" | "clock">;

  constructor(deps: Pick<Dependencies, "db" | "clock">) {
    this.#deps = deps;
  }

  async list(): Promise<NotificationRule[]> {
    const rules = await readRules(this.#deps.db, null);
    const names = await readTargetNames(
      this.#deps.db,
      rules.flatMap(({ steps }) => steps),
    );
    return rules.map(({ steps, ...rule }) => ({ ...rule, steps: [...steps], target_names: toldBy(steps, names) }));
  }

  /** Throws 400 with the field that names something unknown. */
  async create(viewer: Viewer, body: RuleBody): Promise<ResponseOf<typeof createNotificationRule>> {
    const ruleId = await this.#create(viewer, ruleWords, null, contentOf(body, stepsOf(body)));
    return { message: `The rule ${body.name} was added.`, ruleId };
  }

  /** Throws the same, 404, and 409 after a concurrent edit. */
  async update(
    viewer: Viewer,
    ruleId: number,
    { version, ...body }: BodyOf<typeof updateNotificationRule>,
  ): Promise<{ message: string }> {
    await this.#update(viewer, ruleWords, null, ruleId, version, contentOf(body, stepsOf(body)));
    return { message: `The rule ${body.name} was changed.` };
  }

  /** What it still would have told is not told, but the end of what it told is. Throws 404. */
  async delete(viewer: Viewer, ruleId: number): Promise<{ message: string }> {
    return this.#delete(viewer, ruleWords, null, ruleId);
  }

  async subscriptions(viewer: Viewer): Promise<Subscription[]> {
    const rules = await readRules(this.#deps.db, viewer.userId);
    return rules.map(({ steps, ...rule }) => ({ ...rule, contact_point_ids: contactPointsIn(steps) }));
  }

  /** Throws 400 with the field named, and 409 for who has as many as one may have. */
  async subscribe(viewer: Viewer, body: SubscriptionBody): Promise<ResponseOf<typeof createSubscription>> {
    const content = contentOf(body, ownSteps(viewer, body));
    const subscriptionId = await this.#create(viewer, subscriptionWords, viewer.userId, content);
    return { message: `The subscription ${body.name} was added.`, subscriptionId };
  }

  /** Throws the same, 404 for somebody else's, and 409 after a concurrent edit. */
  async updateSubscription(
    viewer: Viewer,
    id: number,
    { version, ...body }: BodyOf<typeof updateSubscription>,
  ): Promise<{ message: string }> {
    const content = contentOf(body, ownSteps(viewer, body));
    await this.#update(viewer, subscriptionWords, viewer.userId, id, version, content);
    return { message: `The subscription ${body.name} was changed.` };
  }

  /** Throws 404. */
  async unsubscribe(viewer: Viewer, id: number): Promise<{ message: string }> {
    return this.#delete(viewer, subscriptionWords, viewer.userId, id);
  }

  async #create(viewer: Viewer, words: RuleWords, userId: number | null, content: RuleContent): Promise<number> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: `CREATE_${words.entity.toUpperCase()}`, entity: words.entity, at };
    return auditedChange(this.#deps.db, { ...change, after: { name: content.name } }, async (tx, details) => {
      const names = await requireNamed(viewer, tx, content, userId);
      details.after = audited(content, names);
      if (userId !== null && (await countSubscriptionsOf(tx, userId)) >= SUBSCRIPTIONS_PER_USER) {
        const many = `You have ${SUBSCRIPTIONS_PER_USER} subscriptions. Delete one that is no longer used.`;
        throw conflict("SUBSCRIPTIONS_LIMIT", many);
      }
      const id = await insertRule(tx, content, userId, at);
      details.entityId = id;
      return id;
    });
  }

  async #update(
    viewer: Viewer,
    words: RuleWords,
    userId: number | null,
    id: number,
    version: number | undefined,
    content: RuleContent,
  ): Promise<void> {
    await this.#change(viewer, `UPDATE_${words.entity.toUpperCase()}`, words, userId, id, async (change) => {
      const { tx, rule, details } = change;
      const names = await requireNamed(viewer, tx, content, userId);
      details.before = audited(rule, await readTargetNames(tx, rule.steps));
      details.after = audited(content, names);
      if (version !== undefined && version !== rule.version) throw editConflict(words.what);
      await changeRule(tx, id, content);
      return {};
    });
  }

  async #delete(viewer: Viewer, words: RuleWords, userId: number | null, id: number): Promise<{ message: string }> {
    return this.#change(viewer, `DELETE_${words.entity.toUpperCase()}`, words, userId, id, async (change) => {
      const { tx, rule, details } = change;
      details.before = audited(rule, await readTargetNames(tx, rule.steps));
      await removeRule(tx, id, this.#deps.clock.now());
      return { message: `The ${words.what} ${rule.name} was deleted.` };
    });
  }

  async #change<T>(
    viewer: Viewer,
    action: string,
    words: RuleWords,
    userId: number | null,
    id: number,
    work: (change: Change) => Promise<T>,
  ): Promise<T> {
    const change = { actor: viewer, action, entity: words.entity, entityId: id, at: this.#deps.clock.now() };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const rule = await lockRule(tx, id, userId);
      if (rule === null) throw notFound(words.notFound);
      return work({ tx, rule, details });
    });
  }
}

function contentOf(body: Omit<RuleBody, "steps">, steps: readonly RuleStep[]): RuleContent {
  const { name, enabled, filter, wait_seconds, repeat_minutes, tells_cleared } = body;
  return { name, enabled, filter, wait_seconds, repeat_minutes, tells_cleared, steps };
}

/** Throws 400 with the target that has no id, or one too many. */
function stepsOf({ steps }: Pick<RuleBody, "steps">): RuleStep[] {
  return steps.map(({ after_minutes, to }, nth) => ({
    after_minutes,
    to: to.map((target, index) => {
      const field = `steps.${nth}.to.${index}`;
      if (isOfAlert(target)) return { kind: target.kind, ...(target.kind === "SITE" && roleOf(target)) };
      if (target.id === undefined) throw invalid(`${field}.id`, "Choose who is told.");
      return { kind: target.kind, id: target.id };
    }),
  }));
}

const roleOf = ({ role }: RuleTarget) => role !== undefined && { role };

/** Whom it means depends on the alert. */
const isOfAlert = ({ kind }: RuleTarget) => kind === "PARTNER" || kind === "SITE";

/** A subscription tells its person: by these contact points, or by all of them. */
function ownSteps({ userId }: Viewer, { contact_point_ids: ids }: SubscriptionBody): RuleStep[] {
  const points = ids.map((id) => ({ kind: "CONTACT_POINT", id }) as const);
  return [{ after_minutes: 0, to: points.length === 0 ? [{ kind: "PERSON", id: userId }] : points }];
}

function contactPointsIn(steps: readonly RuleStep[]): number[] {
  return steps.flatMap(({ to }) => to).flatMap(({ kind, id }) => (kind === "CONTACT_POINT" && id ? [id] : []));
}

/**
 * The names of whom the steps tell, which cannot be deleted while this transaction lasts. Throws 400 with the field that
 * names something unknown to the viewer; `userId` is whose subscription it is.
 */
async function requireNamed(
  viewer: Viewer,
  tx: Tx,
  { filter, steps }: RuleContent,
  userId: number | null,
): Promise<ReadonlyMap<string, string>> {
  const missing = await findMissingSites(viewer, tx, filter.site_ids);
  if (missing[0] !== undefined) {
    const nth = filter.site_ids.indexOf(missing[0]);
    throw invalid(`filter.site_ids.${nth}`, "There is no such site.", "SITE_NOT_FOUND");
  }
  const isAdmin = viewer.role === "SUPER_ADMIN";
  const partners = isAdmin
    ? await findMissingPartners(tx, filter.partner_ids)
    : filter.partner_ids.filter((id) => id !== viewer.partnerId);
  if (partners[0] !== undefined) {
    const nth = filter.partner_ids.indexOf(partners[0]);
    throw invalid(`filter.partner_ids.${nth}`, "There is no such partner.", "PARTNER_NOT_FOUND");
  }
  if (userId !== null) {
    const ids = contactPointsIn(steps);
    const [other] = await findOthersContactPoints(tx, ids, userId);
    if (other !== undefined) {
      const field = `contact_point_ids.${ids.indexOf(other)}`;
      throw invalid(field, "This is none of your contact points.", "CONTACT_POINT_NOT_FOUND");
    }
  }
  const names = await readTargetNames(tx, steps, "for share");
  for (const [nth, { to }] of steps.entries()) {
    const index = to.findIndex((target) => !isOfAlert(target) && !names.has(targetKey(target)));
    const target = to[index];
    if (target === undefined) continue;
    throw invalid(`steps.${nth}.to.${index}.id`, `There is no such ${targetWords[target.kind]}.`);
  }
  return names;
}

async function findMissingSites(viewer: Viewer, db: Executor, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const seen = await visibleSites(viewer, db).select("sites.id").where("sites.id", "=", anyInt(ids)).execute();
  return ids.filter((id) => !seen.some((site) => site.id === id));
}

const targetWords: Readonly<Record<RuleTarget["kind"], string>> = {
  CONTACT_POINT: "contact point",
  PERSON: "person",
  TEAM: "team",
  ROTA: "rota",
  PARTNER: "partner",
  SITE: "site",
};
const siteWords = { OWNER: "Site owner", CARETAKER: "Site caretaker" } as const;

/** Whom each step tells, in words; null for what no longer exists. */
function toldBy(steps: readonly RuleStep[], names: ReadonlyMap<string, string>): (string | null)[][] {
  return steps.map(({ to }) =>
    to.map((target) => {
      if (target.kind === "PARTNER") return "Maintenance partner";
      if (target.kind === "SITE") return target.role === undefined ? "Site contacts" : siteWords[target.role];
      return names.get(targetKey(target)) ?? null;
    }),
  );
}

/** What the audit tells of a rule: whom it tells by name. */
function audited(rule: RuleContent, names: ReadonlyMap<string, string>): object {
  const { steps, ...content } = contentOf(rule, rule.steps);
  const told = toldBy(steps, names);
  return {
    ...content,
    steps: steps.map(({ after_minutes }, nth) => ({ after_minutes, tells: told[nth] ?? [] })),
  };
}
