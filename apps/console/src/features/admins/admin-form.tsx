import { Box, Button, Group, PasswordInput, TextInput } from "@mantine/core";
import { GENERATED_PASSWORD_DAYS } from "@suncrew/domain/auth/passwords.ts";
import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { CopyButton } from "../../platform/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import {
  type AdminAction,
  type AdminField,
  adminFields,
  adminProblems,
  type AdminProblems,
  changeAdmins,
  emptyAdmin,
  type NewSignIn,
} from "./admin-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./admins-dialog.module.css";

const labels = {
  add: { title: "Add Super Admin", confirm: "Add Super Admin", color: undefined },
  reset: { title: "Reset Password", confirm: "Reset Password", color: undefined },
  remove: { title: "Remove Super Admin", confirm: "Remove", color: "red" },
} as const;

interface AdminFormProps {
  readonly action: AdminAction;
  /** Receives the generated credentials to show, if there are any. */
  readonly onDone: (signIn: NewSignIn | null) => void;
  readonly onClose: () => void;
}

/** Adds a Super Admin, resets a password or removes one; the user confirms with their own password. */
export function AdminForm({ action, onDone, onClose }: AdminFormProps) {
  const [draft, setDraft] = useState(emptyAdmin);
  const [touched, setTouched] = useState<ReadonlySet<AdminField>>(new Set());
  const [refused, setRefused] = useState<AdminProblems>({});
  const [isBusy, setBusy] = useState(false);
  const isUnderWay = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  const problems = adminProblems(action, draft);
  const blockedReason = adminFields.map((field) => problems[field]).find((problem) => problem !== undefined) ?? null;
  const isChanged = action.kind === "add" && adminFields.some((field) => draft[field] !== "");
  const close = useGuardedClose({ isChanged, isSaving: isBusy, shownBy: ["dialog"] }, onClose);

  const focusFirst = (wrong: AdminProblems) => {
    const field = adminFields.find((name) => wrong[name] !== undefined);
    const input = field === undefined ? null : form.current?.elements.namedItem(field);
    if (input instanceof HTMLInputElement) input.focus();
  };
  const showProblems = () => {
    setTouched(new Set(adminFields));
    focusFirst(problems);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (blockedReason !== null) return showProblems();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    const outcome = await changeAdmins(action, draft);
    isUnderWay.current = false;
    if (outcome.kind === "done") return onDone(outcome.signIn);
    // Flushed, because a field must be enabled and show its error before it gets the focus.
    flushSync(() => {
      setBusy(false);
      setRefused(outcome.problems);
    });
    focusFirst(outcome.problems);
  };
  const field = (name: AdminField) => ({
    name,
    value: draft[name],
    error: refused[name] ?? (touched.has(name) ? problems[name] : undefined),
    disabled: isBusy,
    required: name !== "email",
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      setDraft((now) => ({ ...now, [name]: value }));
      setRefused(({ [name]: _edited, ...others }) => others);
    },
    onBlur: () => {
      if (draft[name] !== "") setTouched((now) => new Set([...now, name]));
    },
  });
  const { title, confirm, color } = labels[action.kind];

  return (
    <Dialog onClose={close} title={title} size={480}>
      <form ref={form} noValidate onSubmit={(event) => void submit(event)}>
        <Box display="grid" style={{ gap: 12 }}>
          {action.kind === "add" ? (
            <>
              <TextInput label="Name" data-autofocus autoComplete="off" maxLength={200} {...field("name")} />
              <TextInput label="Username" autoComplete="off" maxLength={60} {...field("username")} />
              <TextInput label="Email" type="email" autoComplete="off" maxLength={254} {...field("email")} />
            </>
          ) : (
            <About kind={action.kind} name={action.admin.name} username={action.admin.username} />
          )}
          <PasswordInput
            label="Your password"
            description="So that no one else can do this at a console you left open."
            data-autofocus={action.kind !== "add" || undefined}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ "aria-label": "Show or hide: Your password", tabIndex: 0 }}
            {...field("password")}
          />
          {action.kind === "add" && (
            <Box component="p" flex="1 1 280px" fz={13} c="dimmed">
              {`Suncrew generates the first password and shows it once. It signs in for ${GENERATED_PASSWORD_DAYS} days, within which its owner chooses another.`}
            </Box>
          )}
        </Box>
        <FormButtons
          submitLabel={confirm}
          color={color}
          isSaving={isBusy}
          blockedReason={blockedReason}
          onRefused={showProblems}
          onCancel={close}
        />
      </form>
    </Dialog>
  );
}

function About({ kind, name, username }: { kind: "reset" | "remove"; name: string; username: string }) {
  return (
    <Box component="p" fz={14}>
      {kind === "reset" ? "Give " : "Remove "}
      <strong>{name}</strong> ({username})
      {kind === "reset"
        ? " a new password? The current one stops working immediately, and all sessions of this user end."
        : "? All sessions of this user end immediately, and signing in is no longer possible. What this user did stays on record."}
    </Box>
  );
}

/** A Super Admin's new credentials, to be handed over now: the password cannot be shown again. */
export function NewSignInDialog({ signIn, onClose }: { signIn: NewSignIn; onClose: () => void }) {
  const { message, username, password } = signIn;
  return (
    <Dialog onClose={onClose} closeOnClickOutside={false} closesOnEscape={false} title="Sign-In" size={480}>
      <ShownOnce message={message}>
        {`Hand the password over before you close this: it cannot be shown again. It is valid for ${GENERATED_PASSWORD_DAYS} days, within which its owner must choose another.`}
      </ShownOnce>
      <dl className={`${shared["facts"]} ${classes["credentials"]}`}>
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
