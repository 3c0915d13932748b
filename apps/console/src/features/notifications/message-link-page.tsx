import { Alert, Button, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  ACKNOWLEDGE_COMMENT_MAX,
  acknowledgeByLink,
  messageLink,
  unsubscribeByLink,
} from "@suncrew/contract/notifications/deliveries.ts";
import { robotWithSerial } from "@suncrew/domain/robots/robot-name.ts";
import { IconAlertCircle, IconInfoCircle } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { call } from "../../platform/api/call.ts";
import { ApiError } from "../../platform/api/errors.ts";
import { paths } from "../../platform/paths.ts";
import { SignedOutLayout } from "../../ui/signed-out-layout.tsx";
import classes from "./message-link-page.module.css";

type Link = ResponseOf<typeof messageLink>;
type LinkAlert = Link["alerts"][number];

/** Why the server did nothing. The same call may succeed later unless it has decided. */
interface Failure {
  readonly title: string;
  readonly text: string;
  readonly mayRetry: boolean;
}

type Shown =
  | { readonly is: "reading" }
  | { readonly is: "no-token" }
  | { readonly is: "failed"; readonly failure: Failure }
  | { readonly is: "open"; readonly link: Link }
  | { readonly is: "done"; readonly link: Link; readonly text: string };

/**
 * The page behind the link of a message, `/acknowledge` or `/unsubscribe`, for people who are not signed in. Opening it
 * only reads what it is about: programs that check the links of mails change nothing.
 */
export function MessageLinkPage() {
  const [token] = useState(takeToken);
  const [shown, setShown] = useState<Shown>({ is: token === null ? "no-token" : "reading" });
  useDocumentTitle("Message - Suncrew");
  useEffect(() => {
    // Another link in the address bar: the browser itself loads nothing for what follows `#`.
    const openOther = () => location.reload();
    addEventListener("hashchange", openOther);
    return () => removeEventListener("hashchange", openOther);
  }, []);
  const isReading = shown.is === "reading";
  useEffect(() => {
    if (token === null || !isReading) return undefined;
    const reading = new AbortController();
    readLink(token, reading.signal).then(setShown, () => undefined);
    return () => reading.abort();
  }, [token, isReading]);

  return (
    <SignedOutLayout isBrief>
      <div className={classes["content"]}>
        {shown.is === "reading" ? (
          <p className={classes["muted"]} role="status">
            Reading the link…
          </p>
        ) : shown.is === "no-token" ? (
          <Words title="This link is not complete" text="Open it again from the message that you got." />
        ) : shown.is === "failed" ? (
          <Failed failure={shown.failure} onRetry={() => setShown({ is: "reading" })} />
        ) : shown.is === "done" ? (
          <Words title={shown.text} text={shown.link.title} isStatus />
        ) : token === null ? null : shown.link.action === "UNSUBSCRIBE" ? (
          <Unsubscribe
            token={token}
            link={shown.link}
            onDone={(text) => setShown({ ...shown, is: "done", text })}
            onRefused={(failure) => setShown({ is: "failed", failure })}
          />
        ) : (
          <Acknowledge
            token={token}
            link={shown.link}
            onDone={(text) => setShown({ ...shown, is: "done", text })}
            onRefused={(failure) => setShown({ is: "failed", failure })}
          />
        )}
        <p className={classes["more"]}>
          <a href={paths.signIn()}>Sign in to the console</a> for more.
        </p>
      </div>
    </SignedOutLayout>
  );
}

/**
 * What follows `#` in the link: no server or proxy sees it. It leaves the address bar at once, and stays with this entry
 * of the tab's history, so that a phone which loads the page again still knows it.
 */
function takeToken(): string | null {
  const given = location.hash.slice(1);
  const kept: unknown = Reflect.get(Object(history.state), "messageLink");
  const token = given !== "" ? given : typeof kept === "string" ? kept : null;
  if (token !== null) history.replaceState({ messageLink: token }, "", location.pathname);
  return token;
}

