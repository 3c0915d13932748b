import { Anchor, Box, Button, PasswordInput } from "@mantine/core";
import { changePassword, type Role } from "@suncrew/contract/auth/auth.ts";
import { type PasswordEntries, passwordProblem, passwordToasts } from "@suncrew/domain/auth/passwords.ts";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { paths } from "../../platform/paths.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { noteOwnPassword } from "../../platform/session/session.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { toast } from "../../platform/toast.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { roleWord } from "../auth/public.ts";
import { ContactPointList, OWN_CONTACT_POINTS, SubscriptionList } from "../notifications/public.ts";
import { WallboardLinksDialog } from "../wallboard/public.ts";
import {
  fieldProblems,
  type FieldWords,
  noEntries,
  type PasswordField,
  passwordFields,
  refusedFields,
} from "./password-draft.ts";
import shared from "../../ui/shared.module.css";
import classes from "./profile-page.module.css";
import { ThemePicker } from "./theme-picker.tsx";

/** §2 Profile page: who is signed in, the theme, changing the password, what is coming soon, and who is told of what. */
export function ProfilePage() {
  return (
    <PageLayout title="Profile">
      <div className={classes["columns"]}>
        <div className={classes["column"]}>
          <Card title="User Information">
            <UserInformation />
          </Card>
          <Card title="Security">
            <ChangePasswordForm />
          </Card>
        </div>
        <div className={classes["column"]}>
          <Card title="Appearance">
            <ThemePicker />
          </Card>
          <Card title="Account Settings">
            <AccountSettings />
          </Card>
        </div>
        <div className={`${classes["column"]} ${classes["wide"]}`}>
          <Card title="How I am told" id={OWN_CONTACT_POINTS}>
            <ContactPointList isMine />
          </Card>
          <Card title="Alerts I want to be told of">
            <SubscriptionList />
          </Card>
        </div>
      </div>
    </PageLayout>
  );
}

function Card({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <section id={id} className={`${shared["card"]} ${shared["sheet"]}`} aria-label={title}>
      <Box component="h2" mb={12} fz={15} fw={650} lh="20px">
        {title}
      </Box>
      {children}
    </section>
  );
}

/** §6: the account type of a role. */
const accountType: Record<Role, string> = { SUPER_ADMIN: "Administrator", PARTNER: "Partner" };

const NO_EMAIL = (
  <Box component="span" fw={400} c="dimmed">
    None
  </Box>
);

/** §2 Profile page, user information, read-only. */
export function UserInformation() {
  const { user, role } = useSignedIn();
  return (
    <Facts
      className={classes["facts"]}
      facts={{
        Name: user.name,
        Email: user.email || NO_EMAIL,
        Role: <span className={classes["badge"]}>{roleWord[role]}</span>,
        "User ID": user.id,
        "Account Type": accountType[role],
      }}
    />
  );
}

const labels: Record<PasswordField, string> = {
  currentPassword: "Current password",
  newPassword: "New password",
  confirmation: "Confirm new password",
};

/** §5 Change password on the profile page. */
export function ChangePasswordForm() {
  const { username, user } = useSignedIn();
  // A demo's known password may be restored: there only the server decides.
  const isDemo = useServerConfig()?.mode === "demo";
  const [entries, setEntries] = useState(noEntries);
  const [left, setLeft] = useState<ReadonlySet<PasswordField>>(new Set());
  const [refused, setRefused] = useState<FieldWords>({});
  const [isBusy, setBusy] = useState(false);
  const [wallboardLinks, setWallboardLinks] = useState(0);
  const [isReviewing, setReviewing] = useState(false);
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
    // The fields get the focus: by then they must be enabled and show their messages.
    flushSync(() => {
      setBusy(false);
      setRefused(outcome.refused);
      if (outcome.isDone) {
        setEntries(noEntries);
        setLeft(new Set());
        setWallboardLinks(outcome.wallboardLinks);
      }
    });
    focusFirst(outcome.refused);
  }

  return (
    <>
      <form ref={form} className={classes["form"]} onSubmit={(event) => void submit(event)} noValidate>
        <Box component="h3" fz={13} fw={600} lh="18px">
          Change Password
        </Box>
        <Box component="p" mt={-8} fz={12} lh="16px" c="dimmed">
          At least 8 characters. You will be signed out everywhere else.
        </Box>
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
        {wallboardLinks > 0 && <LinksLeft count={wallboardLinks} onReview={() => setReviewing(true)} />}
      </form>
      {/* Beside the form: what is submitted in the dialog would submit this form, too. */}
      {isReviewing && <WallboardLinksDialog onClose={() => setReviewing(false)} />}
    </>
  );
}

