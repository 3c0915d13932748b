import "@mantine/core/styles/Switch.layer.css";
import { Anchor, Switch, Tooltip } from "@mantine/core";
import type { ContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import {
  type NotificationRule,
  type Subscription,
  SUBSCRIPTIONS_PER_USER,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconAlertTriangle, IconBellRinging, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ComponentType } from "react";
import type { Refusal } from "../../platform/api/change.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { type OpenRow, type RowDialogProps, rowDialogTitle } from "../../platform/form/row-dialogs.tsx";
import { RowList } from "../../platform/form/row-list.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import {
  contactPointsQuery,
  enableRule,
  enableSubscription,
  removeRule,
  removeSubscription,
  rulesQuery,
  subscriptionsQuery,
} from "./notification-calls.ts";
import classes from "./rule-list.module.css";
import { alertsText, isUsed, listed, placesText, stepTexts, telling, useReach, whenText } from "./rule-words.ts";

const RuleDialog = lazyDialog<RowDialogProps<NotificationRule>>(
  ({ row }) => rowDialogTitle("rule", row === null),
  async () => (await import("./rule-dialog.tsx")).RuleDialog,
);
const SubscriptionDialog = lazyDialog<RowDialogProps<Subscription>>(
  ({ row }) => rowDialogTitle("subscription", row === null),
  async () => (await import("./rule-dialog.tsx")).SubscriptionDialog,
);

/** Which alerts are told to whom, for Super Admins. */
export function RulesTab() {
  const reaches = useReach();
  return (
    <RuleList<NotificationRule>
      what="rule"
      query={useQuery(rulesQuery)}
      about="Which alerts are told to whom, and when. Everybody is told only of sites that they may see."
      empty={{
        title: "No rules yet.",
        message:
          "A rule tells people of alerts by their contact points, and others if nobody acknowledges. Until there is one, only own subscriptions tell anybody.",
      }}
      isWithin={false}
      fullReason={null}
      EditDialog={RuleDialog}
      onEnable={enableRule}
      onDelete={removeRule}
      wordsOf={(rule) => ({
        steps: stepTexts(rule).map((step, index) => ({
          ...step,
          warning:
            rule.steps[index] === undefined || reaches(rule.steps[index])
              ? null
              : "Reaches nobody: none of them has a contact point.",
        })),
        afterwards: telling(rule),
      })}
    />
  );
}

/** The id of the place where the page shows a person's own contact points. */
export const OWN_CONTACT_POINTS = "own-contact-points";

/** The alerts that whoever is signed in wants to be told of. */
export function SubscriptionList() {
  const query = useQuery(subscriptionsQuery);
  const points = useQuery(contactPointsQuery(true)).data;
  const isFull = (query.data?.length ?? 0) >= SUBSCRIPTIONS_PER_USER;
  return (
    <>
      {points !== undefined && !points.some(isUsed) && (
        <Notice mb={10}>
          {points.length === 0
            ? "You have no contact point yet, so nobody can tell you. Add one: "
            : "None of your contact points is on, so nobody can tell you. Change one: "}
          <Anchor
            href={`#${OWN_CONTACT_POINTS}`}
            inherit
            td="underline"
            onClick={(event) => {
              // The address keeps what it says about the page.
              event.preventDefault();
              document.getElementById(OWN_CONTACT_POINTS)?.scrollIntoView();
            }}
          >
            How I am told
          </Anchor>
        </Notice>
      )}
      <RuleList<Subscription>
        what="subscription"
        query={query}
        about="Only alerts of sites that you may see."
        empty={{
          title: "You have no subscriptions yet.",
          message: "A subscription tells you of alerts of your sites. Rules of Super Admins may tell you of others.",
        }}
        isWithin
        fullReason={isFull ? `You have all ${SUBSCRIPTIONS_PER_USER} subscriptions that one may have.` : null}
        EditDialog={SubscriptionDialog}
        onEnable={enableSubscription}
        onDelete={removeSubscription}
        wordsOf={(subscription) => subscriptionWords(subscription, points)}
      />
    </>
  );
}

/** `points` are the person's own; undefined until they are known. */
function subscriptionWords(subscription: Subscription, points: readonly ContactPoint[] | undefined): RuleWords {
  const { contact_point_ids: ids, wait_seconds: wait } = subscription;
  const named = ids.map((id) => points?.find((point) => point.id === id)?.name ?? "one that was deleted");
  const whom = ids.length === 0 ? "all my contact points" : points === undefined ? "" : listed(named);
  const reaches = points === undefined || ids.length === 0 || points.some((one) => ids.includes(one.id) && isUsed(one));
  const warning = reaches ? null : "Reaches nobody: none of them is on.";
  return {
    steps: [{ when: whenText(wait), whom, warning }],
    afterwards: telling({ ...subscription, steps: [] }),
  };
}

interface RuleWords {
  /** Whom it tells when; with a warning where that reaches nobody. */
  readonly steps: readonly { readonly when: string; readonly whom: string; readonly warning: string | null }[];
  readonly afterwards: string;
}

