import { Alert, Button, Group } from "@mantine/core";
import { GENERATED_PASSWORD_DAYS } from "@suncrew/domain/auth/passwords.ts";
import { IconAlertTriangle } from "@tabler/icons-react";
import { CopyButton } from "../../platform/copy-button.tsx";
import type { NewSignIn } from "./admin-calls.ts";
import classes from "./admins-dialog.module.css";
import { Dialog } from "../../ui/dialog.tsx";

/** A Super Admin's sign-in, to be handed over now: nobody can show its password again. */
export function NewSignInDialog({ signIn, onClose }: { signIn: NewSignIn; onClose: () => void }) {
  const { message, username, password } = signIn;
  return (
    <Dialog onClose={onClose} closeOnClickOutside={false} closesOnEscape={false} title="Sign-In" size={480}>
      <p className={classes["message"]} role="status">
        {message}
      </p>
      <Alert
        color="yellow"
        classNames={{ title: classes["noteTitle"] ?? "", message: classes["noteText"] ?? "" }}
        icon={<IconAlertTriangle size={18} />}
        title="Shown only now"
        p="sm"
      >
        {`Hand the password over before you close this: after that only a new one can be made. It signs in for ${GENERATED_PASSWORD_DAYS} days, within which its owner chooses another.`}
      </Alert>
      <dl className={classes["credentials"]}>
        <dt>Username</dt>
        <dd>
          <code className={classes["secret"]}>{username}</code>
          <CopyButton what="Username" text={username} />
        </dd>
        <dt>Password</dt>
        <dd>
          <code className={classes["secret"]}>{password}</code>
          <CopyButton what="Password" text={password} />
        </dd>
      </dl>
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Dialog>
  );
}
