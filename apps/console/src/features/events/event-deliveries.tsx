import { Box, Button, Group, Select } from "@mantine/core";
import { eventTexts, eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import {
  type EventDelivery,
  eventDeliveryStatusSchema,
  type Webhook,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import { robotWithSerial } from "@suncrew/domain/robots/robot-name.ts";
import { IconCode, IconRotateClockwise } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "../../platform/copy-button.tsx";
import { PagedTable } from "../../platform/paged-table.tsx";
import { choiceParam, idParam, sameNames } from "../../platform/url-state.ts";
import { useUrlState } from "../../platform/url-params.tsx";
import { deliveryLook } from "../../ui/delivery-looks.ts";
import { Dialog, DialogFooter } from "../../ui/dialog.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { Cell } from "../../ui/virtual-table.tsx";
import shared from "../../ui/shared.module.css";
import { deliveriesQuery, replayOne } from "./webhook-calls.ts";
import classes from "./webhooks-page.module.css";

const filterParams = {
  webhook: idParam("webhook"),
  status: choiceParam("status", sameNames(eventDeliveryStatusSchema.options), null),
  type: choiceParam("type", sameNames(eventTypeSchema.options), null),
};

/** What was sent to webhooks, or is to be. */
export function EventDeliveries({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { state: filter, change } = useUrlState(filterParams);
  const setFilter = (by: Partial<typeof filter>) => change(by, "replace");
  const { webhook, status, type } = filter;
  const list = useInfiniteQuery(
    deliveriesQuery({
      ...(webhook !== null && { webhook_id: webhook }),
      ...(status !== null && { status }),
      ...(type !== null && { type }),
    }),
  );
  const [shown, setShown] = useState<EventDelivery | null>(null);
  const isFiltered = webhook !== null || status !== null || type !== null;
  return (
    <section aria-label="Deliveries">
      <div className={classes["filters"]}>
        <h2 className={classes["title"]}>Deliveries</h2>
        <Select
          aria-label="Webhook"
          placeholder="All webhooks"
          size="xs"
          clearable
          data={webhooks.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={webhook === null ? null : String(webhook)}
          onChange={(id) => setFilter({ webhook: id === null ? null : Number(id) })}
        />
        <Select
          aria-label="Status"
          placeholder="Any status"
          size="xs"
          clearable
          data={eventDeliveryStatusSchema.options.map((value) => ({ value, label: deliveryLook[value].label }))}
          value={status}
          onChange={(value) => setFilter({ status: eventDeliveryStatusSchema.safeParse(value).data ?? null })}
        />
        <Select
          aria-label="Event"
          placeholder="All events"
          size="xs"
          clearable
          searchable
          data={eventTypeSchema.options.map((value) => ({ value, label: eventTexts[value].title }))}
          value={type}
          onChange={(value) => setFilter({ type: eventTypeSchema.safeParse(value).data ?? null })}
        />
      </div>
      <PagedTable
        list={list}
        rowsOf={({ deliveries }) => deliveries}
        names={["delivery", "deliveries"]}
        none={<p className={shared["muted"]}>{isFiltered ? "No delivery matches." : "Nothing has happened yet."}</p>}
        label="Deliveries"
        columns={["Event", "About", "Webhook", "When", "Status", "Actions"]}
        keyOf={({ id }) => id}
        className={classes["table"]}
        rowClassName={classes["row"]}
      >
        {(delivery) => <DeliveryCells delivery={delivery} onShow={() => setShown(delivery)} />}
      </PagedTable>
      {shown !== null && <DeliveryDialog delivery={shown} onClose={() => setShown(null)} />}
    </section>
  );
}

/** The robot, the site, or Suncrew itself. */
function aboutOf({ robot_name, serial_number, site_name }: EventDelivery): string {
  return (
    [robotWithSerial(robot_name, serial_number), site_name].filter((part) => part !== null).join(", ") ||
    "Suncrew's servers"
  );
}

function DeliveryCells({ delivery, onShow }: { readonly delivery: EventDelivery; readonly onShow: () => void }) {
  const { type, at, webhook_name: webhook, status, reason, replay } = delivery;
  const { title } = eventTexts[type];
  const about = aboutOf(delivery);
  return (
    <>
      <Cell area="event" isCut title={title} className={shared["name"]}>
        {title}
      </Cell>
      <Cell area="about" isCut title={about}>
        {about}
      </Cell>
      <Cell area="webhook" isCut title={webhook} className={shared["muted"]}>
        {webhook}
      </Cell>
      <Cell area="when" className={shared["muted"]}>
        <RelativeTime at={at} />
        {replay && ", replayed"}
      </Cell>
      <Cell area="status" isCut title={reason ?? undefined} className={classes["status"]}>
        <StateBadge look={deliveryLook[status]} />
        {reason !== null && <span className={shared["muted"]}>{reason}</span>}
      </Cell>
      <Cell area="actions" className={classes["cellActions"]}>
        <RowAction label="Show" name={`Show ${title} of ${about}`} icon={IconCode} onPress={onShow} />
      </Cell>
    </>
  );
}

function DeliveryDialog({ delivery, onClose }: { readonly delivery: EventDelivery; readonly onClose: () => void }) {
  const { type, status, reason, attempts, event_id: id, payload, due_at: due, settled_at: settled } = delivery;
  const [isBusy, run] = useBusy();
  const replay = () =>
    run(async () => {
      if ((await replayOne(delivery)).kind === "done") onClose();
    });
  return (
    <Dialog onClose={onClose} title={eventTexts[type].title} size={640} fullScreenBelow="48em">
      <dl className={shared["facts"]}>
        <dt>About</dt>
        <dd>{aboutOf(delivery)}</dd>
        <dt>Webhook</dt>
        <dd>{delivery.webhook_name}</dd>
        <dt>Status</dt>
        <dd>
          <StateBadge look={deliveryLook[status]} /> {reason}
        </dd>
        <dt>Tries</dt>
        <dd>
          {attempts}
          {due !== null && attempts > 0 && (
            <>
              , next <RelativeTime at={due} />
            </>
          )}
          {settled !== null && (
            <>
              , the last <RelativeTime at={settled} />
            </>
          )}
        </dd>
        <dt>webhook-id</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
      {payload === null ? (
        <Box component="p" mt="md" fz={13} c="dimmed">
          Its body is written with the first try.
        </Box>
      ) : (
        <>
          <Group justify="space-between" mt="md" mb={4}>
            <h3 className={classes["title"]}>Body</h3>
            <CopyButton what="Body" text={payload} />
          </Group>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
          <pre className={classes["payload"]} tabIndex={0} aria-label="Body">
            {JSON.stringify(JSON.parse(payload), null, 2)}
          </pre>
        </>
      )}
      <DialogFooter isEqual>
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
        <Button
          leftSection={<IconRotateClockwise size={16} aria-hidden />}
          loading={isBusy}
          disabled={status === "WAITING"}
          onClick={() => void replay()}
        >
          Send again
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