interface RuleListProps<Rule extends NotificationRule | Subscription> {
  readonly what: "rule" | "subscription";
  readonly query: UseQueryResult<Rule[]>;
  /** Shown above the list. */
  readonly about: string;
  readonly empty: { readonly title: string; readonly message: string };
  /** It stands within a card that has a heading of its own. */
  readonly isWithin: boolean;
  /** Why no more can be added; null if one can. */
  readonly fullReason: string | null;
  readonly EditDialog: ComponentType<RowDialogProps<Rule>>;
  readonly onEnable: (rule: Rule, enabled: boolean) => Promise<void>;
  readonly onDelete: (rule: Rule) => Promise<Refusal | null>;
  readonly wordsOf: (rule: Rule) => RuleWords;
}

/** Rules, each in sentences, with its switch: those of Super Admins or somebody's own subscriptions. */
function RuleList<Rule extends NotificationRule | Subscription>(props: RuleListProps<Rule>) {
  const { what, query, about, empty, isWithin, fullReason, EditDialog, onEnable, onDelete, wordsOf } = props;
  const placesOf = usePlaces(what === "rule" ? "at all sites" : "at all my sites");
  return (
    <RowList<Rule>
      what={what}
      query={query}
      header={about}
      empty={{ ...empty, icon: IconBellRinging }}
      search={{
        placeholder: "Search by name, alerts, places or whom it tells",
        wordsOf: (rule) => [
          rule.name,
          alertsText(rule.filter),
          placesOf(rule),
          ...wordsOf(rule).steps.map(({ whom }) => whom),
        ],
      }}
      rowPx={84}
      isWithin={isWithin}
      fullReason={fullReason}
      renderEdit={(dialog) => <EditDialog key={dialog.row?.id ?? "new"} {...dialog} />}
      renderDelete={({ name }) => (
        <>
          Delete the {what} <strong>{name}</strong>? What it still would have told is not told.
        </>
      )}
      onDelete={onDelete}
    >
      {(rules, onOpen) => (
        <ul
          className={`${shared[isWithin ? "box" : "card"]} ${classes["list"]}`}
          aria-label={what === "rule" ? "Rules" : "Subscriptions"}
        >
          {rules.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              Heading={isWithin ? "h3" : "h2"}
              places={placesOf(rule)}
              words={wordsOf(rule)}
              onEnable={onEnable}
              onOpen={onOpen}
            />
          ))}
        </ul>
      )}
    </RowList>
  );
}

/** Names of partners are for Super Admins. */
function usePlaces(everywhere: string): (rule: Pick<NotificationRule, "filter">) => string {
  const isSuperAdmin = useSignedIn().role === "SUPER_ADMIN";
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const partners = useQuery({ ...routeQuery(partnerDetails, {}), enabled: isSuperAdmin }).data ?? [];
  return ({ filter }) => placesText(filter, { sites, partners, everywhere });
}

interface RuleRowProps<Rule> {
  readonly rule: Rule;
  readonly Heading: "h2" | "h3";
  readonly places: string;
  readonly words: RuleWords;
  readonly onEnable: (rule: Rule, enabled: boolean) => Promise<void>;
  readonly onOpen: (open: OpenRow<Rule>) => void;
}

function RuleRow<Rule extends NotificationRule | Subscription>(props: RuleRowProps<Rule>) {
  const { rule, Heading, places, words, onEnable, onOpen } = props;
  const { name, enabled, filter } = rule;
  const [first, ...more] = words.steps;
  const [isBusy, run] = useBusy();
  return (
    <li className={classes["rule"]} data-off={!enabled || undefined}>
      <span className={classes["switch"]}>
        <Tooltip label={enabled ? "Switch off" : "Switch on"}>
          <Switch
            aria-label={`${name} is on`}
            checked={enabled}
            aria-busy={isBusy}
            onChange={() => void run(() => onEnable(rule, !enabled))}
          />
        </Tooltip>
      </span>
      <Heading className={`${shared["name"]} ${classes["name"]}`}>{name}</Heading>
      <div className={classes["text"]}>
        <p>
          <strong>{alertsText(filter)}</strong> {places}
        </p>
        {first !== undefined && more.length === 0 ? (
          <p>
            <StepText {...first} />
          </p>
        ) : (
          <ol className={classes["steps"]}>
            {words.steps.map((step) => (
              <li key={step.when}>
                <StepText {...step} />
              </li>
            ))}
          </ol>
        )}
        <p className={shared["muted"]}>{words.afterwards}</p>
      </div>
      <span className={classes["actions"]}>
        <RowAction
          label="Edit"
          name={`Edit ${name}`}
          icon={IconPencil}
          onPress={() => onOpen({ kind: "edit", row: rule })}
        />
        <RowAction
          label="Delete"
          name={`Delete ${name}`}
          icon={IconTrash}
          isDestructive
          onPress={() => onOpen({ kind: "delete", row: rule })}
        />
      </span>
    </li>
  );
}

function StepText({ when, whom, warning }: RuleWords["steps"][number]) {
  return (
    <>
      <span className={classes["when"]}>{when}</span> {whom}
      {warning !== null && (
        <span className={classes["warning"]}>
          <IconAlertTriangle size={14} aria-hidden />
          {warning}
        </span>
      )}
    </>
  );
}
