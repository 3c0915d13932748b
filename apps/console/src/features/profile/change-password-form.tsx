import { Button, PasswordInput } from "@mantine/core";
import { useRef, useState, type FormEvent } from "react";
import { flushSync } from "react-dom";
import { passwordProblem, passwordToasts } from "@suncrew/domain/auth/passwords.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { toast } from "../../platform/toast.tsx";
import { PASSWORD_CHANGE, updatePassword } from "./change-password-call.ts";
import classes from "./change-password-form.module.css";
import { fieldProblems, type FieldWords, noEntries, type PasswordField, passwordFields } from "./password-draft.ts";

const labels: Record<PasswordField, string> = {
  currentPassword: "Current password",
  newPassword: "New password",
  confirmation: "Confirm new password",
};

/** §5 Change password on the profile page. */
export function ChangePasswordForm() {
  const { username, user } = useSignedIn();
  // A demo's known password may be had back: there the server alone decides.
  const isDemo = useServerConfig()?.mode === "demo";
  const [entries, setEntries] = useState(noEntries);
  const [left, setLeft] = useState<ReadonlySet<PasswordField>>(new Set());
  const [refused, setRefused] = useState<FieldWords>({});
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problems = fieldProblems(
    entries,
    isDemo ? null : { username: username ?? "", name: user.name, email: user.email },
  );
  const wordsOf = (field: PasswordField) => refused[field] ?? (left.has(field) ? problems[field] : undefined);

  function focusFirst(words: FieldWords): void {
    const field = passwordFields.find((each) => words[each] !== undefined);
    const input = field === undefined ? null : form.current?.elements.namedItem(field);
    if (input instanceof HTMLInputElement) input.focus();
  }

  function change(field: PasswordField, value: string): void {
    setEntries((before) => ({ ...before, [field]: value }));
    setRefused(({ [field]: _answered, ...others }) => others);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setLeft(new Set(passwordFields));
    toast.dismiss(PASSWORD_CHANGE);
    const problem = passwordProblem(entries);
    if (problem === "too-short" || problem === "mismatch") {
      toast.failure({ ...passwordToasts[problem], about: PASSWORD_CHANGE });
    }
    if (Object.keys(problems).length > 0) {
      focusFirst(problems);
      return;
    }
    setBusy(true);
    const outcome = await updatePassword(entries);
    // The fields are to be focused: they must be enabled and bear the words by then.
    flushSync(() => {
      setBusy(false);
      setRefused(outcome.refused);
      if (outcome.isDone) {
        setEntries(noEntries);
        setLeft(new Set());
      }
    });
    focusFirst(outcome.refused);
  }

  return (
    <form ref={form} className={classes["form"]} onSubmit={(event) => void submit(event)} noValidate>
      <h3 className={classes["title"]}>Change Password</h3>
      <p className={classes["hint"]}>At least 8 characters. You will be signed out everywhere else.</p>
      {/* For password managers: whose password it is. */}
      {username !== undefined && (
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      )}
      {passwordFields.map((field) => (
        <PasswordInput
          key={field}
          label={labels[field]}
          name={field}
          autoComplete={field === "currentPassword" ? "current-password" : "new-password"}
          aria-required
          aria-invalid={wordsOf(field) !== undefined}
          visibilityToggleButtonProps={{ "aria-label": `Show or hide: ${labels[field]}`, tabIndex: 0 }}
          value={entries[field]}
          error={wordsOf(field)}
          onChange={(event) => change(field, event.currentTarget.value)}
          onBlur={() => {
            if (entries[field] !== "") setLeft((before) => new Set([...before, field]));
          }}
        />
      ))}
      <Button type="submit" className={classes["submit"]} aria-disabled={isBusy} data-busy={isBusy || undefined}>
        {isBusy ? "Updating..." : "Update Password"}
      </Button>
    </form>
  );
}
