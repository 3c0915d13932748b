import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { defineRoute } from "../http/route.ts";
import { requiredText } from "../http/text.ts";
import { dateSchema, dayInputSchema, idInputSchema, idSchema, instantSchema, versionSchema } from "../http/values.ts";
import { siteRoleSchema, timeOfDaySchema, timezoneInputSchema } from "./contact-points.ts";

/** What an alert is about, as rules choose it. */
export const alertKindSchema = z.enum([
  "LOST_WHILE_MOVING",
  "STUCK",
  "ROBOT_FAULT",
  "RUN_FAILED",
  "RUN_MISSED",
  "RUN_SKIPPED",
  "LOW_BATTERY",
  "OFFLINE_TOO_LONG",
  "SITE_DARK",
  "SITE_SOILED",
  "WEATHER",
  "COMMAND_UNCONFIRMED",
  "ROLLOUT_PAUSED",
  "AUDIT_CHAIN",
  "REPORT",
  "STORAGE",
  "SIGN_IN",
  "CHANNEL",
  "SERVER",
]);
export type AlertKind = z.output<typeof alertKindSchema>;

export const RULE_NAME_MAX = 80;
export const RULE_STEPS_MAX = 5;
export const RULE_TARGETS_MAX = 20;
export const RULE_WAIT_MAX_SECONDS = 3_600;
export const RULE_STEP_MAX_MINUTES = 1_440;
export const RULE_REPEAT_MIN_MINUTES = 5;
export const RULE_REPEAT_MAX_MINUTES = 1_440;

const distinct = <T extends z.ZodType<string | number>>(schema: T, max: number) =>
  z
    .array(schema)
    .max(max)
    .refine((list) => new Set(list).size === list.length, "must name each once");

/** Which alerts a rule is about; an empty list means all. */
export const ruleFilterSchema = z.object({
  kinds: z.array(alertKindSchema),
  severities: z.array(severitySchema),
  site_ids: z.array(idSchema),
  /** The states of sites, as their addresses have them. */
  states: z.array(z.string()),
  partner_ids: z.array(idSchema),
});
const ruleFilterInputSchema = z.object({
  kinds: distinct(alertKindSchema, alertKindSchema.options.length),
  severities: distinct(severitySchema, severitySchema.options.length),
  site_ids: distinct(idInputSchema, 500),
  states: distinct(requiredText("A state is required", 100), 100),
  partner_ids: distinct(idInputSchema, 100),
});
export type RuleFilter = z.output<typeof ruleFilterSchema>;

export const ruleTargetKindSchema = z.enum(["CONTACT_POINT", "PERSON", "TEAM", "ROTA", "PARTNER", "SITE"]);

/** Whom a step tells. PARTNER is the partner that maintains the alert's site, SITE that site's own contacts. */
export const ruleTargetSchema = z.object({
  kind: ruleTargetKindSchema,
  /** Of a contact point, person, team or rota; none for PARTNER and SITE. */
  id: idSchema.optional(),
  /** Of SITE; all of the site's contacts without it. */
  role: siteRoleSchema.optional(),
});
export type RuleTarget = z.output<typeof ruleTargetSchema>;

export const ruleStepSchema = z.object({
  /** Minutes without acknowledgement since the first step; 0 for the first. */
  after_minutes: z.int().min(0).max(RULE_STEP_MAX_MINUTES),
  to: z.array(ruleTargetSchema),
});
const ruleStepInputSchema = ruleStepSchema.extend({
  to: z
    .array(ruleTargetSchema.extend({ id: idInputSchema.optional() }))
    .min(1, "must name somebody")
    .max(RULE_TARGETS_MAX),
});
export type RuleStep = z.output<typeof ruleStepSchema>;

