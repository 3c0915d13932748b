import { Anchor, Box } from "@mantine/core";
import type { Alert } from "@suncrew/contract/alerts/alerts.ts";
import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import { type Delivery, deliveryList } from "@suncrew/contract/notifications/deliveries.ts";
import { IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { sentText } from "../../ui/delivery-looks.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { subjectOf } from "./acknowledge-button.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./who-was-told.module.css";

const by: Record<ChannelKind, string> = {
  EMAIL: "by email",
  SLACK: "by Slack",
  TEAMS: "by Microsoft Teams",
  TELEGRAM: "by Telegram",
  WHATSAPP: "by WhatsApp",
  WEBHOOK: "by webhook",
};

/** None of this is part of the live stream. */
const REFETCH_INTERVAL_MS = 10_000;
/** Whoever is not disturbed gets a message later than this; everybody else's is under way. */
const HELD_FROM_MS = 60_000;

export interface WhoWasToldProps {
  readonly alert: Alert;
  /** Of the button. */
  readonly className?: string | undefined;
}

/** Two cells of an alert's row, which is a grid: a button and, once it was pressed, a line below all others. */
export function WhoWasTold({ alert, className = "" }: WhoWasToldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        className={`${shared["touchIcon"]} ${className}`}
        variant={isOpen ? "light" : "subtle"}
        color="gray"
        label="Who was told"
        aria-label={`Who was told: ${subjectOf(alert)}, ${alert.text}`}
        aria-expanded={isOpen}
        icon={IconSend}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && <ToldOf alertId={alert.id} />}
    </>
  );
}

/** The messages that told an alert to somebody, as far as the viewer may know of them; the latest first. */
function ToldOf({ alertId }: { readonly alertId: string }) {
  const query = useQuery({
    ...routeQuery(deliveryList, { query: { alert_id: alertId } }),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <div className={classes["told"]} role="group" aria-label="Who was told">
      <QueryState
        query={query}
        loading={
          <p className={shared["muted"]} role="status">
            Loading who was told...
          </p>
        }
        renderFailed={({ onRetry, retrying }) => (
          <p role="alert">
            Who was told could not be loaded.{" "}
            <Anchor component="button" type="button" inherit underline="always" aria-busy={retrying} onClick={onRetry}>
              Retry
            </Anchor>
          </p>
        )}
      >
        {({ deliveries, total }) =>
          deliveries.length === 0 ? (
            <NobodyTold />
          ) : (
            <ul>
              {deliveries.map((delivery) => (
                <li key={delivery.id}>{sentence(delivery)}</li>
              ))}
              {total > deliveries.length && (
                <li className={shared["muted"]}>And {total - deliveries.length} earlier</li>
              )}
            </ul>
          )
        }
      </QueryState>
    </div>
  );
}

/** Others than Super Admins do not learn of everybody's messages. */
function NobodyTold() {
  const { role } = useSignedIn();
  if (role !== "SUPER_ADMIN") return <p>No message to you, your organisation or your sites&apos; contacts.</p>;
  return (
    <p>
      Nobody was told.{" "}
      <Box component={Link} to={paths.notifications({ tab: "rules" })} c="var(--sc-accent)">
        Rules
      </Box>
    </p>
  );
}

function sentence(delivery: Delivery) {
  const { told, channel, status, attempts, reason, created_at, due_at, settled_at, message_kind: kind } = delivery;
  const whom = `${told} ${by[channel]}`;
  const why = reason === null ? "" : `, ${withoutStop(reason)}`;
  const tried = attempts === 1 ? "tried once" : `tried ${attempts} times`;
  switch (status) {
    case "SENT":
      return (
        <>
          Told {whom} at <Clock at={settled_at ?? created_at} />
          {kind === "CLEARED" ? " that it is over" : ""}, {sentText[channel]}
        </>
      );
    case "FAILED":
      return `${whom}: ${attempts === 0 ? "given up" : `${tried}, given up`}${why}`;
    case "DROPPED":
      return `${whom}: not needed any more${why}`;
    case "WAITING": {
      if (due_at === null) return `${whom}: waiting to be sent`;
      if (attempts > 0) {
        return (
          <>
            {whom}: {tried}
            {why}; again at <Clock at={due_at} />
          </>
        );
      }
      const isHeld = Date.parse(due_at) - Date.parse(created_at) > HELD_FROM_MS;
      if (!isHeld) return `${whom}: waiting to be sent`;
      return (
        <>
          {whom}: waits until <Clock at={due_at} /> (quiet times)
        </>
      );
    }
  }
}

const withoutStop = (text: string) => text.replace(/\.$/, "");

const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** "05:31", on another day "21 Nov, 05:31". */
function clockText(date: Date): string {
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? time.format(date) : `${day.format(date)}, ${time.format(date)}`;
}

function Clock({ at }: { readonly at: string }) {
  return <time dateTime={at}>{clockText(new Date(at))}</time>;
}
