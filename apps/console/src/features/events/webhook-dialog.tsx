import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Box, Checkbox, Stack, Switch, TextInput } from "@mantine/core";
import { eventTexts } from "@suncrew/contract/events/event-types.ts";
import { type Webhook, WEBHOOK_NAME_MAX } from "@suncrew/contract/events/webhook-endpoints.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import type { EntityForm } from "../../platform/form/entity-form.ts";
import type { RowDialogProps } from "../../platform/form/row-dialogs.tsx";
import { NameField, RowFormDialog, useRowForm } from "../../platform/form/row-form.tsx";
import type { NewSecret } from "../../platform/signing-secret-dialog.tsx";
import { IdChoice } from "../../ui/multi-choice.tsx";
import shared from "../../ui/shared.module.css";
import { saveWebhook } from "./webhook-calls.ts";
import {
  newWebhook,
  storedWebhook,
  webhookBodyOf,
  type WebhookDraft,
  type WebhookField,
  webhookProblems,
  webhookRules,
} from "./webhook-form.ts";
import { EVENT_GROUPS } from "./webhook-looks.ts";
import classes from "./webhooks-page.module.css";

interface WebhookDialogProps extends RowDialogProps<Webhook> {
  /** The signing secret of a new one, which is shown only now. */
  readonly onSecret: (secret: NewSecret) => void;
}

/** Where events go, and which. */
export function WebhookDialog({ row: webhook, isDeleted, onSecret, onClose }: WebhookDialogProps) {
  const isNew = webhook === null;
  const state = useRowForm<WebhookDraft, WebhookField, string | null>({
    what: "webhook",
    stored: webhook === null ? { form: newWebhook, version: 0 } : storedWebhook(webhook),
    isNew,
    isDeleted,
    rules: webhookRules,
    problemsOf: (draft) => webhookProblems(draft, isNew),
    save: (draft, version) => saveWebhook(webhook && { id: webhook.id, version }, webhookBodyOf(draft)),
    onSaved: (secret) => {
      onClose();
      if (secret !== null) onSecret({ name: state.form.name.trim(), secret });
    },
  });
  const { form, change, problemAt } = state;
  return (
    <RowFormDialog state={state} size={620} onClose={onClose}>
      <Stack gap={14}>
        <NameField state={state} maxLength={WEBHOOK_NAME_MAX} />
        <TextInput
          label="Address"
          name="url"
          type="url"
          inputMode="url"
          withAsterisk={isNew}
          autoComplete="off"
          maxLength={2000}
          placeholder={webhook === null ? "https://example.org/suncrew" : `${webhook.host} – leave empty to keep it`}
          description="Kept secret: afterwards only its host is shown."
          value={form.url}
          error={problemAt("url")}
          onChange={(event) => change({ url: event.currentTarget.value })}
          onBlur={() => state.touch("url")}
        />
        <EventChoice state={state} />
        <Places state={state} />
        <Switch
          label="Events are sent to it"
          description="While it is off, nothing is kept for it."
          checked={form.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </RowFormDialog>
  );
}

interface PartProps {
  readonly state: EntityForm<WebhookDraft, WebhookField>;
}

function EventChoice({ state: { form, change, problemAt } }: PartProps) {
  const problem = problemAt("types");
  return (
    <fieldset className={classes["events"]}>
      <legend>Events</legend>
      <Checkbox
        label="All, also those of later versions"
        name="isForAll"
        checked={form.isForAll}
        onChange={(event) => change({ isForAll: event.currentTarget.checked })}
      />
      {!form.isForAll && (
        <div className={classes["groups"]}>
          {EVENT_GROUPS.map(({ label, types }) => (
            <div key={label} role="group" aria-label={label}>
              <span className={shared["muted"]}>{label}</span>
              {types.map((type) => (
                <Checkbox
                  key={type}
                  label={eventTexts[type].title}
                  checked={form.types.includes(type)}
                  onChange={({ currentTarget: { checked } }) =>
                    change({ types: checked ? [...form.types, type] : form.types.filter((other) => other !== type) })
                  }
                />
              ))}
            </div>
          ))}
        </div>
      )}
      {problem !== null && (
        <Box component="p" fz={13} c="var(--sc-danger)" role="alert">
          {problem}
        </Box>
      )}
    </fieldset>
  );
}

function Places({ state: { form, change, problemAt } }: PartProps) {
  return (
    <div className={classes["places"]}>
      <IdChoice
        label="Only of these sites"
        placeholder="All sites"
        what="site"
        known={useQuery(routeQuery(siteDetails, {})).data}
        chosen={form.siteIds}
        error={problemAt("siteIds")}
        onChoose={(siteIds) => change({ siteIds })}
      />
      <IdChoice
        label="Only of these partners' sites"
        placeholder="All partners"
        what="partner"
        known={useQuery(routeQuery(partnerDetails, {})).data}
        chosen={form.partnerIds}
        error={problemAt("partnerIds")}
        onChoose={(partnerIds) => change({ partnerIds })}
      />
    </div>
  );
}
