import { Anchor, Box, Button, Group, NativeSelect, SegmentedControl, Stack } from "@mantine/core";
import { channelKindSchema } from "@suncrew/contract/notifications/contact-points.ts";
import { type DemoMessage, demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import { IconArrowLeft, IconInbox, IconMailOpened } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { CopyButton } from "../../platform/copy-button.tsx";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, idParam, sameNames } from "../../platform/url-state.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { MailPage } from "../../ui/mail-page.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./demo-messages-page.module.css";
import { channelLook } from "./notification-looks.ts";

const viewUrl = {
  channel: choiceParam("channel", sameNames(channelKindSchema.options), null),
  messageId: idParam("message"),
};

/** A message should appear while whoever caused it still looks. */
const REFETCH_INTERVAL_MS = 2_000;

type View = "html" | "text";

/** What the demo's stand-ins for mail, chat and webhooks received: all of notifications without an account outside. */
export function DemoMessagesPage() {
  const { state, change } = useUrlState(viewUrl);
  const { channel, messageId } = state;
  const [view, setView] = useState<View>("html");
  const navigate = useNavigate();
  const wasOpenedHere = useRef(false);
  const open = (id: number) => {
    wasOpenedHere.current ||= messageId === null;
    change({ messageId: id }, messageId === null ? "push" : "replace");
  };
  // To the list that the message was opened from; a link led straight to a message.
  const goBack = () => (wasOpenedHere.current ? void navigate(-1) : change({ messageId: null }, "replace"));
  const query = useQuery({
    ...routeQuery(demoMessages, { query: channel === null ? {} : { channel } }),
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  return (
    <PageLayout
      title="Messages of the demo"
      actions={
        <NativeSelect
          size="xs"
          aria-label="Filter by channel"
          value={channel ?? ""}
          data={[
            { value: "", label: "All channels" },
            ...channelKindSchema.options.map((value) => ({ value, label: channelLook[value].label })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            change({ channel: viewUrl.channel.parse(value), messageId: null }, "replace")
          }
        />
      }
    >
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading messages" lines={8} lineHeightPx={52} />}
        failed="The messages could not be loaded."
      >
        {({ messages, addresses }) => (
          <Stack gap={12}>
            <Addresses addresses={addresses} />
            {messages.length === 0 && messageId === null ? (
              <div className={shared["card"]}>
                <EmptyState
                  icon={<IconInbox size={32} stroke={1.5} />}
                  title={channel === null ? "No messages yet." : `No messages by ${channelLook[channel].label} yet.`}
                  message="Inject a fault into a robot in the simulator, or press Send test at a contact point."
                  action={
                    <Button component={Link} to={paths.notifications()} size="xs" variant="default">
                      Open contact points
                    </Button>
                  }
                />
              </div>
            ) : (
              <div className={classes["columns"]} data-reading={messageId !== null || undefined}>
                <ul
                  className={`${shared["card"]} ${classes["list"]}`}
                  aria-label={`Messages, ${messages.length.toLocaleString("en-GB")}`}
                >
                  {messages.map((message) => (
                    <li key={message.id}>
                      <MessageRow
                        message={message}
                        isCurrent={message.id === messageId}
                        onOpen={() => open(message.id)}
                      />
                    </li>
                  ))}
                </ul>
                <section className={`${shared["card"]} ${classes["reader"]}`} aria-label="Selected message">
                  {messageId !== null && (
                    <Box className={classes["back"]} p={8} pb={0}>
                      <Button
                        variant="subtle"
                        className={shared["touch"]}
                        leftSection={<IconArrowLeft size={16} aria-hidden />}
                        onClick={goBack}
                      >
                        Back
                      </Button>
                    </Box>
                  )}
                  <Reader
                    message={messages.find(({ id }) => id === messageId)}
                    isNoneChosen={messageId === null}
                    view={view}
                    onView={setView}
                  />
                </section>
              </div>
            )}
          </Stack>
        )}
      </QueryState>
    </PageLayout>
  );
}

function titleOf({ subject, text }: DemoMessage): string {
  return subject ?? text.split("\n").find((line) => line.trim() !== "") ?? "Without text";
}

interface MessageRowProps {
  readonly message: DemoMessage;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

function MessageRow({ message, isCurrent, onOpen }: MessageRowProps) {
  const { label, icon: Icon } = channelLook[message.channel];
  return (
    <button
      type="button"
      className={`${classes["row"]} ${shared["inset"]}`}
      aria-current={isCurrent || undefined}
      onClick={onOpen}
    >
      <Icon size={18} stroke={1.6} role="img" aria-label={label} />
      <Box component="span" flex={1} miw={0}>
        <Box component="span" fw={600} className={classes["title"]}>
          {titleOf(message)}
        </Box>
        <Group component="span" gap={8} wrap="nowrap" justify="space-between" className={shared["muted"]}>
          <span className={shared["truncate"]}>{message.to}</span>
          <RelativeTime at={message.at} />
        </Group>
      </Box>
    </button>
  );
}

interface ReaderProps {
  /** Undefined if none is chosen, or it is not kept any more. */
  readonly message: DemoMessage | undefined;
  readonly isNoneChosen: boolean;
  readonly view: View;
  readonly onView: (view: View) => void;
}

function Reader({ message, isNoneChosen, view, onView }: ReaderProps) {
  if (message === undefined) {
    return (
      <EmptyState
        icon={<IconMailOpened size={32} stroke={1.5} />}
        title={isNoneChosen ? "Select a message to read it." : "This message is not kept any more."}
      />
    );
  }
  const { id, channel, to, at, text, html, links } = message;
  return (
    <Stack gap={12} p={16}>
      <div>
        <h2 className={shared["title"]}>{titleOf(message)}</h2>
        <Box component="p" className={shared["muted"]} style={{ overflowWrap: "anywhere" }}>
          {channelLook[channel].label} to {to}, <RelativeTime at={at} />
        </Box>
      </div>
      {html !== null && (
        <SegmentedControl
          size="xs"
          aria-label="Show the mail as"
          style={{ alignSelf: "start" }}
          value={view}
          data={[
            { value: "html", label: "HTML" },
            { value: "text", label: "Text" },
          ]}
          onChange={(value) => onView(value === "text" ? "text" : "html")}
        />
      )}
      {html !== null && view === "html" ? (
        <MailPage key={id} title={`Mail: ${titleOf(message)}`} html={html} className={classes["mail"]} />
      ) : (
        <Box component="p" fz={14} lh="21px" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {text}
        </Box>
      )}
      {links.length > 0 && (
        <Group component="ul" gap="6px 16px" aria-label="Links of the message">
          {links.map(({ label, url }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- its place; a message does not change
            <li key={index}>
              <MessageLink label={label} url={url} />
            </li>
          ))}
        </Group>
      )}
    </Stack>
  );
}

/** The console's own links open in this tab, as a whole page: those of messages are outside of its router. */
function MessageLink({ label, url }: DemoMessage["links"][number]) {
  const target = URL.canParse(url, location.origin) ? new URL(url, location.origin) : null;
  if (target === null || !/^https?:$/.test(target.protocol)) return <span>{label}</span>;
  const isOwn = target.origin === location.origin;
  return (
    <Anchor
      href={target.href}
      fz={13}
      className={classes["link"] ?? ""}
      {...(!isOwn && { target: "_blank", rel: "noreferrer" })}
    >
      {label}
    </Anchor>
  );
}

/** Where a contact point of one's own may send to. */
function Addresses({ addresses }: { readonly addresses: readonly AddressRow[] }) {
  if (addresses.length === 0) return null;
  return (
    <Box component="details" className={`${shared["card"]} ${classes["addresses"]}`}>
      <Box component="summary" py={12}>
        Addresses that receive messages here
      </Box>
      <ul>
        {addresses.map(({ channel, address }) => (
          <Group component="li" key={`${channel} ${address}`} gap={8} wrap="nowrap">
            <Box component="span" w={110} flex="none">
              {channelLook[channel].label}
            </Box>
            <Box component="code" flex={1} miw={0} style={{ overflowWrap: "anywhere" }}>
              {address}
            </Box>
            <CopyButton what={`${channelLook[channel].label} address`} text={address} />
          </Group>
        ))}
      </ul>
    </Box>
  );
}

type AddressRow = Pick<DemoMessage, "channel"> & { readonly address: string };
