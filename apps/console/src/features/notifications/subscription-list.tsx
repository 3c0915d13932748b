import "@mantine/core/styles/Switch.layer.css";
import { Anchor, Box, Group, Switch, Tooltip } from "@mantine/core";
import type { ContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { type Subscription, SUBSCRIPTIONS_PER_USER } from "@suncrew/contract/notifications/notification-rules.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconAlertTriangle, IconBellRinging, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DeleteDialog } from "../../ui/delete-dialog.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import {
  contactPointsQuery,
  enableSubscription,
  removeSubscription,
  subscriptionsQuery,
} from "./notification-calls.ts";
import { alertsText, placesText, secondsText, telling } from "./rule-words.ts";
import classes from "./rules-tab.module.css";
import type { SubscriptionDialogProps } from "./subscription-dialog.tsx";

const SubscriptionDialog = lazyDialog<SubscriptionDialogProps>(
  ({ subscription }) => (subscription === null ? "Add Subscription" : "Edit Subscription"),
  async () => (await import("./subscription-dialog.tsx")).SubscriptionDialog,
);

type Open = { readonly kind: "add" } | { readonly kind: "edit" | "delete"; readonly subscription: Subscription };

const isUsed = ({ enabled, unsubscribed_at: left }: ContactPoint) => enabled && left === null;

/** The id of the place where the page shows a person's own contact points. */
export const OWN_CONTACT_POINTS = "own-contact-points";

/** The alerts that whoever is signed in wants to be told of. */
export function SubscriptionList() {
  const query = useQuery(subscriptionsQuery);
  const points = useQuery(contactPointsQuery(true)).data;
  const [open, setOpen] = useState<Open | null>(null);
  const now = open?.kind === "edit" ? query.data?.find(({ id }) => id === open.subscription.id) : undefined;
  const close = () => setOpen(null);
  const isFull = (query.data?.length ?? 0) >= SUBSCRIPTIONS_PER_USER;
  const add = (
    <DisabledReason reason={isFull ? `You have all ${SUBSCRIPTIONS_PER_USER} subscriptions that one may have.` : null}>
      <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={() => setOpen({ kind: "add" })}>
        Add subscription
      </ToolButton>
    </DisabledReason>
  );
  return (
    <>
      {points !== undefined && !points.some(isUsed) && (
        <Notice mb={10}>
          {points.length === 0
            ? "You have no contact point yet, so nobody can tell you. Add one: "
            : "None of your contact points is on, so nobody can tell you. Change one: "}
          <Anchor href={`#${OWN_CONTACT_POINTS}`} inherit td="underline">
            How I am told
          </Anchor>
        </Notice>
      )}
      {query.data !== undefined && query.data.length > 0 && (
        <Group gap={8} justify="space-between" mb={10}>
          <Box component="p" flex="1 1 220px" fz={13} lh="18px" c="dimmed">
            Only alerts of sites that you may see.
          </Box>
          {add}
        </Group>
      )}
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading subscriptions" lines={3} lineHeightPx={64} />}
        failed="The subscriptions could not be loaded."
      >
        {(subscriptions) =>
          subscriptions.length === 0 ? (
            <EmptyState
              title="You have no subscriptions yet."
              message="A subscription tells you of alerts of your sites. Rules of Super Admins may tell you of others."
              icon={<IconBellRinging size={32} stroke={1.5} />}
              action={add}
            />
          ) : (
            <Rows subscriptions={subscriptions} points={points} onOpen={setOpen} />
          )
        }
      </QueryState>
      {open !== null && open.kind !== "delete" && (
        <SubscriptionDialog
          key={open.kind === "edit" ? open.subscription.id : "new"}
          subscription={open.kind === "edit" ? (now ?? open.subscription) : null}
          isDeleted={open.kind === "edit" && query.data !== undefined && now === undefined}
          onClose={close}
        />
      )}
      {open?.kind === "delete" && (
        <DeleteDialog
          title="Delete Subscription"
          blockedReason={null}
          onDelete={async () => {
            const refusal = await removeSubscription(open.subscription);
            if (refusal === null) close();
            return refusal;
          }}
          onClose={close}
        >
          <Box component="p" fz={14} lh="20px" style={{ overflowWrap: "anywhere" }}>
            Delete the subscription <strong>{open.subscription.name}</strong>? What it still would have told is not
            told.
          </Box>
        </DeleteDialog>
      )}
    </>
  );
}

interface RowsProps {
  readonly subscriptions: readonly Subscription[];
  /** The person's own; undefined until they are known. */
  readonly points: readonly ContactPoint[] | undefined;
  readonly onOpen: (open: Open) => void;
}

function Rows({ subscriptions, points, onOpen }: RowsProps) {
  const isSuperAdmin = useSignedIn().role === "SUPER_ADMIN";
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const partners = useQuery({ ...routeQuery(partnerDetails, {}), enabled: isSuperAdmin }).data ?? [];
  return (
    <ul className={`${shared["box"]} ${classes["list"]}`} aria-label="Subscriptions">
      {subscriptions.map((subscription) => (
        <Row
          key={subscription.id}
          subscription={subscription}
          places={placesText(subscription.filter, sites, partners).replace("at all sites", "at all my sites")}
          points={points}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

interface RowProps extends Pick<RowsProps, "points" | "onOpen"> {
  readonly subscription: Subscription;
  readonly places: string;
}

function Row({ subscription, places, points, onOpen }: RowProps) {
  const { name, enabled, filter, wait_seconds: wait, contact_point_ids: ids } = subscription;
  const [isBusy, run] = useBusy();
  const named = ids.map((id) => points?.find((point) => point.id === id)?.name ?? "one that was deleted");
  const reaches = points === undefined || ids.length === 0 || points.some((one) => ids.includes(one.id) && isUsed(one));
  return (
    <li className={classes["rule"]} data-off={!enabled || undefined}>
      <span className={classes["switch"]}>
        <Tooltip label={enabled ? "Switch off" : "Switch on"}>
          <Switch
            aria-label={`${name} is on`}
            checked={enabled}
            aria-busy={isBusy}
            onChange={() => void run(() => enableSubscription(subscription, !enabled))}
          />
        </Tooltip>
      </span>
      <h3 className={`${shared["name"]} ${classes["name"]}`}>{name}</h3>
      <div className={classes["text"]}>
        <p>
          <strong>{alertsText(filter)}</strong> {places}
        </p>
        <p>
          <span className={classes["when"]}>{wait === 0 ? "At once:" : `After ${secondsText(wait)}:`}</span>{" "}
          {ids.length === 0 ? "all my contact points" : points === undefined ? "" : named.join(", ")}
          {!reaches && (
            <span className={classes["warning"]}>
              <IconAlertTriangle size={14} aria-hidden />
              Reaches nobody: none of them is on.
            </span>
          )}
        </p>
        <p className={shared["muted"]}>{telling({ ...subscription, steps: [] })}</p>
      </div>
      <span className={classes["actions"]}>
        <RowAction
          label="Edit"
          name={`Edit ${name}`}
          icon={IconPencil}
          onPress={() => onOpen({ kind: "edit", subscription })}
        />
        <RowAction
          label="Delete"
          name={`Delete ${name}`}
          icon={IconTrash}
          isDestructive
          onPress={() => onOpen({ kind: "delete", subscription })}
        />
      </span>
    </li>
  );
}
