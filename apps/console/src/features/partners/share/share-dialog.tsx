import { ActionIcon, Button, Textarea, Tooltip, VisuallyHidden } from "@mantine/core";
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
import classes from "./share-dialog.module.css";
import type { SignIn } from "./credentials.ts";

/** Longer messages do not fit into the links of some mail programs. */
const CUSTOM_MESSAGE_MAX = 500;

export interface ShareDialogProps {
  readonly signIn: SignIn;
  /** The password that replaced the shown one. */
  readonly onReset: (password: string) => void;
  readonly onClose: () => void;
}

/** §2 Share Login Credentials dialog. */
export function ShareDialog({ signIn, onReset, onClose }: ShareDialogProps) {
  const [customMessage, setCustomMessage] = useState("");
  const [isResetting, setResetting] = useState(false);

  const regenerate = async () => {
    if (isResetting) return;
    if (!(await confirm(questionAbout(signIn)))) return;
    setResetting(true);
    const password = await resetPassword(signIn.partnerId, signIn.name);
    setResetting(false);
    if (password !== null) onReset(password);
  };

  return (
    <Dialog onClose={onClose} title="Share Login Credentials" size="md">
      <div className={classes["body"]}>
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
      </div>
    </Dialog>
  );
}

function questionAbout({ name, username }: SignIn): Question {
  if (username === null) {
    return { title: "Create Sign-In", message: `${name} gets a username and a password.`, confirmLabel: "Create" };
  }
  return {
    title: "Regenerate Password",
    message: `${name} gets a new password. The present one stops working at once, and the user "${username}" is signed out everywhere.`,
    confirmLabel: "Regenerate",
    destructive: true,
  };
}

