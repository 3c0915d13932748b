import { Button, Group } from "@mantine/core";
import { Dialog, DialogFooter } from "../ui/dialog.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { CopyButton } from "./copy-button.tsx";
import classes from "./signing-secret-dialog.module.css";

/** What calls are signed with from now on. */
export interface NewSecret {
  /** Of the contact point or webhook. */
  readonly name: string;
  readonly secret: string;
}

interface SigningSecretDialogProps extends NewSecret {
  readonly onClose: () => void;
}

/** What the receiver of signed calls checks them with; only Done closes it. */
export function SigningSecretDialog({ name, secret, onClose }: SigningSecretDialogProps) {
  return (
    <Dialog
      onClose={onClose}
      title="Signing Secret"
      closesOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <ShownOnce message={`${name} signs its calls with this secret.`}>
        Copy it now to the program that gets the calls. Afterwards it can only be replaced.
      </ShownOnce>
      <Group gap={8} mt={12} wrap="nowrap" justify="space-between" className={classes["secret"]}>
        <code>{secret}</code>
        <CopyButton what="Signing secret" text={secret} />
      </Group>
      <DialogFooter>
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
