import { NativeSelect, Stack, TextInput } from "@mantine/core";
import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import { useQuery } from "@tanstack/react-query";
import type { EntityForm } from "../../platform/form/entity-form.ts";
import type { ContactPointDraft, ContactPointField } from "./contact-point-form.ts";
import { optionsQuery } from "./notification-calls.ts";
import { channelLook, CHANNELS } from "./notification-looks.ts";

interface ChannelFieldProps {
  readonly state: EntityForm<ContactPointDraft, ContactPointField>;
}

/** By what somebody is reached. */
export function ChannelField({ state: { form, change } }: ChannelFieldProps) {
  const channels = useQuery(optionsQuery).data?.channels ?? [];
  const isMissing = (channel: ChannelKind) => channels.some((one) => one.channel === channel && !one.available);
  return (
    <NativeSelect
      label="Channel"
      description={isMissing("EMAIL") ? "Email is not set up on this server" : "It cannot be changed later"}
      data={CHANNELS.map((value) => ({
        value,
        label: channelLook[value].label,
        disabled: isMissing(value),
      }))}
      value={form.channel}
      onChange={({ currentTarget: { value } }) =>
        change({ channel: CHANNELS.find((channel) => channel === value) ?? "EMAIL" })
      }
    />
  );
}

type TextField = "address" | "url" | "token" | "phoneNumberId" | "template" | "templateLanguage";

interface Hint {
  readonly field: TextField;
  readonly label: string;
  /** How to get it. */
  readonly how?: string;
  readonly placeholder?: string;
}

const HINTS: Record<ChannelKind, readonly Hint[]> = {
  EMAIL: [{ field: "address", label: "Email address", placeholder: "asha@example.com" }],
  SLACK: [
    {
      field: "url",
      label: "Incoming webhook",
      how: "In Slack, add the app Incoming WebHooks to a channel and copy the address that it shows.",
      placeholder: "https://hooks.slack.com/services/…",
    },
  ],
  TEAMS: [
    {
      field: "url",
      label: "Workflow address",
      how: "In the menu of a Teams channel, Workflows: choose “Send webhook alerts to a channel” (formerly “Post to a channel when a webhook request is received”), let anyone trigger it, and copy its address.",
      placeholder: "https://….api.powerplatform.com/…",
    },
  ],
  TELEGRAM: [
    {
      field: "token",
      label: "Bot token",
      how: "Write /newbot to @BotFather in Telegram: it answers with the token. Then add the bot to the chat.",
      placeholder: "123456789:AAE…",
    },
    {
      field: "address",
      label: "Chat",
      how: "The @name of a channel, or a chat's number; that of a group begins with a minus sign.",
      placeholder: "-1001234567890",
    },
  ],
  WHATSAPP: [
    { field: "address", label: "Phone number", how: "With the country's code.", placeholder: "+919876543210" },
    {
      field: "phoneNumberId",
      label: "Phone number ID of the sender",
      how: "In the Meta app under WhatsApp, API Setup. It is not the number itself.",
    },
    {
      field: "token",
      label: "Access token",
      how: "A permanent one of a system user with the permission whatsapp_business_messaging.",
    },
    {
      field: "template",
      label: "Template",
      how: "The name of one that Meta has approved, with the body *{{1}}* {{2}} Open: {{3}} and a last word of your own. The third variable has the links, also the one that acknowledges.",
      placeholder: "suncrew_alert",
    },
    { field: "templateLanguage", label: "Language of the template", how: "As Meta has it.", placeholder: "en" },
  ],
  WEBHOOK: [
    {
      field: "url",
      label: "Address",
      how: "Called with JSON, signed as Standard Webhooks says: for ntfy, PagerDuty, SMS gateways and your own programs.",
      placeholder: "https://example.com/suncrew",
    },
  ],
};

const SECRETS: readonly TextField[] = ["url", "token"];

/** Where messages go; what is secret is never shown again. */
export function DestinationFields({ state }: ChannelFieldProps) {
  const { form, change, problemAt, isNew } = state;
  return (
    <Stack gap={10}>
      {HINTS[form.channel].map(({ field, label, how, placeholder }) => {
        const isStored = !isNew && SECRETS.includes(field);
        return (
          <TextInput
            key={field}
            name={field}
            label={label}
            description={how}
            withAsterisk={!isStored}
            type={field === "address" && form.channel === "EMAIL" ? "email" : "text"}
            autoComplete="off"
            spellCheck={false}
            placeholder={isStored ? "Set; leave empty to keep it" : placeholder}
            value={form[field]}
            error={problemAt(field)}
            onChange={(event) => change({ [field]: event.currentTarget.value })}
            onBlur={() => form[field] !== "" && state.touch(field)}
          />
        );
      })}
    </Stack>
  );
}
