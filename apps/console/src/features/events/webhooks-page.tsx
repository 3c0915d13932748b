import { Anchor, Button, Group } from "@mantine/core";
import { type Webhook, WEBHOOKS_MAX } from "@suncrew/contract/events/webhook-endpoints.ts";
import { IconPencil, IconKey, IconRotateClockwise, IconSend, IconTrash, IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OpenRow } from "../../platform/form/row-dialogs.tsx";
import { RowList } from "../../platform/form/row-list.tsx";
import { paths } from "../../platform/paths.ts";
import { type NewSecret, SigningSecretDialog } from "../../platform/signing-secret-dialog.tsx";
import { Dialog, DialogFooter } from "../../ui/dialog.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import { EventDeliveries } from "./event-deliveries.tsx";
import { removeWebhook, renewSecret, replayFailedSince, sendTestEvent, webhooksQuery } from "./webhook-calls.ts";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { webhookStateLook, webhookStateOf } from "./webhook-looks.ts";
import classes from "./webhooks-page.module.css";

/** The dialogs besides those that add, edit and delete one. */
type Further =
  | { readonly kind: "renew" | "replay"; readonly webhook: Webhook }
  | { readonly kind: "secret"; readonly secret: NewSecret };

/** Programs elsewhere that are told of events, and how that goes; for Super Admins. */
export function WebhooksPage() {
  const query = useQuery(webhooksQuery);
  const [further, setFurther] = useState<Further | null>(null);
  const closeFurther = () => setFurther(null);
  const onSecret = (secret: NewSecret) => setFurther({ kind: "secret", secret });
  const isFull = (query.data?.length ?? 0) >= WEBHOOKS_MAX;
  return (
    <PageLayout title="Webhooks">
      <div>
        <RowList<Webhook>
          what="webhook"
          query={query}
          header={
            <>
              Other programs are told of events as they happen, with signed calls after the Standard Webhooks
              specification. The{" "}
              <Anchor href={paths.apiDocs()} fz="inherit" td="underline">
                API documents
              </Anchor>{" "}
              say what each event contains.
            </>
          }
          empty={{
            icon: IconWebhook,
            title: "No webhooks yet.",
            message: "Add the address of a program that is to know of alerts, runs, commands and robots.",
          }}
          rowPx={92}
          fullReason={isFull ? `There are ${WEBHOOKS_MAX} webhooks already.` : null}
          renderEdit={(dialog) => <WebhookDialog key={dialog.row?.id ?? "new"} onSecret={onSecret} {...dialog} />}
          renderDelete={({ name }) => (
            <>
              <strong>{name}</strong> is told of nothing more, not even of what waits for it.
            </>
          )}
          onDelete={removeWebhook}
        >
          {(webhooks, onOpen) => (
            <ul className={classes["list"]} aria-label="Webhooks">
              {webhooks.map((webhook) => (
                <WebhookCard key={webhook.id} webhook={webhook} onOpen={onOpen} onFurther={setFurther} />
              ))}
            </ul>
          )}
        </RowList>
      </div>
      {/* Also of webhooks that were deleted. */}
      {query.data !== undefined && <EventDeliveries webhooks={query.data} />}
      {further?.kind === "secret" && <SigningSecretDialog {...further.secret} onClose={closeFurther} />}
      {further?.kind === "renew" && (
        <RenewDialog webhook={further.webhook} onRenewed={onSecret} onClose={closeFurther} />
      )}
      {further?.kind === "replay" && <ReplayDialog webhook={further.webhook} onClose={closeFurther} />}
    </PageLayout>
  );
}

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly onOpen: (open: OpenRow<Webhook>) => void;
  readonly onFurther: (further: Further) => void;
}

