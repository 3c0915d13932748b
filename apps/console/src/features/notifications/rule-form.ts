import { type Severity, severitySchema } from "@suncrew/contract/alerts/severity.ts";
import {
  type AlertKind,
  type NotificationRule,
  RULE_NAME_MAX,
  RULE_REPEAT_MAX_MINUTES,
  RULE_REPEAT_MIN_MINUTES,
  RULE_STEP_MAX_MINUTES,
  RULE_WAIT_MAX_SECONDS,
  type RuleStep,
  type RuleTarget,
  ruleTargetKindSchema,
  type Subscription,
} from "@suncrew/contract/notifications/notification-rules.ts";
import type { EntityRules, FieldProblems } from "../../platform/form/entity-form.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";
import { severityLook } from "../alerts/public.ts";
import type { RuleBody, SubscriptionBody } from "./notification-calls.ts";
import { alertKindWord } from "./notification-looks.ts";

/** Numbers as typed. */
export interface DraftStep {
  readonly afterMinutes: string;
  /** As `targetKey` names them. */
  readonly to: readonly string[];
}

export interface RuleDraft {
  readonly name: string;
  readonly enabled: boolean;
  readonly severities: readonly Severity[];
  readonly kinds: readonly AlertKind[];
  readonly siteIds: readonly number[];
  readonly states: readonly string[];
  readonly partnerIds: readonly number[];
  readonly waitSeconds: string;
  readonly steps: readonly DraftStep[];
  /** Empty for never. */
  readonly repeatMinutes: string;
  readonly tellsCleared: boolean;
}

export type RuleField = keyof RuleDraft;

/** A target as a choice's value: "PERSON:3", "SITE::OWNER", "PARTNER". */
export function targetKey({ kind, id, role }: RuleTarget): string {
  return [kind, id ?? "", role ?? ""].join(":").replace(/:+$/, "");
}

export function targetOf(key: string): RuleTarget {
  const [kind, id = "", role = ""] = key.split(":");
  return {
    kind: ruleTargetKindSchema.parse(kind),
    ...(id !== "" && { id: Number(id) }),
    ...((role === "OWNER" || role === "CARETAKER") && { role }),
  };
}

/** A new rule tells the worst, once a minute has shown what belongs together. */
export const newRule: RuleDraft = {
  name: "",
  enabled: true,
  severities: ["CRITICAL"],
  kinds: [],
  siteIds: [],
  states: [],
  partnerIds: [],
  waitSeconds: "60",
  steps: [{ afterMinutes: "0", to: [] }],
  repeatMinutes: "",
  tellsCleared: true,
};

export function storedRule(rule: NotificationRule): StoredForm<RuleDraft> {
  const { filter } = rule;
  const form: RuleDraft = {
    name: rule.name,
    enabled: rule.enabled,
    severities: filter.severities,
    kinds: filter.kinds,
    siteIds: filter.site_ids,
    states: filter.states,
    partnerIds: filter.partner_ids,
    waitSeconds: String(rule.wait_seconds),
    steps: rule.steps.map(({ after_minutes, to }) => ({
      afterMinutes: String(after_minutes),
      to: to.map((target) => targetKey(target)),
    })),
    repeatMinutes: rule.repeat_minutes === null ? "" : String(rule.repeat_minutes),
    tellsCleared: rule.tells_cleared,
  };
  return { form, version: rule.version };
}

export function ruleBodyOf(draft: RuleDraft): RuleBody {
  return {
    name: draft.name.trim(),
    enabled: draft.enabled,
    filter: {
      kinds: [...draft.kinds],
      severities: severitySchema.options.filter((severity) => draft.severities.includes(severity)),
      site_ids: [...draft.siteIds],
      states: [...draft.states],
      partner_ids: [...draft.partnerIds],
    },
    wait_seconds: Number(draft.waitSeconds),
    steps: draft.steps.map(({ afterMinutes, to }, index): RuleStep => ({
      after_minutes: index === 0 ? 0 : Number(afterMinutes),
      to: to.map(targetOf),
    })),
    repeat_minutes: draft.repeatMinutes.trim() === "" ? null : Number(draft.repeatMinutes),
    tells_cleared: draft.tellsCleared,
  };
}

const isWhole = (text: string, min: number, max: number) =>
  /^\d{1,5}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;

export function ruleProblems(draft: RuleDraft): FieldProblems<RuleField> {
  const name = draft.name.trim();
  const steps = stepsProblem(draft.steps);
  const mayRepeat =
    draft.repeatMinutes.trim() === "" || isWhole(draft.repeatMinutes, RULE_REPEAT_MIN_MINUTES, RULE_REPEAT_MAX_MINUTES);
  return {
    ...(name === "" && { name: "Name is required" }),
    ...(name.length > RULE_NAME_MAX && { name: `Name must have at most ${RULE_NAME_MAX} characters` }),
    ...(!isWhole(draft.waitSeconds, 0, RULE_WAIT_MAX_SECONDS) && {
      waitSeconds: `Type a number from 0 to ${RULE_WAIT_MAX_SECONDS}`,
    }),
    ...(steps !== null && { steps }),
    ...(!mayRepeat && {
      repeatMinutes: `Type a number from ${RULE_REPEAT_MIN_MINUTES} to ${RULE_REPEAT_MAX_MINUTES}, or nothing`,
    }),
  };
}

