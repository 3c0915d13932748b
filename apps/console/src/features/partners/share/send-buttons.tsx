import { Button } from "@mantine/core";
import { IconBrandWhatsapp, IconMail, IconMessage } from "@tabler/icons-react";
import type { Icon } from "@tabler/icons-react";
import { toast } from "../../../platform/toast.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { openLink } from "./open-link.ts";
import classes from "./share-dialog.module.css";
import type { SignIn } from "./sign-in-of.ts";
import { linkFor, sendObstacle } from "./ways-to-send.ts";
import type { WayToSend } from "./ways-to-send.ts";

const LOOKS: Record<WayToSend, { label: string; icon: Icon; opened: string }> = {
  email: { label: "Email", icon: IconMail, opened: "The e-mail is filled in. Send it in your mail program." },
  whatsApp: { label: "WhatsApp", icon: IconBrandWhatsapp, opened: "The message is filled in. Send it in WhatsApp." },
  sms: { label: "SMS", icon: IconMessage, opened: "The text message is filled in. Send it on your phone." },
};
const WAYS = ["email", "whatsApp", "sms"] as const;

/** §2: send by Email, WhatsApp or SMS by opening a prefilled link. */
export function SendButtons({ signIn, customMessage }: { signIn: SignIn; customMessage: string }) {
  const send = (way: WayToSend) => {
    const link = linkFor(signIn, way, customMessage);
    if (link === null) return;
    openLink(link);
    toast.success({ title: "Credentials Shared", message: LOOKS[way].opened });
  };
  const obstacles = obstaclesByReason(signIn);
  const open = WAYS.filter((way) => sendObstacle(signIn, way) === null);
  return (
    <>
      <div className={classes["ways"]} role="group" aria-label="Send by">
        {WAYS.map((way) => {
          const { label, icon: WayIcon } = LOOKS[way];
          return (
            <DisabledReason key={way} reason={sendObstacle(signIn, way)}>
              <Button leftSection={<WayIcon size={16} aria-hidden />} onClick={() => send(way)}>
                {label}
              </Button>
            </DisabledReason>
          );
        })}
      </div>
      {/* A phone has no pointer to rest on a disabled button: the reasons are to be read there too. */}
      {obstacles.size > 0 && (
        <ul className={classes["obstacles"]} aria-label="What cannot be used">
          {[...obstacles].map(([reason, ways]) => (
            <li key={reason}>
              <strong>{labelsOf(ways)}:</strong> {reason}
            </li>
          ))}
        </ul>
      )}
      {open.length > 0 && (
        <p className={classes["note"]}>
          {open.length === WAYS.length ? "Each opens" : `${labelsOf(open)} ${open.length === 1 ? "opens" : "open"}`}{" "}
          with the message filled in; nothing leaves before you send it there. The message shows the password.
        </p>
      )}
    </>
  );
}

/** Each reason once, with the ways that it closes. */
function obstaclesByReason(signIn: SignIn): ReadonlyMap<string, readonly WayToSend[]> {
  const found = new Map<string, WayToSend[]>();
  for (const way of WAYS) {
    const reason = sendObstacle(signIn, way);
    if (reason !== null) found.set(reason, [...(found.get(reason) ?? []), way]);
  }
  return found;
}

function labelsOf(ways: readonly WayToSend[]): string {
  return ways.map((way) => LOOKS[way].label).join(", ");
}
