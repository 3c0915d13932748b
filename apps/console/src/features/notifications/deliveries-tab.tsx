import { Button, Select } from "@mantine/core";
import { channelKindSchema } from "@suncrew/contract/notifications/contact-points.ts";
import {
  type Delivery,
  deliveryList,
  deliveryStatusSchema,
  messageKindSchema,
} from "@suncrew/contract/notifications/deliveries.ts";
import { IconFilterOff, IconListDetails, IconSend, IconRotateClockwise } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../platform/api/call.ts";
import { pagedQuery } from "../../platform/api/paged-query.ts";
import { PagedTable } from "../../platform/paged-table.tsx";
import { type UrlState, useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, dayParam, idParam, sameNames, type UrlSchema } from "../../platform/url-state.ts";
import { DayRangeFields } from "../../ui/day-range-fields.tsx";
import { endsBeforeItBegins, startOfDay } from "../../ui/days.ts";
import { deliveryLook, sentSentence } from "../../ui/delivery-looks.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { Cell } from "../../ui/virtual-table.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./deliveries-tab.module.css";
import type { DeliveryDialogProps } from "./delivery-dialog.tsx";
import { contactPointsQuery, mayResend, resend } from "./notification-calls.ts";
import { channelLook, messageKindWord } from "./notification-looks.ts";

const DeliveryDialog = lazyDialog<DeliveryDialogProps>(
  ({ delivery }) => delivery.title,
  async () => (await import("./delivery-dialog.tsx")).DeliveryDialog,
);

/** The filters in the URL; null does not filter. */
interface DeliveryFilters {
  readonly contact: number | null;
  readonly status: Delivery["status"] | null;
  readonly channel: Delivery["channel"] | null;
  readonly kind: Delivery["message_kind"] | null;
  /** First and last day, `YYYY-MM-DD`, in the browser's time zone. */
  readonly from: string | null;
  readonly to: string | null;
}

const filterUrl: UrlSchema<DeliveryFilters> = {
  contact: idParam("contact"),
  status: choiceParam("status", sameNames(deliveryStatusSchema.options), null),
  channel: choiceParam("channel", sameNames(channelKindSchema.options), null),
  kind: choiceParam("kind", sameNames(messageKindSchema.options), null),
  from: dayParam("from"),
  to: dayParam("to"),
};
const EVERYTHING: DeliveryFilters = { contact: null, status: null, channel: null, kind: null, from: null, to: null };

const isNarrowed = (filters: DeliveryFilters) => Object.values(filters).some((value) => value !== null);

const REFETCH_INTERVAL_MS = 10_000;
const PAGE_ROWS = 100;