function stepsProblem(steps: readonly DraftStep[]): string | null {
  for (const [index, { afterMinutes, to }] of steps.entries()) {
    if (index > 0 && !isWhole(afterMinutes, 1, RULE_STEP_MAX_MINUTES)) {
      return `Step ${index + 1}: type after how many minutes, from 1 to ${RULE_STEP_MAX_MINUTES}`;
    }
    if (index > 1 && Number(afterMinutes) <= Number(steps[index - 1]?.afterMinutes)) {
      return `Step ${index + 1} must come later than step ${index}`;
    }
    if (to.length === 0) return steps.length === 1 ? "Choose who is told" : `Step ${index + 1}: choose who is told`;
  }
  return null;
}

/** The steps with one of them told earlier (-1) or later (1): the minutes stay in their order. */
export function movedStep(steps: readonly DraftStep[], from: number, by: -1 | 1): readonly DraftStep[] {
  const order = steps.map(({ to }) => to);
  const [moved] = order.splice(from, 1);
  if (moved !== undefined) order.splice(from + by, 0, moved);
  return steps.map(({ afterMinutes }, index) => ({ afterMinutes, to: order[index] ?? [] }));
}

const LABELS: Record<RuleField, string> = {
  name: "Name",
  enabled: "On",
  severities: "Severities",
  kinds: "Kinds",
  siteIds: "Sites",
  states: "States",
  partnerIds: "Partners",
  waitSeconds: "Wait",
  steps: "Whom it tells",
  repeatMinutes: "Repeat",
  tellsCleared: "All-clear",
};

const WIRE_FIELDS: Readonly<Record<string, RuleField>> = {
  name: "name",
  enabled: "enabled",
  "filter.severities": "severities",
  "filter.kinds": "kinds",
  "filter.site_ids": "siteIds",
  "filter.states": "states",
  "filter.partner_ids": "partnerIds",
  wait_seconds: "waitSeconds",
  repeat_minutes: "repeatMinutes",
  tells_cleared: "tellsCleared",
};

/** The server names one of a list by its place: `steps.1.to.0.id`, `filter.site_ids.2`. */
function fieldOf(wire: string): RuleField | null {
  if (wire.startsWith("steps")) return "steps";
  return WIRE_FIELDS[wire.replace(/\.\d+$/, "")] ?? null;
}

/** For comparing: but for the steps, the order of a list means nothing. */
function plain(draft: RuleDraft, field: RuleField): string {
  const value = draft[field];
  if (typeof value === "string" || typeof value === "boolean") return String(value).trim();
  return JSON.stringify(field === "steps" ? draft.steps : value.map(String).toSorted());
}

export const ruleRules: EntityRules<RuleDraft, RuleField> = {
  units: [
    ["name"],
    ["enabled"],
    ["severities"],
    ["kinds"],
    ["siteIds"],
    ["states"],
    ["partnerIds"],
    ["waitSeconds"],
    ["steps"],
    ["repeatMinutes"],
    ["tellsCleared"],
  ],
  isSame: (one, other, field) => plain(one, field) === plain(other, field),
  labelOf: (field) => LABELS[field],
  fieldOf,
  textOf: (draft, field) => {
    switch (field) {
      case "kinds":
        return draft.kinds.map((kind) => alertKindWord[kind]).join(", ");
      case "severities":
        return draft.severities.map((severity) => severityLook[severity].label).join(", ");
      case "states":
        return draft.states.join(", ");
      case "siteIds":
      case "partnerIds":
        return `${draft[field].length} chosen`;
      case "steps":
        return draft.steps.map(({ afterMinutes, to }) => `after ${afterMinutes} min ${to.length} chosen`).join("; ");
      case "enabled":
      case "tellsCleared":
        return draft[field] ? "Yes" : "No";
      case "name":
      case "waitSeconds":
      case "repeatMinutes":
        return draft[field].trim();
    }
  },
};

// A person's own subscription is a rule of one step, which tells their own contact points: none of them stands for all.

export function storedSubscription(subscription: Subscription): StoredForm<RuleDraft> {
  const { contact_point_ids: ids, ...rule } = subscription;
  const to = ids.map((id): RuleTarget => ({ kind: "CONTACT_POINT", id }));
  return storedRule({ ...rule, steps: [{ after_minutes: 0, to }], target_names: [] });
}

export function subscriptionBodyOf(draft: RuleDraft): SubscriptionBody {
  const { steps, ...body } = ruleBodyOf(draft);
  return { ...body, contact_point_ids: steps.flatMap(({ to }) => to.flatMap(({ id }) => id ?? [])) };
}

export function subscriptionProblems(draft: RuleDraft): FieldProblems<RuleField> {
  const { steps: _, ...problems } = ruleProblems(draft);
  return problems;
}

export const subscriptionRules: EntityRules<RuleDraft, RuleField> = {
  ...ruleRules,
  labelOf: (field) => (field === "steps" ? "Contact points" : LABELS[field]),
  fieldOf: (wire) => (wire.startsWith("contact_point_ids") ? "steps" : fieldOf(wire)),
  textOf: (draft, field) => {
    if (field !== "steps") return ruleRules.textOf(draft, field);
    const chosen = draft.steps[0]?.to.length ?? 0;
    return chosen === 0 ? "All" : `${chosen} chosen`;
  },
};
