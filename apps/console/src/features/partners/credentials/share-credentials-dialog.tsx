import { ActionIcon, Box, Button, Stack, Textarea, Tooltip, VisuallyHidden } from "@mantine/core";
import { type Partner, partnerDetails, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import { GENERATED_PASSWORD_DAYS } from "@suncrew/domain/auth/passwords.ts";
import { internationalPhone } from "@suncrew/domain/partners/phone-number.ts";
import {
  mailtoLink,
  SHARE_SUBJECT,
  shareMessage,
  smsLink,
  whatsAppLink,
} from "@suncrew/domain/partners/share-links.ts";
import { type Icon, IconBrandWhatsapp, IconEye, IconEyeOff, IconKey, IconMail, IconMessage } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../../platform/api/call.ts";
import { change } from "../../../platform/api/change.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { confirm, type Question } from "../../../platform/confirm/confirm.ts";
import { CopyButton } from "../../../platform/copy-button.tsx";
import { toast } from "../../../platform/toast.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./share-credentials-dialog.module.css";
import { ToolButton } from "../../../ui/tool-button.tsx";
import type { SignIn } from "./credentials.ts";

/** Some mail programs cannot handle links with longer messages. */
const CUSTOM_MESSAGE_MAX = 500;

export interface ShareDialogProps {
  readonly signIn: SignIn;
  /** The password that replaced the one shown. */
  readonly onReset: (password: string) => void;
  readonly onClose: () => void;
}

/** §2 Share Login Credentials dialog. */
export function ShareDialog({ signIn, onReset, onClose }: ShareDialogProps) {
  const [customMessage, setCustomMessage] = useState("");
  const [isResetting, setResetting] = useState(false);

  const regenerate = async () => {
    if (isResetting) return;
    if (!(await confirm(resetQuestion(signIn)))) return;
    setResetting(true);
    const password = await resetPassword(signIn.partnerId, signIn.name);
    setResetting(false);
    if (password !== null) onReset(password);
  };

  return (
    <Dialog onClose={onClose} title="Share Login Credentials" size="md">
      <Stack gap={14}>
        <ContactInfo signIn={signIn} />
        <CredentialLines signIn={signIn} isResetting={isResetting} onReset={() => void regenerate()} />
        <Textarea
          label="Custom message (optional)"
          placeholder="Added to the message below the credentials"
          rows={2}
          maxLength={CUSTOM_MESSAGE_MAX}
          value={customMessage}
          onChange={(event) => setCustomMessage(event.currentTarget.value)}
        />
        {signIn.password !== null && (
          <details className={classes["preview"]}>
            <summary>Preview of the message</summary>
            <p className={classes["message"]}>{messageFor(signIn, "••••••••••••", customMessage)}</p>
          </details>
        )}
        <SendButtons signIn={signIn} customMessage={customMessage} />
      </Stack>
    </Dialog>
  );
}

function resetQuestion({ name, username }: SignIn): Question {
  if (username === null) {
    return { title: "Create Sign-In", message: `${name} gets a username and a password.`, confirmLabel: "Create" };
  }
  return {
    title: "Regenerate Password",
    message: `${name} gets a new password. The current one stops working immediately, and the user "${username}" is signed out everywhere.`,
    confirmLabel: "Regenerate",
    destructive: true,
  };
}

function ContactInfo({ signIn }: { signIn: SignIn }) {
  const { e164 } = phoneOf(signIn);
  const isShort = e164 !== null && e164 !== signIn.phone.replaceAll(/[^+\d]/g, "");
  return (
    <dl
      className={`${shared["facts"]} ${shared["factsWithButtons"]} ${classes["facts"]} ${classes["contact"]}`}
      aria-label="Contact information"
    >
      <dt>Partner</dt>
      <dd>{signIn.name}</dd>
      <dt>Contact person</dt>
      <dd>{signIn.contactPerson || "Not given"}</dd>
      <dt>Email</dt>
      <dd>{signIn.email || "Not given"}</dd>
      <dt>Phone</dt>
      <dd>
        {signIn.phone || "Not given"}
        {isShort && ` (${e164})`}
      </dd>
    </dl>
  );
}

/** A fixed length, so that it does not reveal the password's. */
const MASK = "••••••••••••";

export interface CredentialLinesProps {
  readonly signIn: SignIn;
  readonly isResetting: boolean;
  readonly onReset: () => void;
}

/** §2: username, and password masked, with show/hide, copy and regenerate. While hidden, it is not in the page. */
function CredentialLines({ signIn, isResetting, onReset }: CredentialLinesProps) {
  const [isShown, setShown] = useState(false);
  const { username, password } = signIn;
  const toggleLabel = isShown ? "Hide password" : "Show password";
  return (
    <section className={classes["credentials"]} aria-label="Login credentials">
      <dl className={`${shared["facts"]} ${shared["factsWithButtons"]} ${classes["facts"]}`}>
        <dt>Username</dt>
        <dd>
          {username === null ? (
            "None yet"
          ) : (
            <>
              <code className={classes["secret"]}>{username}</code>
              <CopyButton what="Username" text={username} />
            </>
          )}
        </dd>
        <dt>Password</dt>
        {password === null ? (
          <dd>{username === null ? "None yet" : "Set by the partner"}</dd>
        ) : (
          <dd>
            <code className={classes["secret"]}>
              {isShown ? (
                password
              ) : (
                <>
                  <span aria-hidden>{MASK}</span>
                  <VisuallyHidden>hidden</VisuallyHidden>
                </>
              )}
            </code>
            <Box component="span" display="inline-flex" flex="none">
              <Tooltip label={toggleLabel} withinPortal={false}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={32}
                  aria-label={toggleLabel}
                  onClick={() => setShown(!isShown)}
                >
                  {isShown ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
                </ActionIcon>
              </Tooltip>
              <CopyButton what="Password" text={password} />
            </Box>
          </dd>
        )}
      </dl>
      {password !== null && (
        <p className={classes["note"]}>
          {`Generated: valid for ${GENERATED_PASSWORD_DAYS} days, within which the partner must choose its own. After that it has to be regenerated.`}
        </p>
      )}
      {password === null && (
        <p className={classes["note"]}>
          {username === null
            ? "This partner has no sign-in yet. Create one to share it here."
            : "This partner has set its own password, which no one can see. Regenerate it to share a new one."}
        </p>
      )}
      <ToolButton icon={IconKey} loading={isResetting} className={classes["regenerate"]} onClick={onReset}>
        {username === null ? "Create sign-in" : "Regenerate password"}
      </ToolButton>
    </section>
  );
}

const channelLooks: Record<Channel, { label: string; icon: Icon; opened: string }> = {
  email: { label: "Email", icon: IconMail, opened: "The email is filled in. Send it in your mail program." },
  whatsApp: { label: "WhatsApp", icon: IconBrandWhatsapp, opened: "The message is filled in. Send it in WhatsApp." },
  sms: { label: "SMS", icon: IconMessage, opened: "The text message is filled in. Send it on your phone." },
};
const CHANNELS = ["email", "whatsApp", "sms"] as const;

/** §2: send by Email, WhatsApp or SMS by opening a prefilled link. */
function SendButtons({ signIn, customMessage }: { signIn: SignIn; customMessage: string }) {
  const send = (channel: Channel) => {
    const link = linkFor(signIn, channel, customMessage);
    if (link === null) return;
    openLink(link);
    toast.success({ title: "Credentials Shared", message: channelLooks[channel].opened });
  };
  const blockedChannels = channelsByBlockedReason(signIn);
  const open = CHANNELS.filter((channel) => sendBlockedReason(signIn, channel) === null);
  return (
    <>
      <div className={`${shared["touchAll"]} ${classes["channels"]}`} role="group" aria-label="Send by">
        {CHANNELS.map((channel) => {
          const { label, icon: ChannelIcon } = channelLooks[channel];
          return (
            <DisabledReason key={channel} reason={sendBlockedReason(signIn, channel)}>
              <Button leftSection={<ChannelIcon size={16} aria-hidden />} onClick={() => send(channel)}>
                {label}
              </Button>
            </DisabledReason>
          );
        })}
      </div>
      {/* Phones have no hover, so the reasons of disabled buttons are listed too. */}
      {blockedChannels.size > 0 && (
        <ul className={classes["blockedReasons"]} aria-label="Unavailable channels">
          {[...blockedChannels].map(([reason, channels]) => (
            <li key={reason}>
              <strong>{labelsOf(channels)}:</strong> {reason}
            </li>
          ))}
        </ul>
      )}
      {open.length > 0 && (
        <p className={classes["note"]}>
          {open.length === CHANNELS.length ? "Each opens" : `${labelsOf(open)} ${open.length === 1 ? "opens" : "open"}`}{" "}
          with the message filled in; nothing is sent until you send it there. The message shows the password.
        </p>
      )}
    </>
  );
}

/** Each reason once, with the channels that it applies to. */
function channelsByBlockedReason(signIn: SignIn): ReadonlyMap<string, readonly Channel[]> {
  const found = new Map<string, Channel[]>();
  for (const channel of CHANNELS) {
    const reason = sendBlockedReason(signIn, channel);
    if (reason !== null) found.set(reason, [...(found.get(reason) ?? []), channel]);
  }
  return found;
}

function labelsOf(channels: readonly Channel[]): string {
  return channels.map((channel) => channelLooks[channel].label).join(", ");
}

/**
 * §4 Partner: gives the partner's user a new password, which replaces the one shown and signs the user out. Returns it,
 * or null if it failed (§8 Partners).
 */
async function resetPassword(partnerId: number, name: string): Promise<string | null> {
  const queryKey = queryKeyOf(partnerDetails, {});
  const outcome = await change({
    send: async () => (await call(resetPartnerPassword, { params: { id: partnerId } })).newPassword,
    onDone: async (password) => {
      // A list requested before the change would bring back the old password.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData<readonly Partner[]>(queryKey, (partners) =>
        partners?.map((partner) => (partner.id === partnerId ? { ...partner, enc_password: password } : partner)),
      );
    },
    // A partner that had no user has one now; its username comes with the list.
    invalidates: [queryKey],
    success: {
      title: "Password Reset Successfully",
      message: `${name} has a new password and has been signed out.`,
    },
    failure: { title: "Password Reset Failed", message: "Failed to reset password. Please try again." },
  });
  return outcome.kind === "done" ? outcome.answer : null;
}

/**
 * Opens a prefilled message: a web page in a new tab without opener or referrer, mail and SMS in place. The link
 * contains a password, so it is built only when it is opened and never stored.
 */
function openLink(link: string): void {
  if (link.startsWith("https:")) window.open(link, "_blank", "noopener,noreferrer");
  else window.open(link, "_self");
}

type Channel = "email" | "whatsApp" | "sms";

/** The number to write to, or why there is none. */
function phoneOf({ phone, country }: SignIn) {
  return internationalPhone(phone, country);
}

/** Why the credentials cannot be sent through this channel; null if they can. */
function sendBlockedReason(signIn: SignIn, channel: Channel): string | null {
  if (signIn.username === null) return "This partner has no sign-in yet. Create it first.";
  if (signIn.password === null) return "There is no password to share. Regenerate it first.";
  if (channel === "email") return signIn.email.trim() === "" ? "No email address is given." : null;
  return phoneOf(signIn).problem;
}

/** The message for the partner; `password` may be a placeholder for the preview. */
function messageFor(signIn: SignIn, password: string, customMessage: string): string {
  const addressee = signIn.contactPerson.trim() === "" ? signIn.name : signIn.contactPerson;
  return shareMessage({
    addressee,
    username: signIn.username ?? "",
    password,
    signInAddress: location.origin,
    customMessage,
  });
}

/** The prefilled link; null if sending is blocked. */
function linkFor(signIn: SignIn, channel: Channel, customMessage: string): string | null {
  if (signIn.password === null || sendBlockedReason(signIn, channel) !== null) return null;
  const message = messageFor(signIn, signIn.password, customMessage);
  if (channel === "email") return mailtoLink(signIn.email, SHARE_SUBJECT, message);
  const { e164 } = phoneOf(signIn);
  if (e164 === null) return null;
  return channel === "whatsApp" ? whatsAppLink(e164, message) : smsLink(e164, message);
}
