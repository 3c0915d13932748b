import type { ContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import { IconAddressBook, IconPencil, IconSend, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import type { OpenRow } from "../../platform/form/row-dialogs.tsx";
import { RowList } from "../../platform/form/row-list.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { type NewSecret, SigningSecretDialog } from "../../platform/signing-secret-dialog.tsx";
import { browserZone, zoneText } from "../../ui/exact-time-text.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import { ContactPointDialog } from "./contact-point-dialog.tsx";
import classes from "./contact-point-list.module.css";
import { contactPointsQuery, removeContactPoint, sendTest } from "./notification-calls.ts";
import { channelLook, contactStateLook, contactStateOf, ownerText, quietText } from "./notification-looks.ts";

export interface ContactPointListProps {
  /** Only the contact points of whoever is signed in, as on the Profile page. */
  readonly isMine?: boolean;
}

/** Where people are reached: grouped by whose they are. */
export function ContactPointList({ isMine = false }: ContactPointListProps) {
  const query = useQuery(contactPointsQuery(isMine));
  const [secret, setSecret] = useState<NewSecret | null>(null);
  return (
    <>
      <RowList<ContactPoint>
        what="contact point"
        query={query}
        header={
          isMine
            ? "Where you are reached."
            : "Where people are reached. Rules and subscriptions say who is told of what."
        }
        search={{
          placeholder: "Search by name, address or whose it is",
          wordsOf: ({ name, address, owner, channel }) => [
            name,
            address,
            owner.name,
            ownerText(owner),
            channelLook[channel].label,
          ],
        }}
        empty={{
          icon: IconAddressBook,
          title: isMine ? "You have no contact points yet." : "No contact points yet.",
          message: "Add an email address, a chat or a phone: without one nobody is told of an alert.",
        }}
        rowPx={52}
        isWithin={isMine}
        renderEdit={(dialog) => (
          <ContactPointDialog key={dialog.row?.id ?? "new"} isMine={isMine} onSecret={setSecret} {...dialog} />
        )}
        renderDelete={({ name, owner }) => (
          <>
            Delete <strong>{name}</strong> of {owner.name}? Nothing is sent to it any more; what was sent stays in the
            log.
          </>
        )}
        onDelete={removeContactPoint}
      >
        {(points, onOpen) => <Groups points={points} isMine={isMine} onOpen={onOpen} />}
      </RowList>
      {secret !== null && <SigningSecretDialog {...secret} onClose={() => setSecret(null)} />}
    </>
  );
}

interface GroupsProps {
  readonly points: readonly ContactPoint[];
  readonly isMine: boolean;
  readonly onOpen: (open: OpenRow<ContactPoint>) => void;
}

function Groups({ points, isMine, onOpen }: GroupsProps) {
  const { user } = useSignedIn();
  const isOwn = ({ owner }: ContactPoint) => owner.kind === "PERSON" && String(owner.id) === user.id;
  return (
    <div className={`${shared["card"]} ${classes["list"]}`}>
      {groupsOf(points, isOwn).map((group) => {
        const [first] = group;
        if (first === undefined) return null;
        const { owner } = first;
        return (
          <section key={`${owner.kind} ${owner.id}`} aria-label={`Contact points of ${owner.name}`}>
            {!isMine && (
              <h2 className={classes["owner"]}>
                <span className={shared["name"]}>{owner.name}</span>
                <span className={shared["tag"]}>{isOwn(first) ? "You" : ownerText({ ...owner, role: null })}</span>
              </h2>
            )}
            <ul>
              {group.map((point) => (
                <Row key={point.id} point={point} onOpen={onOpen} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

const KIND_ORDER = ["PERSON", "TEAM", "PARTNER", "SITE"];

/** Those of one owner together: one's own first, then people, teams, partners and sites, each by name. */
function groupsOf(
  points: readonly ContactPoint[],
  isOwn: (point: ContactPoint) => boolean,
): readonly (readonly ContactPoint[])[] {
  const groups = Map.groupBy(points, ({ owner }) => `${owner.kind} ${owner.id}`);
  const rank = (group: readonly ContactPoint[]) => {
    const [first] = group;
    if (first === undefined || isOwn(first)) return 0;
    return 1 + KIND_ORDER.indexOf(first.owner.kind);
  };
  return [...groups.values()].toSorted(
    (one, other) => rank(one) - rank(other) || (one[0]?.owner.name ?? "").localeCompare(other[0]?.owner.name ?? ""),
  );
}

function Row({
  point,
  onOpen,
}: {
  readonly point: ContactPoint;
  readonly onOpen: (open: OpenRow<ContactPoint>) => void;
}) {
  const { name, address, channel, owner } = point;
  const { icon: ChannelIcon, label } = channelLook[channel];
  const [isTesting, run] = useBusy();
  const [answer, setAnswer] = useState<{ readonly delivered: boolean; readonly message: string } | null>(null);
  const test = () =>
    run(async () => {
      setAnswer(null);
      setAnswer(await sendTest(point));
    });
  return (
    <li className={classes["row"]}>
      <ChannelIcon size={20} stroke={1.6} aria-label={label} className={classes["channel"]} />
      <span className={`${shared["name"]} ${classes["name"]}`}>
        {name}
        {owner.role !== null && ownerText(owner) !== name && (
          <span className={`${shared["tag"]} ${classes["role"]}`}>{ownerText(owner)}</span>
        )}
      </span>
      <span className={classes["address"]}>
        {/* An email address that is too long for a line is broken here. */}
        {address.split(/(?=@)/).map((part) => (
          <Fragment key={part}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
      <span className={classes["state"]}>
        <StateBadge look={contactStateLook[contactStateOf(point)]} />
        <StateDetail point={point} />
      </span>
      <span className={classes["times"]}>{timesText(point)}</span>
      <span className={classes["actions"]}>
        <RowAction
          label="Send test"
          name={`Send a test to ${name}`}
          icon={IconSend}
          isBusy={isTesting}
          onPress={() => void test()}
        />
        <RowAction
          label="Edit"
          name={`Edit ${name}`}
          icon={IconPencil}
          onPress={() => onOpen({ kind: "edit", row: point })}
        />
        <RowAction
          label="Delete"
          name={`Delete ${name}`}
          icon={IconTrash}
          isDestructive
          onPress={() => onOpen({ kind: "delete", row: point })}
        />
      </span>
      <span role="status" className={classes["answer"]} data-tone={answer?.delivered === false ? "poor" : "good"}>
        {answer !== null && `${answer.delivered ? "Test sent" : "Test not delivered"}: ${answer.message}`}
      </span>
    </li>
  );
}

function StateDetail({ point }: { readonly point: ContactPoint }): ReactNode {
  const { failure, last_sent_at: sentAt, unsubscribed_at: unsubscribedAt } = point;
  switch (contactStateOf(point)) {
    case "fails":
      return (
        failure !== null && (
          <span className={classes["detail"]} title={failure.reason}>
            <RelativeTime at={failure.at} />: {failure.reason}
          </span>
        )
      );
    case "works":
      return (
        sentAt !== null && (
          <span className={classes["detail"]}>
            Last sent <RelativeTime at={sentAt} />
          </span>
        )
      );
    case "unsubscribed":
      return (
        unsubscribedAt !== null && (
          <span className={classes["detail"]}>
            By a link, <RelativeTime at={unsubscribedAt} />
          </span>
        )
      );
    case "disabled":
      return (
        <span className={classes["detail"]}>
          {failure?.reason_code === "WEBHOOK_GONE" ? failure.reason : "Nothing is sent to it"}
        </span>
      );
    case "unused":
      return null;
  }
}

/** "Quiet 22:00–06:00, Critical at any time (Asia/Kolkata). Digest at 07:00." */
function timesText(point: ContactPoint): string {
  const { digest_at: digest, summary_at: summary, timezone } = point;
  const quiet = quietText(point);
  const daily = [
    ...(digest === null ? [] : [`Digest at ${digest}`]),
    ...(summary === null ? [] : [`Summary at ${summary}`]),
  ];
  const hasTimes = daily.length > 0 || point.quiet_from !== null || point.days_off.length > 0;
  const isElsewhere = hasTimes && zoneText(timezone) !== browserZone();
  return [quiet, ...daily, ...(isElsewhere ? [zoneText(timezone)] : [])].join(" · ");
}