function useDeliveryPages({ contact, status, channel, kind, from, to }: DeliveryFilters, isOn: boolean) {
  const filter = {
    limit: PAGE_ROWS,
    ...(contact !== null && { contact_point_id: contact }),
    ...(status !== null && { status }),
    ...(channel !== null && { channel }),
    ...(kind !== null && { message_kind: kind }),
    ...(from !== null && { from: startOfDay(from, 0).toISOString() }),
    ...(to !== null && { to: startOfDay(to, 1).toISOString() }),
  };
  return useInfiniteQuery({
    ...pagedQuery(deliveryList, filter, (query, signal) => call(deliveryList, { query }, { signal })),
    enabled: isOn,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
}

/** The title has two lines. */
const NARROW_ROW_PX = 124;

/** The messages that were sent, or are to be sent. */
export function DeliveriesTab() {
  const url = useUrlState(filterUrl);
  const { state: filters, change } = url;
  const isOn = !endsBeforeItBegins(filters);
  const query = useDeliveryPages(filters, isOn);
  const [shown, setShown] = useState<Delivery | null>(null);
  const rows = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const none = (
    <div className={shared["card"]} style={{ marginTop: 12 }}>
      <NoDeliveries filters={filters} onShowAll={() => change(EVERYTHING, "replace")} />
    </div>
  );
  return (
    <>
      <Filters {...url} />
      {isOn ? (
        <PagedTable
          list={query}
          rowsOf={({ deliveries }) => deliveries}
          names={["message", "messages"]}
          none={none}
          label="Sent messages"
          columns={["Message", "To", "State", "When", "Actions"]}
          keyOf={({ id }) => id}
          className={classes["table"]}
          rowClassName={classes["row"]}
          narrowRowPx={NARROW_ROW_PX}
        >
          {(delivery) => <DeliveryCells delivery={delivery} onShow={() => setShown(delivery)} />}
        </PagedTable>
      ) : (
        none
      )}
      {shown !== null && (
        <DeliveryDialog
          key={shown.id}
          delivery={rows.find(({ id }) => id === shown.id) ?? shown}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

interface NoDeliveriesProps {
  readonly filters: DeliveryFilters;
  readonly onShowAll: () => void;
}

function NoDeliveries({ filters, onShowAll }: NoDeliveriesProps) {
  const icon = <IconSend size={32} stroke={1.5} />;
  if (!isNarrowed(filters)) {
    return (
      <EmptyState
        title="Nothing has been sent."
        message="Once a rule, a subscription, a digest or a test tells somebody something, the message is listed here."
        icon={icon}
      />
    );
  }
  return (
    <EmptyState
      title="No messages match the filters."
      {...(endsBeforeItBegins(filters) && { message: "The last day is before the first." })}
      icon={icon}
      action={
        <Button size="xs" variant="default" className={shared["touch"]} onClick={onShowAll}>
          Show all messages
        </Button>
      }
    />
  );
}

function Filters({ state: filters, change }: UrlState<DeliveryFilters>) {
  const { contact, status, channel, kind } = filters;
  const points = useQuery(contactPointsQuery(false)).data;
  const filterBy = (by: Partial<DeliveryFilters>) => change(by, "replace");
  const known = (points ?? []).map(({ id, name, owner }) => ({ value: String(id), label: `${owner.name}: ${name}` }));
  const isMissing = contact !== null && !known.some(({ value }) => value === String(contact));
  const missing = { value: String(contact), label: points === undefined ? "Loading…" : "Deleted contact point" };
  return (
    <div className={classes["filters"]} role="group" aria-label="Filters">
      <Select
        size="xs"
        label="Contact point"
        placeholder="All contact points"
        searchable
        clearable
        limit={50}
        nothingFoundMessage="None has this name"
        data={isMissing ? [missing, ...known] : known}
        value={contact === null ? null : String(contact)}
        onChange={(id) => filterBy({ contact: id === null ? null : Number(id) })}
      />
      <Select
        size="xs"
        label="State"
        placeholder="All states"
        clearable
        data={deliveryStatusSchema.options.map((value) => ({ value, label: deliveryLook[value].label }))}
        value={status}
        onChange={(value) => filterBy({ status: filterUrl.status.parse(value ?? "") })}
      />
      <Select
        size="xs"
        label="Channel"
        placeholder="All channels"
        clearable
        data={channelKindSchema.options.map((value) => ({ value, label: channelLook[value].label }))}
        value={channel}
        onChange={(value) => filterBy({ channel: filterUrl.channel.parse(value ?? "") })}
      />
      <Select
        size="xs"
        label="Kind"
        placeholder="All kinds"
        clearable
        data={messageKindSchema.options.map((value) => ({ value, label: messageKindWord[value] }))}
        value={kind}
        onChange={(value) => filterBy({ kind: filterUrl.kind.parse(value ?? "") })}
      />
      <DayRangeFields days={filters} onChange={filterBy} />
      {isNarrowed(filters) && (
        <ToolButton
          icon={IconFilterOff}
          variant="subtle"
          className={classes["clear"]}
          onClick={() => filterBy(EVERYTHING)}
        >
          Clear filters
        </ToolButton>
      )}
    </div>
  );
}

function DeliveryCells({ delivery, onShow }: { readonly delivery: Delivery; readonly onShow: () => void }) {
  const { channel, told, contact_point_name: point, address, title, status, created_at, settled_at } = delivery;
  const [isBusy, run] = useBusy();
  const { label, icon: Icon } = channelLook[channel];
  const answer = answerOf(delivery);
  return (
    <>
      <Cell area="title" className={classes["title"]} title={title}>
        <Icon size={18} stroke={1.6} role="img" aria-label={label} />
        <span className={`${shared["name"]} ${shared["truncate"]}`}>{title}</span>
      </Cell>
      <Cell area="whom" className={classes["whom"]} title={`${told}: ${point}, ${address}`}>
        <span className={shared["truncate"]}>{told}</span>{" "}
        <span className={`${shared["muted"]} ${shared["truncate"]}`}>
          {point}, {address}
        </span>
      </Cell>
      <Cell area="state" className={classes["state"]} title={answer}>
        <StateBadge look={deliveryLook[status]} />
        <span className={`${shared["muted"]} ${shared["truncate"]}`}>{answer}</span>
      </Cell>
      <Cell area="when" className={`${shared["muted"]} ${classes["when"]}`}>
        <RelativeTime at={settled_at ?? created_at} />
      </Cell>
      <Cell area="actions" className={classes["actions"]}>
        <RowAction label="Details" name={`Details of ${title} to ${told}`} icon={IconListDetails} onPress={onShow} />
        {mayResend(delivery) && (
          <RowAction
            label="Send again"
            name={`Send again to ${told}: ${title}`}
            icon={IconRotateClockwise}
            isBusy={isBusy}
            onPress={() => void run(() => resend(delivery))}
          />
        )}
      </Cell>
    </>
  );
}

/** What its service said in the end, or at the last try. */
function answerOf({ status, channel, reason, attempts }: Delivery): string {
  if (reason !== null) return reason;
  const sent = status === "SENT" ? sentSentence(channel) : "";
  return attempts > 1 ? `${sent} At try ${attempts}.`.trim() : sent;
}
