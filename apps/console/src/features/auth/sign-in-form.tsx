import { Alert, Button, PasswordInput, TextInput, UnstyledButton } from "@mantine/core";
import { login, roleSchema } from "@suncrew/contract/auth/auth.ts";
import { config as configRoute } from "@suncrew/contract/config/config.ts";
import { IconAlertCircle, IconInfoCircle, IconLock, IconShieldCheck, IconTool, IconUser } from "@tabler/icons-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { call } from "../../platform/api/call.ts";
import { logFailure } from "../../platform/api/errors.ts";
import type { ServerConfig } from "../../platform/server-config.ts";
import { leftPlace } from "../../platform/session/left-place.ts";
import { startSession } from "../../platform/session/session.ts";
import { thisBrowser } from "../../platform/session/this-browser.ts";
import { roleWord } from "./role-words.ts";
import { signInFailure } from "./sign-in-failure.ts";
import classes from "./sign-in-page.module.css";

interface FieldErrors {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** §2 Sign-in page: username, password, the button and the error banner. */
export function SignInForm({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) {
  const config = useConfig();
  const usernameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [left] = useState(leftPlace);

  async function signIn(): Promise<void> {
    const credentials = login.body.safeParse({ username, password });
    setFailure(null);
    if (!credentials.success) {
      const messageOf = (field: string) => credentials.error.issues.find((issue) => issue.path[0] === field)?.message;
      setFieldErrors({ username: messageOf("username"), password: messageOf("password") });
      (messageOf("username") === undefined ? passwordField : usernameField).current?.focus();
      return;
    }
    setFieldErrors({});
    setBusy(true);
    try {
      startSession(await call(login, { body: { ...credentials.data, browser: thisBrowser() } }));
      await onSignedIn();
    } catch (error) {
      setFailure(signInFailure(error));
      passwordField.current?.select();
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!busy) void signIn();
  }

  return (
    <form className={classes["form"]} onSubmit={submit} noValidate aria-label="Sign in">
      {failure === null && left?.hasEnded === true && (
        <Alert variant="light" role="status" icon={<IconInfoCircle aria-hidden />} p="sm">
          {left.lostCookie === true
            ? "Your browser did not keep the cookie of this sign-in. Allow cookies for this site, then sign in again."
            : "Your session has ended; sign in again to go on where you were."}
        </Alert>
      )}
      {failure !== null && (
        <Alert color="red" variant="light" role="alert" icon={<IconAlertCircle aria-hidden />} p="sm">
          {failure}
        </Alert>
      )}
      <TextInput
        ref={usernameField}
        label="Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        size="md"
        aria-required
        leftSection={<IconUser size={16} aria-hidden />}
        value={username}
        error={fieldErrors.username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        ref={passwordField}
        label="Password"
        name="password"
        autoComplete="current-password"
        size="md"
        aria-required
        leftSection={<IconLock size={16} aria-hidden />}
        visibilityToggleButtonProps={{ "aria-label": "Show or hide what is typed", tabIndex: 0 }}
        value={password}
        error={fieldErrors.password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" size="md" fullWidth aria-disabled={busy} data-busy={busy || undefined}>
        {busy ? "Signing in..." : "Sign In"}
      </Button>
      {config?.mode === "demo" && (
        <DemoSignIns
          signIns={config.demo_sign_ins}
          onChoose={(chosen) => {
            setUsername(chosen.username);
            setPassword(chosen.password);
            setFieldErrors({});
            setFailure(null);
          }}
        />
      )}
    </form>
  );
}

const CONFIG_EVERY_MS = 300_000;
const CONFIG_RETRY_MS = 5_000;

/** The server's configuration, without the cache of the signed-in console; undefined until it answers. */
function useConfig(): ServerConfig | undefined {
  const [config, setConfig] = useState<ServerConfig>();
  useEffect(() => {
    const page = new AbortController();
    let next: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      clearTimeout(next);
      const answer = await call(configRoute, {}, { signal: page.signal }).catch((error: unknown) => {
        logFailure(configRoute.path, error);
      });
      if (page.signal.aborted) return;
      if (answer !== undefined) setConfig(answer);
      next = setTimeout(() => void ask(), answer === undefined ? CONFIG_RETRY_MS : CONFIG_EVERY_MS);
    };
    const onShown = () => {
      if (!document.hidden) void ask();
    };
    void ask();
    document.addEventListener("visibilitychange", onShown, { signal: page.signal });
    return () => {
      page.abort();
      clearTimeout(next);
    };
  }, []);
  return config;
}

type DemoSignIn = ServerConfig["demo_sign_ins"][number];

interface DemoSignInsProps {
  readonly signIns: readonly DemoSignIn[];
  readonly onChoose: (signIn: DemoSignIn) => void;
}

/**
 * The known accounts of a demo; selecting one fills in the form. Accounts whose password was changed are not listed.
 */
function DemoSignIns({ signIns, onChoose }: DemoSignInsProps) {
  return (
    <section className={classes["demo"]} aria-labelledby="demo-title">
      <h2 id="demo-title" className={classes["title"]}>
        Demo with simulated robots
      </h2>
      <p className={classes["hint"]}>
        {signIns.length === 0
          ? "Its known passwords have been changed. Restart with --reset to begin again."
          : "Pick an account to fill the form."}
      </p>
      <ul className={classes["list"]}>
        {signIns.map((signIn) => {
          const role = roleSchema.safeParse(signIn.role).data;
          const Icon = role === "SUPER_ADMIN" ? IconShieldCheck : IconTool;
          return (
            <li key={signIn.username}>
              <UnstyledButton className={classes["account"]} onClick={() => onChoose(signIn)}>
                <Icon size={18} stroke={1.6} aria-hidden />
                <span className={classes["words"]}>
                  <span className={classes["role"]}>{role === undefined ? signIn.role : roleWord[role]}</span>
                  <span className={classes["credentials"]}>
                    {signIn.username} / {signIn.password}
                  </span>
                </span>
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