/** A new password ends no wallboard (decision 76): whoever fears that somebody else made a link finds them here. */
function LinksLeft({ count, onReview }: { readonly count: number; readonly onReview: () => void }) {
  return (
    <Notice>
      {count === 1 ? "One wallboard link" : `${count} wallboard links`} of yours still {count === 1 ? "shows" : "show"}{" "}
      your sites.{" "}
      <Anchor component="button" type="button" inherit underline="always" onClick={onReview}>
        {count === 1 ? "Review it" : "Review them"}
      </Anchor>
    </Notice>
  );
}

const SETTINGS = [
  { name: "Email Notifications", meaning: "News and reports by email; alerts are told as you choose below" },
  { name: "Language Preferences", meaning: "The language of this console" },
] as const;

/**
 * §2 Profile page, account settings: what is not available yet says so, and has nothing to press. Then the link to the
 * API.
 */
export function AccountSettings() {
  return (
    <Box component="ul" display="grid" style={{ gap: 10 }}>
      {SETTINGS.map(({ name, meaning }) => (
        <li key={name} className={classes["setting"]}>
          <Box component="span" display="grid" miw={0}>
            <Box component="span" fz={13} fw={550} lh="18px">
              {name}
            </Box>
            <Box component="span" fz={12} lh="16px" c="dimmed">
              {meaning}
            </Box>
          </Box>
          <span className={`${shared["muted"]} ${classes["soon"]}`}>Coming Soon</span>
        </li>
      ))}
      <li className={classes["setting"]}>
        <Box component="span" display="grid" miw={0}>
          <Box component="span" fz={13} fw={550} lh="18px">
            API
          </Box>
          <Box component="span" fz={12} lh="16px" c="dimmed">
            Every call that other programs may make, to read and to try out
          </Box>
        </Box>
        <Box component="a" href={paths.apiDocs()} flex="none" fz={13} lh="24px" c="var(--sc-accent)">
          API documentation
        </Box>
      </li>
    </Box>
  );
}

/** What its messages are about: a new attempt removes the previous one. */
export const PASSWORD_CHANGE = "password-change";

export interface PasswordOutcome {
  readonly isDone: boolean;
  /** The server's messages for the fields. */
  readonly refused: FieldWords;
  /** The person's links to wallboards that still work. */
  readonly wallboardLinks: number;
}

/** Changes the user's own password and reports the result with the toasts of §8. */
export async function updatePassword({ currentPassword, newPassword }: PasswordEntries): Promise<PasswordOutcome> {
  const outcome = await change({
    send: () => call(changePassword, { body: { currentPassword, newPassword } }),
    onDone: () => noteOwnPassword(),
    success: {
      title: "Password Updated",
      message: "Your password has been changed. Everywhere else you have been signed out.",
    },
    failure: { ...passwordToasts.failed, about: PASSWORD_CHANGE },
  });
  if (outcome.kind === "done") {
    return { isDone: true, refused: {}, wallboardLinks: outcome.answer.wallboard_links ?? 0 };
  }
  const refused = outcome.kind === "refused" ? refusedFields(outcome.problems) : {};
  return { isDone: false, refused, wallboardLinks: 0 };
}