/** Rejects only when it is aborted. */
async function readLink(token: string, signal: AbortSignal): Promise<Shown> {
  try {
    return { is: "open", link: await call(messageLink, { body: { token } }, { signal }) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { is: "failed", failure: failureOf(error, "The link could not be read.") };
  }
}

/** What is wrong, where the server names it; its sentence says more. */
const refusals: Readonly<Partial<Record<string, string>>> = {
  VALIDATION_FAILED: "This link is not valid",
  LINK_NOT_VALID: "This link is not valid",
  LINK_EXPIRED: "This link has expired",
  LINK_MESSAGE_GONE: "This message is not kept any more",
  LINK_CONTACT_POINT_DELETED: "This contact point was deleted",
  LINK_SITE_DELETED: "This site was deleted",
  LINK_SITE_NOT_VISIBLE: "No access to this site any more",
  ALERT_ACKNOWLEDGED: "Already acknowledged",
  ALERT_CLEARED: "Everything is over",
};

function failureOf(error: unknown, otherwise: string): Failure {
  const later = { title: "This did not work yet", mayRetry: true };
  if (!(error instanceof ApiError)) return { ...later, text: "Suncrew cannot be reached. Check your connection." };
  const { status, message, code } = error;
  const text =
    code === "VALIDATION_FAILED" ? "It is not a link of Suncrew, or a part of it is missing." : message || otherwise;
  const isDecided = status >= 400 && status < 500 && status !== 429;
  if (!isDecided) return { ...later, text };
  return { title: refusals[code ?? ""] ?? "This link does not work any more", text, mayRetry: false };
}

function Words({ title, text, isStatus = false }: { title: string; text: string; isStatus?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isStatus) heading.current?.focus();
  }, [isStatus]);
  return (
    <div role={isStatus ? "status" : undefined}>
      <h2 ref={heading} className={classes["title"]} tabIndex={-1}>
        {title}
      </h2>
      <p className={classes["muted"]}>{text}</p>
    </div>
  );
}

