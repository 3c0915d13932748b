import "@mantine/core/styles/Switch.layer.css";
import { Stack, Switch, TextInput } from "@mantine/core";
import {
  RULE_NAME_MAX,
  RULE_TARGETS_MAX,
  type Subscription,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { useQuery } from "@tanstack/react-query";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { contactPointsQuery, saveSubscription } from "./notification-calls.ts";
import { channelLook } from "./notification-looks.ts";
import { Part, RuleAfterwards, RuleFilter, RuleWait } from "./rule-parts.tsx";
import {
  newRule,
  type RuleDraft,
  type RuleField,
  storedSubscription,
  subscriptionBodyOf,
  subscriptionProblems,
  subscriptionRules,
  targetKey,
} from "./rule-form.ts";

export interface SubscriptionDialogProps {
  /** The one to edit, as the list has it now; null adds one. */
  readonly subscription: Subscription | null;
  /** It is no longer in the list. */
  readonly isDeleted: boolean;
  readonly onClose: () => void;
}

/** Which alerts somebody wants to be told of, and where. */
export function SubscriptionDialog({ subscription, isDeleted, onClose }: SubscriptionDialogProps) {
  const isNew = subscription === null;
  const stored = subscription === null ? { form: newRule, version: 0 } : storedSubscription(subscription);
  const state = useEntityForm<RuleDraft, RuleField, unknown>({
    what: "subscription",
    opened: stored,
    isNew,
    latest: isNew ? null : stored,
    deleted: isDeleted ? "This subscription was deleted in the meantime." : null,
    rules: subscriptionRules,
    problemsOf: subscriptionProblems,
    save: (draft, version) =>
      saveSubscription(subscription && { id: subscription.id, version }, subscriptionBodyOf(draft)),
    onSaved: onClose,
  });
  const { form, change, problemAt } = state;
  const points = useQuery(contactPointsQuery(true)).data ?? [];
  const chosen = form.steps[0]?.to ?? [];
  const known = points.map(({ id, name, channel }) => ({
    value: targetKey({ kind: "CONTACT_POINT", id }),
    label: `${name} (${channelLook[channel].label})`,
  }));
  const gone = chosen.filter((key) => !known.some(({ value }) => value === key));
  return (
    <EntityDialog
      state={state}
      title={isNew ? "Add Subscription" : "Edit Subscription"}
      submitLabel={isNew ? "Add Subscription" : "Save"}
      size={720}
      fullScreenBelow="48em"
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Name"
          name="name"
          withAsterisk
          data-autofocus
          autoComplete="off"
          maxLength={RULE_NAME_MAX}
          value={form.name}
          error={problemAt("name")}
          onChange={(event) => change({ name: event.currentTarget.value })}
          onBlur={() => state.touch("name")}
        />
        <RuleFilter state={state} />
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
        <RuleAfterwards state={state} />
        <Switch
          label="The subscription is on"
          checked={form.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </EntityDialog>
  );
}