/** How a rule tells. */
const tellingFields = {
  enabled: z.boolean(),
  /** How long alerts are collected before one message tells them all. */
  wait_seconds: z.int().min(0).max(RULE_WAIT_MAX_SECONDS),
  /** Repeats while nobody acknowledges; null for never. */
  repeat_minutes: z.int().min(RULE_REPEAT_MIN_MINUTES).max(RULE_REPEAT_MAX_MINUTES).nullable(),
  /** Whether whoever was told is also told that it is over. */
  tells_cleared: z.boolean(),
};

const ruleFields = {
  name: requiredText("Name is required", RULE_NAME_MAX),
  filter: ruleFilterInputSchema,
  ...tellingFields,
  steps: z
    .array(ruleStepInputSchema)
    .min(1)
    .max(RULE_STEPS_MAX)
    .refine(([first]) => first?.after_minutes === 0, "must begin with a step after 0 minutes")
    .refine(
      (steps) =>
        steps.every((step, index) => index === 0 || step.after_minutes > (steps[index - 1]?.after_minutes ?? 0)),
      "must be in the order of their minutes",
    ),
};

export const notificationRuleSchema = z.object({
  id: idSchema,
  name: z.string(),
  filter: ruleFilterSchema,
  ...tellingFields,
  steps: z.array(ruleStepSchema),
  /** Targets as people know them, in the order of the steps; null for what no longer exists. */
  target_names: z.array(z.array(z.string().nullable())),
  version: versionSchema,
});
export type NotificationRule = z.output<typeof notificationRuleSchema>;

const ruleParams = z.object({ ruleId: idInputSchema });
const answered = z.object({ message: z.string() });

export const notificationRules = defineRoute({
  summary: "The rules of this installation: which alerts are told to whom, and when",
  method: "GET",
  path: "/api/notifications/rules",
  response: z.array(notificationRuleSchema),
});

export const createNotificationRule = defineRoute({
  summary: "Add a rule",
  method: "POST",
  path: "/api/notifications/rules",
  body: z.object(ruleFields),
  status: 201,
  response: z.object({ message: z.string(), ruleId: idSchema }),
});

export const updateNotificationRule = defineRoute({
  summary: "Change a rule",
  method: "PUT",
  path: "/api/notifications/rules/:ruleId",
  params: ruleParams,
  body: z.object({ ...ruleFields, version: versionSchema.optional() }),
  response: answered,
});

export const deleteNotificationRule = defineRoute({
  summary: "Delete a rule; what it still would have told is not told",
  method: "DELETE",
  path: "/api/notifications/rules/:ruleId",
  params: ruleParams,
  response: answered,
});

const subscriptionFields = {
  name: requiredText("Name is required", RULE_NAME_MAX),
  filter: ruleFilterInputSchema,
  ...tellingFields,
  /** The person's own contact points; empty for all of them. */
  contact_point_ids: distinct(idInputSchema, RULE_TARGETS_MAX),
};

export const subscriptionSchema = z.object({
  id: idSchema,
  name: z.string(),
  filter: ruleFilterSchema,
  ...tellingFields,
  contact_point_ids: z.array(idSchema),
  version: versionSchema,
});
export type Subscription = z.output<typeof subscriptionSchema>;

export const SUBSCRIPTIONS_PER_USER = 20;
const subscriptionParams = z.object({ subscriptionId: idInputSchema });

export const subscriptionList = defineRoute({
  summary: "The alerts that the caller wants to be told of",
  method: "GET",
  path: "/api/notifications/subscriptions",
  response: z.array(subscriptionSchema),
});

export const createSubscription = defineRoute({
  summary: `Subscribe to alerts of one's sites; each person may have ${SUBSCRIPTIONS_PER_USER} subscriptions`,
  method: "POST",
  path: "/api/notifications/subscriptions",
  body: z.object(subscriptionFields),
  status: 201,
  response: z.object({ message: z.string(), subscriptionId: idSchema }),
});