function ContactInfo({ signIn }: { signIn: SignIn }) {
  const { e164 } = phoneOf(signIn);
  const isShort = e164 !== null && e164 !== signIn.phone.replaceAll(/[^+\d]/g, "");
  return (
    <dl className={`${classes["facts"] ?? ""} ${classes["contact"] ?? ""}`} aria-label="Contact information">
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

/** As long whatever the password is: its length is nobody's business either. */
const MASK = "••••••••••••";

export interface CredentialLinesProps {
  readonly signIn: SignIn;
  readonly isResetting: boolean;
  readonly onReset: () => void;
}

/** §2: username, and password masked, with show/hide, copy and regenerate. While hidden, the page does not have it. */
export function CredentialLines({ signIn, isResetting, onReset }: CredentialLinesProps) {
  const [isShown, setShown] = useState(false);
  const { username, password } = signIn;
  const toggleLabel = isShown ? "Hide password" : "Show password";
  return (
    <section className={classes["credentials"]} aria-label="Login credentials">
      <dl className={classes["facts"]}>
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
            <span className={classes["actions"]}>
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
            </span>
          </dd>
        )}
      </dl>
      {password !== null && (
        <p className={classes["note"]}>
          {`Generated: it signs the partner in for ${GENERATED_PASSWORD_DAYS} days, within which it chooses its own. An older one has to be regenerated.`}
        </p>
      )}
      {password === null && (
        <p className={classes["note"]}>
          {username === null
            ? "This partner has no sign-in yet. Create it, and share it here."
            : "This partner has set a password of its own, which nobody can see. Regenerate it to share a new one."}
        </p>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconKey size={14} aria-hidden />}
        loading={isResetting}
        className={classes["regenerate"]}
        onClick={onReset}
      >
        {username === null ? "Create sign-in" : "Regenerate password"}
      </Button>
    </section>
  );
}

const LOOKS: Record<WayToSend, { label: string; icon: Icon; opened: string }> = {
  email: { label: "Email", icon: IconMail, opened: "The e-mail is filled in. Send it in your mail program." },
  whatsApp: { label: "WhatsApp", icon: IconBrandWhatsapp, opened: "The message is filled in. Send it in WhatsApp." },
  sms: { label: "SMS", icon: IconMessage, opened: "The text message is filled in. Send it on your phone." },
};
const WAYS = ["email", "whatsApp", "sms"] as const;

/** §2: send by Email, WhatsApp or SMS by opening a prefilled link. */
export function SendButtons({ signIn, customMessage }: { signIn: SignIn; customMessage: string }) {
  const send = (way: WayToSend) => {
    const link = linkFor(signIn, way, customMessage);
    if (link === null) return;
    openLink(link);
    toast.success({ title: "Credentials Shared", message: LOOKS[way].opened });
  };
  const obstacles = obstaclesByReason(signIn);
  const open = WAYS.filter((way) => sendObstacle(signIn, way) === null);
  return (
    <>
      <div className={classes["ways"]} role="group" aria-label="Send by">
        {WAYS.map((way) => {
          const { label, icon: WayIcon } = LOOKS[way];
          return (
            <DisabledReason key={way} reason={sendObstacle(signIn, way)}>
              <Button leftSection={<WayIcon size={16} aria-hidden />} onClick={() => send(way)}>
                {label}
              </Button>
            </DisabledReason>
          );
        })}
      </div>
      {/* A phone has no pointer to rest on a disabled button: the reasons are to be read there too. */}
      {obstacles.size > 0 && (
        <ul className={classes["obstacles"]} aria-label="What cannot be used">
          {[...obstacles].map(([reason, ways]) => (
            <li key={reason}>
              <strong>{labelsOf(ways)}:</strong> {reason}
            </li>
          ))}
        </ul>
      )}
      {open.length > 0 && (
        <p className={classes["note"]}>
          {open.length === WAYS.length ? "Each opens" : `${labelsOf(open)} ${open.length === 1 ? "opens" : "open"}`}{" "}
          with the message filled in; nothing leaves before you send it there. The message shows the password.
        </p>
      )}
    </>
  );
}

/** Each reason once, with the ways that it closes. */
function obstaclesByReason(signIn: SignIn): ReadonlyMap<string, readonly WayToSend[]> {
  const found = new Map<string, WayToSend[]>();
  for (const way of WAYS) {
    const reason = sendObstacle(signIn, way);
    if (reason !== null) found.set(reason, [...(found.get(reason) ?? []), way]);
  }
  return found;
}

function labelsOf(ways: readonly WayToSend[]): string {
  return ways.map((way) => LOOKS[way].label).join(", ");
}

/**
 * §4 Partner: gives the partner's user a new password, which replaces the shown one and signs the user out. Answers it,
 * or null where it failed (§8 Partners).
 */
export async function resetPassword(partnerId: number, name: string): Promise<string | null> {
  const queryKey = queryKeyOf(partnerDetails, {});
  const outcome = await change({
    send: async () => (await call(resetPartnerPassword, { params: { id: partnerId } })).newPassword,
    onDone: async (password) => {
      // A list that was asked for before has the old password.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData<readonly Partner[]>(queryKey, (partners) =>
        partners?.map((partner) => (partner.id === partnerId ? { ...partner, enc_password: password } : partner)),
      );
    },
    // A partner without a user has one now, whose name the list has.
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
 * Opens a prefilled message. A web page opens beside the console and learns nothing of it; the mail program and text
 * messages leave the console where it is. The link has a password in it: it is built when it is opened, and kept nowhere.
 */
export function openLink(link: string): void {
  if (link.startsWith("https:")) window.open(link, "_blank", "noopener,noreferrer");
  else window.open(link, "_self");
}

export type WayToSend = "email" | "whatsApp" | "sms";

/** The number to write to, or why there is none. */
export function phoneOf({ phone, country }: SignIn) {
  return internationalPhone(phone, country);
}

/** Why the credentials cannot be sent this way; null where they can. */
export function sendObstacle(signIn: SignIn, way: WayToSend): string | null {
  if (signIn.username === null) return "This partner has no sign-in yet. Create it first.";
  if (signIn.password === null) return "There is no password to share. Regenerate it first.";
  if (way === "email") return signIn.email.trim() === "" ? "No e-mail address is given." : null;
  return phoneOf(signIn).problem;
}

/** The message for the partner; `password` may be a stand-in where it is only looked at. */
export function messageFor(signIn: SignIn, password: string, customMessage: string): string {
  const addressee = signIn.contactPerson.trim() === "" ? signIn.name : signIn.contactPerson;
  return shareMessage({
    addressee,
    username: signIn.username ?? "",
    password,
    signInAddress: location.origin,
    customMessage,
  });
}

/** The prefilled link; null where there is an obstacle. */
export function linkFor(signIn: SignIn, way: WayToSend, customMessage: string): string | null {
  if (signIn.password === null || sendObstacle(signIn, way) !== null) return null;
  const message = messageFor(signIn, signIn.password, customMessage);
  if (way === "email") return mailtoLink(signIn.email, SHARE_SUBJECT, message);
  const { e164 } = phoneOf(signIn);
  if (e164 === null) return null;
  return way === "whatsApp" ? whatsAppLink(e164, message) : smsLink(e164, message);
}
