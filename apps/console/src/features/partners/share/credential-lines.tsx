import { GENERATED_PASSWORD_DAYS } from "@suncrew/domain/auth/passwords.ts";
import { ActionIcon, Button, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconEye, IconEyeOff, IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { CopyButton } from "../../../platform/copy-button.tsx";
import classes from "./share-dialog.module.css";
import type { SignIn } from "./sign-in-of.ts";

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