function WebhookCard({ webhook, onOpen, onFurther }: WebhookCardProps) {
  const { name, host, failing, enabled } = webhook;
  const [answer, setAnswer] = useState<{ readonly delivered: boolean; readonly message: string } | null>(null);
  const [isTesting, run] = useBusy();
  const test = () => run(async () => setAnswer(await sendTestEvent(webhook)));
  return (
    <li className={`${shared["card"]} ${classes["webhook"]}`} aria-label={name}>
      <div className={classes["head"]}>
        <h2 className={shared["name"]}>{name}</h2>
        <StateBadge look={webhookStateLook[webhookStateOf(webhook)]} />
      </div>
      <div className={shared["muted"]}>
        <p style={{ overflowWrap: "anywhere" }}>
          {host} · {eventsText(webhook)}
        </p>
        <LastSent webhook={webhook} />
      </div>
      {webhook.disabled_reason !== null && !enabled && <p className={classes["reason"]}>{webhook.disabled_reason}</p>}
      {failing !== null && enabled && (
        <p className={classes["reason"]}>
          Fails since <RelativeTime at={failing.since} />: {failing.reason}
        </p>
      )}
      {answer !== null && (
        <p role="status" className={classes["answer"]} data-failed={!answer.delivered || undefined}>
          {answer.message}
        </p>
      )}
      <div className={classes["actions"]}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconSend size={14} aria-hidden />}
          loading={isTesting}
          aria-label={`Send test event to ${name}`}
          onClick={() => void test()}
        >
          Send test event
        </Button>
        <Group gap={2}>
          <RowAction
            label="Replay what was given up"
            name={`Replay events of ${name}`}
            icon={IconRotateClockwise}
            isDisabled={!enabled}
            onPress={() => onFurther({ kind: "replay", webhook })}
          />
          <RowAction
            label="Replace signing secret"
            name={`Replace signing secret of ${name}`}
            icon={IconKey}
            onPress={() => onFurther({ kind: "renew", webhook })}
          />
          <RowAction
            label="Edit"
            name={`Edit ${name}`}
            icon={IconPencil}
            onPress={() => onOpen({ kind: "edit", row: webhook })}
          />
          <RowAction
            label="Delete"
            name={`Delete ${name}`}
            icon={IconTrash}
            isDestructive
            onPress={() => onOpen({ kind: "delete", row: webhook })}
          />
        </Group>
      </div>
    </li>
  );
}

function eventsText({ event_types: types, site_ids: sites, partner_ids: partners }: Webhook): string {
  const events =
    types === null ? "all events" : types.length === 1 ? "1 kind of event" : `${types.length} kinds of events`;
  return sites.length + partners.length === 0 ? events : `${events} of some sites`;
}

function LastSent({
  webhook: { last_sent_at: sent, waiting, former_secret_until: until },
}: {
  readonly webhook: Webhook;
}) {
  if (sent === null && waiting === 0 && until === null) return null;
  return (
    <Group component="ul" gap="0 12px">
      {sent !== null && (
        <li>
          Last sent <RelativeTime at={sent} />
        </li>
      )}
      {waiting > 0 && <li>{waiting.toLocaleString("en-GB")} waiting</li>}
      {until !== null && <li>Signed with the former secret, too</li>}
    </Group>
  );
}

interface RenewDialogProps {
  readonly webhook: Webhook;
  readonly onRenewed: (made: NewSecret) => void;
  readonly onClose: () => void;
}

function RenewDialog({ webhook, onRenewed, onClose }: RenewDialogProps) {
  const [isBusy, run] = useBusy();
  const renew = () =>
    run(async () => {
      const secret = await renewSecret(webhook);
      if (secret !== null) onRenewed({ name: webhook.name, secret });
    });
  return (
    <Dialog onClose={onClose} title="Replace Signing Secret">
      <p>
        Calls to <strong>{webhook.name}</strong> are signed with a new secret from now on, and for 24 hours with the
        present one, too.
      </p>
      <DialogFooter isEqual>
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void renew()}>
          Replace Secret
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

const HOUR_MS = 3_600_000;
const SPANS = [
  { label: "Last hour", ms: HOUR_MS },
  { label: "Last 24 hours", ms: 24 * HOUR_MS },
  { label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
] as const;

function ReplayDialog({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const [isBusy, run] = useBusy();
  const replay = (ms: number) =>
    run(async () => {
      const outcome = await replayFailedSince(webhook, new Date(Date.now() - ms));
      if (outcome.kind === "done") onClose();
    });
  return (
    <Dialog onClose={onClose} title="Replay Events">
      <p>
        Sends <strong>{webhook.name}</strong> again what was given up since then: in its order, with the same ids.
      </p>
      <div className={classes["spans"]}>
        {SPANS.map(({ label, ms }) => (
          <Button key={label} variant="default" disabled={isBusy} onClick={() => void replay(ms)}>
            {label}
          </Button>
        ))}
      </div>
      <DialogFooter>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
