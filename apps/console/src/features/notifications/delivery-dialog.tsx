import { Anchor, Box, Button } from "@mantine/core";
import { type Delivery, deliveryDetails } from "@suncrew/contract/notifications/deliveries.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { robotWithSerial } from "@suncrew/domain/robots/robot-name.ts";
import { IconRotateClockwise } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { deliveryLook, sentSentence } from "../../ui/delivery-looks.ts";
import { Dialog, DialogFooter } from "../../ui/dialog.tsx";
import { exactTimeText } from "../../ui/exact-time-text.ts";
import { Facts } from "../../ui/facts.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { severityLook } from "../alerts/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./delivery-dialog.module.css";
import { mayResend, resend } from "./notification-calls.ts";
import { channelLook, messageKindWord } from "./notification-looks.ts";

export interface DeliveryDialogProps {
  /** As the list has it now. */
  readonly delivery: Delivery;
  readonly onClose: () => void;
}

const REFETCH_INTERVAL_MS = 5_000;

/** One message: whom it went to, what it told, how each try ended, and what became of it. */
export function DeliveryDialog({ delivery, onClose }: DeliveryDialogProps) {
  const { id, title, status, reason, told, channel, address, text, created_at, due_at, settled_at } = delivery;
  const query = useQuery({
    ...routeQuery(deliveryDetails, { params: { deliveryId: id } }),
    // What has ended does not change any more.
    refetchInterval: status === "WAITING" ? REFETCH_INTERVAL_MS : false,
  });
  const [isBusy, run] = useBusy();
  const sendAgain = () =>
    run(async () => {
      if (await resend(delivery)) onClose();
    });
  return (
    <Dialog onClose={onClose} title={title} size={640} fullScreenBelow="48em">
      <Facts
        facts={{
          State: (
            <>
              <StateBadge look={deliveryLook[status]} /> {reason}
            </>
          ),
          To: told,
          By: `${channelLook[channel].label}, ${delivery.contact_point_name}: ${address}`,
          Kind: messageKindWord[delivery.message_kind],
          Written: <RelativeTime at={created_at} />,
          "To be sent": due_at === null ? null : <RelativeTime at={due_at} />,
          Ended: settled_at === null ? null : <RelativeTime at={settled_at} />,
        }}
      />
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the message" lines={3} lineHeightPx={36} />}
        failed="The tries and the alerts of this message could not be loaded."
      >
        {(details) => <Further details={details} attempts={delivery.attempts} onLeave={onClose} />}
      </QueryState>
      <h3 className={classes["heading"]}>Message</h3>
      {text === null ? (
        <p className={shared["muted"]}>It is written with the first try.</p>
      ) : (
        <Box component="p" className={`${shared["box"]} ${classes["text"]}`}>
          {text}
        </Box>
      )}
      <DialogFooter isEqual={mayResend(delivery)}>
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
        {mayResend(delivery) && (
          <Button
            leftSection={<IconRotateClockwise size={16} aria-hidden />}
            loading={isBusy}
            onClick={() => void sendAgain()}
          >
            Send again
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

interface FurtherProps {
  readonly details: ResponseOf<typeof deliveryDetails>;
  readonly attempts: number;
  /** Called before another page is shown. */
  readonly onLeave: () => void;
}

function Further({ details, attempts, onLeave }: FurtherProps) {
  const { channel, tries, alerts, alerts_total: total, reference, held_until: heldUntil } = details;
  const taken = `${sentSentence(channel)}${reference === null ? "" : ` Known there as ${reference}.`}`;
  return (
    <>
      {(attempts > 0 || heldUntil !== null) && (
        <section aria-label="Tries">
          <h3 className={classes["heading"]}>Tries</h3>
          <ol className={classes["list"]}>
            {heldUntil !== null && (
              <li>
                <time dateTime={heldUntil}>{exactTimeText(new Date(heldUntil))}</time>
                <span>End of the quiet time that it waited for.</span>
              </li>
            )}
            {tries.map(({ attempt, at, reason }) => (
              <li key={attempt}>
                <time dateTime={at}>{exactTimeText(new Date(at))}</time>
                <span>{reason ?? taken}</span>
              </li>
            ))}
            {tries.length < attempts && (
              <li className={shared["muted"]}>{withoutRecord(attempts - tries.length, details.status)}</li>
            )}
          </ol>
        </section>
      )}
      {alerts.length > 0 && (
        <section aria-label="About">
          <h3 className={classes["heading"]}>About</h3>
          <ul className={classes["list"]}>
            {alerts.map((alert) => (
              <li key={alert.id}>
                <StateBadge look={severityLook[alert.severity]} />
                <span>
                  <Place alert={alert} onLeave={onLeave} /> {alert.text}{" "}
                  <span className={shared["muted"]}>
                    <RelativeTime at={alert.raised_at} />
                    {alert.cleared_at !== null && ", over"}
                  </span>
                </span>
              </li>
            ))}
            {total > alerts.length && <li className={shared["muted"]}>And {total - alerts.length} more.</li>}
          </ul>
        </section>
      )}
    </>
  );
}

/** Of messages of older versions, of a server that died, and of a try that is under way nothing is known. */
function withoutRecord(count: number, status: Delivery["status"]): string {
  if (status === "DROPPED" && count === 1) return "It was not sent, because it was not needed any more.";
  if (status === "WAITING" && count === 1) return "One try is under way, or had no answer.";
  return count === 1 ? "Of one try there is no answer." : `Of ${count} tries there is no answer.`;
}

interface PlaceProps extends Pick<FurtherProps, "onLeave"> {
  readonly alert: FurtherProps["details"]["alerts"][number];
}

/** The robot at that time, or the site. */
function Place({ alert, onLeave }: PlaceProps) {
  const { site_id: siteId, site_name: site, serial_number: serial, robot_name: robot, raised_at: at } = alert;
  if (siteId === null) return <strong>Suncrew&apos;s servers:</strong>;
  const [to, name] =
    serial === null
      ? ([paths.site(siteId), site ?? "A site"] as const)
      : ([paths.robot(serial, { at }), `${robotWithSerial(robot, serial)}, ${site ?? ""}`] as const);
  return (
    <Anchor component={Link} to={to} inherit td="underline" onClick={onLeave}>
      {name}
    </Anchor>
  );
}
