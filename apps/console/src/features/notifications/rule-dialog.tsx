import "@mantine/core/styles/Switch.layer.css";
import { ActionIcon, Group, Stack, Switch, TextInput } from "@mantine/core";
import {
  type NotificationRule,
  RULE_NAME_MAX,
  RULE_STEPS_MAX,
  RULE_TARGETS_MAX,
  type Subscription,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { IconChevronDown, IconChevronUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { EntityForm } from "../../platform/form/entity-form.ts";
import type { RowDialogProps } from "../../platform/form/row-dialogs.tsx";
import { NameField, RowFormDialog, useRowForm } from "../../platform/form/row-form.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import shared from "../../ui/shared.module.css";
import {
  contactPointsQuery,
  optionsQuery,
  rotasQuery,
  saveRule,
  saveSubscription,
  teamsQuery,
} from "./notification-calls.ts";
import { channelLook } from "./notification-looks.ts";
import classes from "./rule-dialog.module.css";
import { Part, RuleAfterwards, RuleFilter, RuleWait, Wrong } from "./rule-parts.tsx";
import {
  type DraftStep,
  movedStep,
  newRule,
  ruleBodyOf,
  type RuleDraft,
  type RuleField,
  ruleProblems,
  ruleRules,
  storedRule,
  storedSubscription,
  subscriptionBodyOf,
  subscriptionProblems,
  subscriptionRules,
  targetKey,
  targetOf,
} from "./rule-form.ts";
import { useReach } from "./rule-words.ts";

type Form = EntityForm<RuleDraft, RuleField>;

/** Which alerts, whom, and when: for Super Admins. */
export function RuleDialog({ row: rule, isDeleted, onClose }: RowDialogProps<NotificationRule>) {
  const state = useRowForm<RuleDraft, RuleField, unknown>({
    what: "rule",
    stored: rule === null ? { form: newRule, version: 0 } : storedRule(rule),
    isNew: rule === null,
    isDeleted,
    rules: ruleRules,
    problemsOf: ruleProblems,
    save: (draft, version) => saveRule(rule && { id: rule.id, version }, ruleBodyOf(draft)),
    onSaved: onClose,
  });
  return (
    <RuleFormDialog state={state} shownBy={["tab"]} onClose={onClose}>
      <Steps state={state} />
    </RuleFormDialog>
  );
}

/** Which alerts somebody wants to be told of, and where. */
export function SubscriptionDialog({ row: subscription, isDeleted, onClose }: RowDialogProps<Subscription>) {
  const state = useRowForm<RuleDraft, RuleField, unknown>({
    what: "subscription",
    stored: subscription === null ? { form: newRule, version: 0 } : storedSubscription(subscription),
    isNew: subscription === null,
    isDeleted,
    rules: subscriptionRules,
    problemsOf: subscriptionProblems,
    save: (draft, version) =>
      saveSubscription(subscription && { id: subscription.id, version }, subscriptionBodyOf(draft)),
    onSaved: onClose,
  });
  return (
    <RuleFormDialog state={state} onClose={onClose}>
      <OwnContactPoints state={state} />
    </RuleFormDialog>
  );
}

interface RuleFormDialogProps {
  readonly state: Form;
  readonly shownBy?: readonly string[];
  readonly onClose: () => void;
  /** Whom it tells. */
  readonly children: ReactNode;
}

function RuleFormDialog({ state, children, ...dialog }: RuleFormDialogProps) {
  const { what, form, change } = state;
  return (
    <RowFormDialog state={state} size={720} {...dialog}>
      <Stack gap={16}>
        <NameField state={state} maxLength={RULE_NAME_MAX} />
        <RuleFilter state={state} />
        {children}
        <RuleAfterwards state={state} />
        <Switch
          label={`The ${what} is on`}
          checked={form.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </RowFormDialog>
  );
}

function OwnContactPoints({ state }: { readonly state: Form }) {
  const { form, change, problemAt } = state;
  const points = useQuery(contactPointsQuery(true)).data ?? [];
  const chosen = form.steps[0]?.to ?? [];
  const known = points.map(({ id, name, channel }) => ({
    value: targetKey({ kind: "CONTACT_POINT", id }),
    label: `${name} (${channelLook[channel].label})`,
  }));
  const gone = chosen.filter((key) => !known.some(({ value }) => value === key));
  return (
    <Part title="How I am told">
      <MultiChoice
        label="Contact points"
        placeholder="All of mine"
        nothingFoundMessage="None of yours has this name"
        maxValues={RULE_TARGETS_MAX}
        data={[...known, ...gone.map((value) => ({ value, label: "Deleted" }))]}
        value={[...chosen]}
        error={problemAt("steps")}
        onChange={(to) => change({ steps: [{ afterMinutes: "0", to }] })}
      />
      <RuleWait state={state} />
    </Part>
  );
}

function Steps({ state }: { readonly state: Form }) {
  const { form, change, problemAt } = state;
  const targets = useTargets(form.steps);
  const reaches = useReach();
  const problem = problemAt("steps");
  const setStep = (at: number, by: Partial<DraftStep>) =>
    change({ steps: form.steps.map((step, index) => (index === at ? { ...step, ...by } : step)) });
  const remove = (at: number) => change({ steps: form.steps.filter((_, index) => index !== at) });
  const add = () => {
    const last = Number(form.steps.at(-1)?.afterMinutes ?? 0);
    const afterMinutes = String(Number.isNaN(last) ? 10 : last + 10);
    change({ steps: [...form.steps, { afterMinutes, to: [] }] });
  };
  return (
    <Part title="Whom it tells">
      <RuleWait state={state} />
      <ol className={classes["steps"]}>
        {form.steps.map((step, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- its place: targets change places, minutes stay
          <li key={index} className={`${shared["box"]} ${classes["step"]}`}>
            <Group gap={8} justify="space-between" wrap="nowrap">
              {index === 0 ? (
                <span className={classes["label"]}>First</span>
              ) : (
                <span className={classes["after"]}>
                  After
                  <TextInput
                    size="xs"
                    w={64}
                    name={index === 1 ? "steps" : `steps.${index}`}
                    aria-label={`Step ${index + 1}: minutes without acknowledgement`}
                    inputMode="numeric"
                    autoComplete="off"
                    value={step.afterMinutes}
                    onChange={(event) => setStep(index, { afterMinutes: event.currentTarget.value })}
                    onBlur={() => state.touch("steps")}
                  />
                  min unacknowledged
                </span>
              )}
              <span className={classes["moves"]}>
                <DisabledReason reason={index === 0 ? "It is the first step." : null}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={30}
                    aria-label={`Move step ${index + 1} up`}
                    onClick={() => change({ steps: movedStep(form.steps, index, -1) })}
                  >
                    <IconChevronUp size={16} aria-hidden />
                  </ActionIcon>
                </DisabledReason>
                <DisabledReason reason={index === form.steps.length - 1 ? "It is the last step." : null}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={30}
                    aria-label={`Move step ${index + 1} down`}
                    onClick={() => change({ steps: movedStep(form.steps, index, 1) })}
                  >
                    <IconChevronDown size={16} aria-hidden />
                  </ActionIcon>
                </DisabledReason>
                <DisabledReason reason={form.steps.length === 1 ? "A rule has at least one step." : null}>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    size={30}
                    aria-label={`Remove step ${index + 1}`}
                    onClick={() => remove(index)}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                </DisabledReason>
              </span>
            </Group>
            <MultiChoice
              aria-label={`Step ${index + 1}: who is told`}
              maxValues={RULE_TARGETS_MAX}
              placeholder="Choose people, teams, rotas or contact points"
              nothingFoundMessage="Nobody has this name"
              data={targets}
              value={[...step.to]}
              onChange={(to) => setStep(index, { to })}
              onBlur={() => step.to.length > 0 && state.touch("steps")}
            />
            {step.to.length > 0 && !reaches({ to: step.to.map(targetOf) }) && (
              <p className={classes["warning"]}>
                Reaches nobody: none of them has a contact point that is switched on.
              </p>
            )}
          </li>
        ))}
      </ol>
      {problem !== null && <Wrong>{problem}</Wrong>}
      <DisabledReason
        reason={form.steps.length < RULE_STEPS_MAX ? null : `A rule has at most ${RULE_STEPS_MAX} steps.`}
      >
        <ToolButton icon={IconPlus} style={{ justifySelf: "start" }} onClick={add}>
          Add step
        </ToolButton>
      </DisabledReason>
    </Part>
  );
}

/** Everybody that a step can name, grouped; what is chosen and gone stays a choice. */
function useTargets(steps: readonly DraftStep[]) {
  const people = useQuery(optionsQuery).data?.people;
  const points = useQuery(contactPointsQuery(false)).data;
  const teams = useQuery(teamsQuery).data;
  const rotas = useQuery(rotasQuery).data;
  return useMemo(() => {
    const groups = [
      {
        group: "Of the alert's site",
        items: [
          { value: "PARTNER", label: "The site's partner" },
          { value: "SITE", label: "The site's contacts" },
          { value: "SITE::OWNER", label: "The site's owner" },
          { value: "SITE::CARETAKER", label: "The site's caretaker" },
        ],
      },
      {
        group: "People",
        items: (people ?? []).map(({ id, name, partner_name: partner }) => ({
          value: `PERSON:${id}`,
          label: partner === null ? name : `${name} (${partner})`,
        })),
      },
      { group: "Teams", items: (teams ?? []).map(({ id, name }) => ({ value: `TEAM:${id}`, label: name })) },
      { group: "Rotas", items: (rotas ?? []).map(({ id, name }) => ({ value: `ROTA:${id}`, label: name })) },
      {
        group: "Contact points",
        items: (points ?? []).map(({ id, name, owner, channel }) => ({
          value: `CONTACT_POINT:${id}`,
          label: `${owner.name}: ${name} (${channelLook[channel].label})`,
        })),
      },
    ];
    const known = new Set(groups.flatMap(({ items }) => items.map(({ value }) => value)));
    const gone = [...new Set(steps.flatMap(({ to }) => to))].filter((key) => !known.has(key));
    const isLoading = people === undefined || points === undefined || teams === undefined || rotas === undefined;
    const label = isLoading ? "Loading…" : "Deleted";
    return [
      ...groups.filter(({ items }) => items.length > 0),
      ...(gone.length === 0 ? [] : [{ group: "No longer there", items: gone.map((value) => ({ value, label })) }]),
    ];
  }, [people, points, teams, rotas, steps]);
}
