import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  type ContactPoint,
  contactPointList,
  createContactPoint,
  deleteContactPoint,
  notificationOptions,
  replaceSigningSecret,
  testContactPoint,
  updateContactPoint,
} from "@suncrew/contract/notifications/contact-points.ts";
import { type Delivery, deliveryList, resendDelivery } from "@suncrew/contract/notifications/deliveries.ts";
import {
  createNotificationRule,
  createRota,
  createSubscription,
  createTeam,
  deleteNotificationRule,
  deleteRota,
  deleteSubscription,
  deleteTeam,
  type NotificationRule,
  notificationRules,
  type Rota,
  rotaList,
  type Subscription,
  subscriptionList,
  type Team,
  teamList,
  updateNotificationRule,
  updateRota,
  updateSubscription,
  updateTeam,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { call } from "../../platform/api/call.ts";
import { change, type Changed, type Refusal, refusalIn, refusalOf } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import type { NewSecret } from "../../platform/signing-secret-dialog.tsx";
import type { Toast } from "../../platform/toast.tsx";

/** None of this is part of the live stream: changes of other users and windows are polled for. */
const REFETCH_INTERVAL_MS = 10_000;

/** All contact points that the caller may see, or only the caller's own. */
export function contactPointsQuery(isMine: boolean) {
  const query = isMine ? ({ mine: "true" } as const) : {};
  return { ...routeQuery(contactPointList, { query }), refetchInterval: REFETCH_INTERVAL_MS };
}

export const optionsQuery = { ...routeQuery(notificationOptions, {}), staleTime: 60_000 };
export const rulesQuery = { ...routeQuery(notificationRules, {}), refetchInterval: REFETCH_INTERVAL_MS };
export const subscriptionsQuery = { ...routeQuery(subscriptionList, {}), refetchInterval: REFETCH_INTERVAL_MS };
export const teamsQuery = { ...routeQuery(teamList, {}), refetchInterval: REFETCH_INTERVAL_MS };
export const rotasQuery = { ...routeQuery(rotaList, {}), refetchInterval: REFETCH_INTERVAL_MS };

/** What was edited, and the version that the edit started from; null for a new one. */
export type Edited = { readonly id: number; readonly version: number } | null;

interface Words {
  /** "contact point": in sentences. */
  readonly what: string;
  /** "Contact Point": in titles. */
  readonly title: string;
}

const POINT: Words = { what: "contact point", title: "Contact Point" };
const RULE: Words = { what: "rule", title: "Rule" };
const SUBSCRIPTION: Words = { what: "subscription", title: "Subscription" };
const TEAM: Words = { what: "team", title: "Team" };
const ROTA: Words = { what: "rota", title: "Rota" };

/** Names are shown in rules, and rules tell how many contact points somebody has. */
const pointKeys = [contactPointList, notificationOptions, notificationRules, subscriptionList].map((route) =>
  queryKeyOf(route),
);
const ruleKeys = [queryKeyOf(notificationRules)];
const subscriptionKeys = [queryKeyOf(subscriptionList)];
const teamKeys = [teamList, contactPointList, notificationRules].map((route) => queryKeyOf(route));
const rotaKeys = [rotaList, notificationRules].map((route) => queryKeyOf(route));

function savedToast({ title }: Words, name: string, edited: Edited): Toast {
  return edited === null
    ? { title: `${title} Added`, message: `${name} has been added.` }
    : { title: `${title} Updated`, message: `${name} has been updated.` };
}

function failedToast({ what, title }: Words, edited: Edited): Toast {
  return edited === null
    ? { title: `${title} Not Added`, message: `Failed to add the ${what}. Please try again.` }
    : { title: `${title} Not Updated`, message: `Failed to update the ${what}. Please try again.` };
}

async function remove(words: Words, name: string, invalidates: readonly (readonly unknown[])[], send: () => unknown) {
  const outcome = await change({
    send: async () => send(),
    invalidates,
    success: { title: `${words.title} Deleted`, message: `${name} has been deleted.` },
    failure: null,
  });
  return refusalIn(outcome, `Failed to delete the ${words.what}. Please try again.`);
}

/** The fields of a contact point that stay editable: its owner and channel do not change. */
export type ContactPointBody = BodyOf<typeof createContactPoint>;

/** Answers a secret only for a new webhook. */
export function saveContactPoint(
  edited: Edited,
  { owner, ...fields }: ContactPointBody,
): Promise<Changed<NewSecret | null>> {
  return change<NewSecret | null>({
    send: async () => {
      if (edited === null) {
        const { signing_secret: secret } = await call(createContactPoint, { body: { owner, ...fields } });
        return secret === null ? null : { name: fields.name, secret };
      }
      const params = { contactPointId: edited.id };
      await call(updateContactPoint, { params, body: { ...fields, version: edited.version } });
      return null;
    },
    invalidates: pointKeys,
    hasConflictForm: true,
    success: savedToast(POINT, fields.name, edited),
    failure: failedToast(POINT, edited),
  });
}

/** Returns why it was refused, or null once it is deleted. */
export function removeContactPoint({ id, name }: ContactPoint): Promise<Refusal | null> {
  return remove(POINT, name, pointKeys, () => call(deleteContactPoint, { params: { contactPointId: id } }));
}

/** What the service answered to a test message, or why none was sent. Shown in place, so that it can be read. */
export async function sendTest({ id }: ContactPoint): Promise<ResponseOf<typeof testContactPoint>> {
  const outcome = await change({
    send: () => call(testContactPoint, { params: { contactPointId: id } }),
    invalidates: [queryKeyOf(contactPointList)],
    success: null,
    failure: null,
  });
  if (outcome.kind === "done") return outcome.answer;
  const failure = "The test message was not sent. Please try again.";
  return {
    delivered: false,
    message: outcome.kind === "conflict" ? failure : refusalOf(outcome.error, failure).reason,
  };
}

/** The new secret; null if it failed. */
export async function renewSigningSecret({ id, name }: ContactPoint): Promise<string | null> {
  const outcome = await change({
    send: () => call(replaceSigningSecret, { params: { contactPointId: id } }),
    invalidates: [queryKeyOf(contactPointList)],
    success: null,
    failure: {
      title: "Signing Secret Not Replaced",
      message: `${name} keeps its signing secret. Please try again.`,
    },
  });
  return outcome.kind === "done" ? outcome.answer.signing_secret : null;
}

export type RuleBody = BodyOf<typeof createNotificationRule>;

export function saveRule(edited: Edited, body: RuleBody): Promise<Changed<unknown>> {
  return change<unknown>({
    send: () =>
      edited === null
        ? call(createNotificationRule, { body })
        : call(updateNotificationRule, { params: { ruleId: edited.id }, body: { ...body, version: edited.version } }),
    invalidates: ruleKeys,
    hasConflictForm: true,
    success: savedToast(RULE, body.name, edited),
    failure: failedToast(RULE, edited),
  });
}

/** Switches a rule on or off. */
export async function enableRule(rule: NotificationRule, enabled: boolean): Promise<void> {
  const { id, version, target_names: _, ...body } = rule;
  await change({
    send: () => call(updateNotificationRule, { params: { ruleId: id }, body: { ...body, enabled, version } }),
    invalidates: ruleKeys,
    success: { title: "Rule Updated", message: `${rule.name} is ${enabled ? "on" : "off"} now.` },
    failure: failedToast(RULE, rule),
  });
}

/** Returns why it was refused, or null once it is deleted. */
export function removeRule({ id, name }: NotificationRule): Promise<Refusal | null> {
  return remove(RULE, name, ruleKeys, () => call(deleteNotificationRule, { params: { ruleId: id } }));
}

export type SubscriptionBody = BodyOf<typeof createSubscription>;

export function saveSubscription(edited: Edited, body: SubscriptionBody): Promise<Changed<unknown>> {
  return change<unknown>({
    send: () =>
      edited === null
        ? call(createSubscription, { body })
        : call(updateSubscription, {
            params: { subscriptionId: edited.id },
            body: { ...body, version: edited.version },
          }),
    invalidates: subscriptionKeys,
    hasConflictForm: true,
    success: savedToast(SUBSCRIPTION, body.name, edited),
    failure: failedToast(SUBSCRIPTION, edited),
  });
}

/** Switches a subscription on or off. */
export async function enableSubscription(subscription: Subscription, enabled: boolean): Promise<void> {
  const { id, version, ...body } = subscription;
  await change({
    send: () => call(updateSubscription, { params: { subscriptionId: id }, body: { ...body, enabled, version } }),
    invalidates: subscriptionKeys,
    success: { title: "Subscription Updated", message: `${subscription.name} is ${enabled ? "on" : "off"} now.` },
    failure: failedToast(SUBSCRIPTION, subscription),
  });
}

/** Returns why it was refused, or null once it is deleted. */
export function removeSubscription({ id, name }: Subscription): Promise<Refusal | null> {
  return remove(SUBSCRIPTION, name, subscriptionKeys, () =>
    call(deleteSubscription, { params: { subscriptionId: id } }),
  );
}

export type TeamBody = BodyOf<typeof createTeam>;

export function saveTeam(edited: Edited, body: TeamBody): Promise<Changed<unknown>> {
  return change<unknown>({
    send: () =>
      edited === null
        ? call(createTeam, { body })
        : call(updateTeam, { params: { teamId: edited.id }, body: { ...body, version: edited.version } }),
    invalidates: teamKeys,
    hasConflictForm: true,
    success: savedToast(TEAM, body.name, edited),
    failure: failedToast(TEAM, edited),
  });
}

/** Returns why it was refused, or null once it is deleted. */
export function removeTeam({ id, name }: Team): Promise<Refusal | null> {
  return remove(TEAM, name, teamKeys, () => call(deleteTeam, { params: { teamId: id } }));
}

export type RotaBody = BodyOf<typeof createRota>;

export function saveRota(edited: Edited, body: RotaBody): Promise<Changed<unknown>> {
  return change<unknown>({
    send: () =>
      edited === null
        ? call(createRota, { body })
        : call(updateRota, { params: { rotaId: edited.id }, body: { ...body, version: edited.version } }),
    invalidates: rotaKeys,
    hasConflictForm: true,
    success: savedToast(ROTA, body.name, edited),
    failure: failedToast(ROTA, edited),
  });
}

/** Returns why it was refused, or null once it is deleted. */
export function removeRota({ id, name }: Rota): Promise<Refusal | null> {
  return remove(ROTA, name, rotaKeys, () => call(deleteRota, { params: { rotaId: id } }));
}

/** Only what was given up or dropped can be sent again. */
export const mayResend = ({ status }: Pick<Delivery, "status">) => status === "FAILED" || status === "DROPPED";

/** Whether a new message is on its way. */
export async function resend({ id, told }: Delivery): Promise<boolean> {
  const outcome = await change({
    send: () => call(resendDelivery, { params: { deliveryId: id } }),
    invalidates: [queryKeyOf(deliveryList)],
    success: { title: "Message Sent Again", message: `A new message to ${told} is on its way.` },
    failure: { title: "Message Not Sent", message: `Nothing new was sent to ${told}. Please try again.` },
  });
  return outcome.kind === "done";
}