function Failed({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  return (
    <div className={classes["content"]} role="alert">
      <div>
        <h2 className={classes["title"]}>{failure.title}</h2>
        <p className={classes["muted"]}>{failure.text}</p>
      </div>
      {failure.mayRetry && (
        <Button size="md" fullWidth onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

interface ActionProps {
  readonly token: string;
  readonly link: Link;
  /** With what the server says. */
  readonly onDone: (text: string) => void;
  /** For good: there is nothing left to press. */
  readonly onRefused: (failure: Failure) => void;
}

/** Asks for the press that acknowledges, unless there is nothing left to acknowledge. */
function Acknowledge({ token, link, ...after }: ActionProps) {
  const [comment, setComment] = useState("");
  const { isBusy, failure, run } = useAction(after);
  const { alerts } = link;
  const waiting = alerts.filter((alert) => alert.cleared_at === null && alert.acknowledged_by === null);
  const by = [...new Set(alerts.flatMap(({ acknowledged_by }) => acknowledged_by ?? []))];
  const isOver = alerts.every(({ cleared_at }) => cleared_at !== null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => call(acknowledgeByLink, { body: { token, comment: comment.trim() === "" ? null : comment } }));
  };
  return (
    <>
      <Heading
        title={
          waiting.length > 0
            ? waiting.length === 1
              ? "Acknowledge this alert?"
              : `Acknowledge these ${waiting.length} alerts?`
            : isOver
              ? "Everything is over"
              : `Already acknowledged by ${by.join(" and ")}`
        }
        link={link}
      >
        {waiting.length > 0
          ? `Then nobody else is told, and others see that you look after ${waiting.length === 1 ? "it" : "them"}.`
          : isOver
            ? "There is nothing left to acknowledge."
            : "You need not do anything here."}
      </Heading>
      <Alerts alerts={alerts} />
      {waiting.length > 0 && (
        <form className={classes["content"]} onSubmit={submit}>
          <TextInput
            label="Comment (optional)"
            name="comment"
            size="md"
            autoComplete="off"
            placeholder="Such as: on my way"
            maxLength={ACKNOWLEDGE_COMMENT_MAX}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          <Refused failure={failure} />
          <Button type="submit" size="md" fullWidth aria-disabled={isBusy} data-busy={isBusy || undefined}>
            {isBusy ? "Acknowledging..." : "Acknowledge"}
          </Button>
        </form>
      )}
    </>
  );
}

function Unsubscribe({ token, link, ...after }: ActionProps) {
  const { isBusy, failure, run } = useAction(after);
  if (link.unsubscribed_at !== null) {
    return (
      <Heading title="Already unsubscribed" link={link}>
        Suncrew sends nothing to this contact point, until it is enabled again in the console.
      </Heading>
    );
  }
  return (
    <>
      <Heading title="Stop these messages?" link={link}>
        Suncrew then sends nothing more to this contact point, until it is enabled again in the console.
      </Heading>
      <Refused failure={failure} />
      <Button
        size="md"
        fullWidth
        aria-disabled={isBusy}
        data-busy={isBusy || undefined}
        onClick={() => void run(() => call(unsubscribeByLink, { body: { token } }))}
      >
        {isBusy ? "Stopping..." : "Stop messages"}
      </Button>
    </>
  );
}

/** One call at a time; a failure stays beside its button, which is the way to try again. */
function useAction({ onDone, onRefused }: Pick<ActionProps, "onDone" | "onRefused">) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async (send: () => Promise<{ readonly message: string }>) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      onDone((await send()).message);
    } catch (error) {
      const failed = failureOf(error, "The server refused it.");
      if (failed.mayRetry) setFailure(failed);
      else onRefused(failed);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, run };
}

function Refused({ failure }: { readonly failure: Failure | null }) {
  if (failure === null) return null;
  return (
    <Alert color="red" variant="light" role="alert" icon={<IconAlertCircle aria-hidden />} p="sm">
      {failure.text}
    </Alert>
  );
}

function Heading({ title, link, children }: { title: string; link: Link; children: ReactNode }) {
  const { told, contact_point_name: contactPoint, title: message, alerts } = link;
  return (
    <div>
      <h2 className={classes["title"]}>{title}</h2>
      <p className={classes["muted"]}>{children}</p>
      <p className={classes["message"]}>
        <IconInfoCircle size={16} aria-hidden />
        <span>
          {/* The one alert below says it. */}
          {alerts.length !== 1 && message}
          <span className={classes["muted"]}>
            Sent to {told}
            {contactPoint === told ? "" : `, ${contactPoint}`}
          </span>
        </span>
      </p>
    </div>
  );
}

const severityWord: Readonly<Record<Severity, string>> = { CRITICAL: "Critical", WARNING: "Warning", INFO: "Info" };

/** Without the rest of the console, which shows dates in the time zones of its sites. */
const time = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "long",
});

function Alerts({ alerts }: { readonly alerts: readonly LinkAlert[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <div className={classes["scroll"]} role="group" aria-label="Alerts, scrollable" tabIndex={0}>
      <ul className={classes["alerts"]}>
        {alerts.map((alert, nth) => (
          // oxlint-disable-next-line react/no-array-index-key -- two alerts may say the same
          <li key={nth} data-severity={alert.severity} data-over={alert.cleared_at !== null || undefined}>
            <p className={classes["about"]}>
              <span className={classes["severity"]}>{severityWord[alert.severity]}</span>
              <span>
                {[robotWithSerial(alert.robot_name, alert.serial_number), alert.site_name]
                  .filter((name) => name !== null)
                  .join(", ") || "Suncrew's servers"}
              </span>
            </p>
            <p>{alert.text}</p>
            <p className={classes["muted"]}>
              <time dateTime={alert.raised_at}>{time.format(new Date(alert.raised_at))}</time>
              {alert.cleared_at === null ? "" : `. Over since ${time.format(new Date(alert.cleared_at))}`}
              {alert.acknowledged_by === null ? "" : `. Acknowledged by ${alert.acknowledged_by}`}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
