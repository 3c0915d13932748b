import { Textarea } from "@mantine/core";
import { useState } from "react";
import { confirm } from "../../../platform/confirm/confirm.ts";
import type { Question } from "../../../platform/confirm/confirm.ts";
import { CredentialLines } from "./credential-lines.tsx";
import { resetPassword } from "./reset-password.ts";
import { SendButtons } from "./send-buttons.tsx";
import classes from "./share-dialog.module.css";
import type { SignIn } from "./sign-in-of.ts";
import { messageFor, phoneOf } from "./ways-to-send.ts";
import { Dialog } from "../../../ui/dialog.tsx";

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
