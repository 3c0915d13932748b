import { Box, Button, Group, NativeSelect } from "@mantine/core";
import { channelKindSchema } from "@suncrew/contract/notifications/contact-points.ts";
import {
  type Delivery,
  deliveryList,
  deliveryStatusSchema,
  messageKindSchema,
  resendDelivery,
} from "@suncrew/contract/notifications/deliveries.ts";
import { IconSend } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { pagedQuery, queryKeyOf } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, sameNames } from "../../platform/url-state.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import classes from "./deliveries-tab.module.css";
import { channelLook, deliveryStatusLook, messageKindWord } from "./notification-looks.ts";

const filterUrl = {
  status: choiceParam("status", sameNames(deliveryStatusSchema.options), null),
  channel: choiceParam("channel", sameNames(channelKindSchema.options), null),
  kind: choiceParam("kind", sameNames(messageKindSchema.options), null),
};
const EVERYTHING = { status: null, channel: null, kind: null };

const REFETCH_INTERVAL_MS = 10_000;

/** The messages that were sent, or are to be sent. */
export function DeliveriesTab() {
  const { state, change: filterBy } = useUrlState(filterUrl);
  const { status, channel, kind } = state;
  const filter = { ...(status && { status }), ...(channel && { channel }), ...(kind && { message_kind: kind }) };
  const query = useInfiniteQuery({
    ...pagedQuery(deliveryList, filter, (sent, signal) => call(deliveryList, { query: sent }, { signal })),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const rows = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <>
      <Group gap={8} mb={10}>
        <NativeSelect
          size="xs"
          aria-label="Filter by state"
          value={status ?? ""}
          data={[
            { value: "", label: "All states" },
            ...deliveryStatusSchema.options.map((value) => ({ value, label: deliveryStatusLook[value].label })),
          ]}
          onChange={({ currentTarget: { value } }) => filterBy({ status: filterUrl.status.parse(value) }, "replace")}
        />
        <NativeSelect
          size="xs"
          aria-label="Filter by channel"
          value={channel ?? ""}
          data={[
            { value: "", label: "All channels" },
            ...channelKindSchema.options.map((value) => ({ value, label: channelLook[value].label })),
          ]}
          onChange={({ currentTarget: { value } }) => filterBy({ channel: filterUrl.channel.parse(value) }, "replace")}
        />
        <NativeSelect
          size="xs"
          aria-label="Filter by kind"
          value={kind ?? ""}
          data={[
            { value: "", label: "All kinds" },
            ...messageKindSchema.options.map((value) => ({ value, label: messageKindWord[value] })),
          ]}
          onChange={({ currentTarget: { value } }) => filterBy({ kind: filterUrl.kind.parse(value) }, "replace")}
        />
      </Group>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading messages" lines={6} lineHeightPx={52} />}
        failed="The messages could not be loaded."
      >
        {() =>
          rows.length > 0 ? (
            <ul className={`${shared["card"]} ${classes["list"]}`} aria-label="Sent messages">
              {rows.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          ) : (
            <div className={shared["card"]}>
              {status === null && channel === null && kind === null ? (
                <EmptyState title="Nothing has been sent." icon={<IconSend size={32} stroke={1.5} />} />
              ) : (
                <EmptyState
                  title="No messages match the filters."
                  icon={<IconSend size={32} stroke={1.5} />}
                  action={
                    <Button size="xs" variant="default" onClick={() => filterBy(EVERYTHING, "replace")}>
                      Show all messages
                    </Button>
                  }
                />
              )}
            </div>
          )
        }
      </QueryState>
      {query.hasNextPage && (
        <Button
          mt={10}
          size="xs"
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchNextPageError ? "Older messages could not be loaded. Retry" : "Show older messages"}
        </Button>
      )}
    </>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { channel, told, address, title, text, status, reason, attempts, created_at, settled_at } = delivery;
  const [isBusy, run] = useBusy();
  const { label, icon: Icon } = channelLook[channel];
  return (
    <li className={classes["row"]}>
      <Icon size={18} stroke={1.6} role="img" aria-label={label} style={{ flex: "none" }} />
      <Box flex={1} miw={0} fz={13} lh="18px" style={{ overflowWrap: "anywhere" }}>
        <Group gap="2px 8px">
          <span className={shared["name"]}>{title}</span>
          <StateBadge look={deliveryStatusLook[status]} />
        </Group>
        <p className={shared["muted"]}>
          {told}, {address}, <RelativeTime at={settled_at ?? created_at} />
          {attempts > 1 && `, tried ${attempts} times`}
        </p>
        {reason !== null && <p>{reason}</p>}
        {text !== null && (
          <details>
            <summary className={shared["touch"]}>Message</summary>
            <Box component="p" style={{ whiteSpace: "pre-wrap" }}>
              {text}
            </Box>
          </details>
        )}
      </Box>
      {(status === "FAILED" || status === "DROPPED") && (
        <Button
          size="compact-sm"
          variant="default"
          className={shared["touch"]}
          loading={isBusy}
          aria-label={`Send again to ${told}: ${title}`}
          onClick={() => void run(() => resend(delivery))}
        >
          Send again
        </Button>
      )}
    </li>
  );
}

async function resend({ id, told }: Delivery): Promise<void> {
  await change({
    send: () => call(resendDelivery, { params: { deliveryId: id } }),
    invalidates: [queryKeyOf(deliveryList)],
    success: { title: "Message Sent Again", message: `A new message to ${told} is on its way.` },
    failure: { title: "Message Not Sent", message: `Nothing new was sent to ${told}. Please try again.` },
  });
}