export const updateSubscription = defineRoute({
  summary: "Change an own subscription",
  method: "PUT",
  path: "/api/notifications/subscriptions/:subscriptionId",
  params: subscriptionParams,
  body: z.object({ ...subscriptionFields, version: versionSchema.optional() }),
  response: answered,
});

export const deleteSubscription = defineRoute({
  summary: "Delete an own subscription",
  method: "DELETE",
  path: "/api/notifications/subscriptions/:subscriptionId",
  params: subscriptionParams,
  response: answered,
});

// Teams and rotas

export const TEAM_NAME_MAX = 80;
export const TEAM_MEMBERS_MAX = 50;
const memberSchema = z.object({ user_id: idSchema, name: z.string() });
const memberIds = distinct(idInputSchema, TEAM_MEMBERS_MAX).min(1, "must have a member");

export const teamSchema = z.object({
  id: idSchema,
  name: z.string(),
  members: z.array(memberSchema),
  version: versionSchema,
});
export type Team = z.output<typeof teamSchema>;

const teamParams = z.object({ teamId: idInputSchema });
const teamFields = { name: requiredText("Name is required", TEAM_NAME_MAX), member_ids: memberIds };

export const teamList = defineRoute({
  summary: "The teams that rules can tell",
  method: "GET",
  path: "/api/notifications/teams",
  response: z.array(teamSchema),
});

export const createTeam = defineRoute({
  summary: "Add a team",
  method: "POST",
  path: "/api/notifications/teams",
  body: z.object(teamFields),
  status: 201,
  response: z.object({ message: z.string(), teamId: idSchema }),
});

export const updateTeam = defineRoute({
  summary: "Change a team",
  method: "PUT",
  path: "/api/notifications/teams/:teamId",
  params: teamParams,
  body: z.object({ ...teamFields, version: versionSchema.optional() }),
  response: answered,
});

export const deleteTeam = defineRoute({
  summary: "Delete a team that no rule tells",
  method: "DELETE",
  path: "/api/notifications/teams/:teamId",
  params: teamParams,
  response: answered,
});

/** Who is on duty, week by week. */
const rotaTimes = {
  timezone: timezoneInputSchema,
  /** The day of the first handover; later ones fall on the same day of the week. */
  starts_on: dayInputSchema("The first day"),
  handover_at: timeOfDaySchema,
  /** Weeks of each turn. */
  weeks: z.int().min(1).max(8),
};

export const rotaSchema = z.object({
  id: idSchema,
  name: z.string(),
  ...rotaTimes,
  starts_on: dateSchema,
  /** In the order of their turns; in the place of somebody who was removed is null, and the next one stands in. */
  members: z.array(memberSchema.nullable()),
  on_duty: memberSchema.extend({ until: instantSchema }).nullable(),
  version: versionSchema,
});
export type Rota = z.output<typeof rotaSchema>;

const rotaParams = z.object({ rotaId: idInputSchema });
const rotaFields = { name: requiredText("Name is required", TEAM_NAME_MAX), ...rotaTimes, member_ids: memberIds };

export const rotaList = defineRoute({
  summary: "The rotas that rules can tell, and who is on duty",
  method: "GET",
  path: "/api/notifications/rotas",
  response: z.array(rotaSchema),
});

export const createRota = defineRoute({
  summary: "Add a rota",
  method: "POST",
  path: "/api/notifications/rotas",
  body: z.object(rotaFields),
  status: 201,
  response: z.object({ message: z.string(), rotaId: idSchema }),
});

export const updateRota = defineRoute({
  summary: "Change a rota",
  method: "PUT",
  path: "/api/notifications/rotas/:rotaId",
  params: rotaParams,
  body: z.object({ ...rotaFields, version: versionSchema.optional() }),
  response: answered,
});

export const deleteRota = defineRoute({
  summary: "Delete a rota that no rule tells",
  method: "DELETE",
  path: "/api/notifications/rotas/:rotaId",
  params: rotaParams,
  response: answered,
});
