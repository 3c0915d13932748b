import { Anchor } from "@mantine/core";
import { IconBellOff } from "@tabler/icons-react";
import { useState } from "react";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { Look } from "../../ui/look.ts";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import { type MuteTarget, unmute, useMute } from "./mutes.ts";

const MuteDialog = lazyDialog(
  ({ target }: { readonly target: MuteTarget; readonly onClose: () => void }) => `Mute: ${target.name}`,
  async () => (await import("./mute-dialog.tsx")).MuteDialog,
);

const mutedLook: Look = { label: "Muted", tone: "plain", icon: IconBellOff };

/** On a robot's card, only while nobody is told of its alerts. */
export function MutedBadge({ siteId, robotId }: { readonly siteId: number; readonly robotId: number }) {
  return useMute(siteId, robotId) !== null && <StateBadge look={mutedLook} />;
}

/** Mutes a robot or a site; or says until when it is muted, by whom and why, and ends that. */
export function MuteControl({ target }: { readonly target: MuteTarget }) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, run] = useBusy();
  const muted = useMute(target.siteId, target.robotId);
  const now = useNow();
  if (muted === null) {
    return (
      <>
        <Anchor component="button" type="button" size="sm" onClick={() => setOpen(true)}>
          Mute messages
        </Anchor>
        {isOpen && <MuteDialog target={target} onClose={() => setOpen(false)} />}
      </>
    );
  }
  const isOfSite = muted.robot_id === null && target.robotId !== null;
  return (
    <span>
      {isOfSite ? "Muted with its site" : "Muted"} until {siteTimeText(new Date(muted.until), target.timezone, now)} by{" "}
      {muted.muted_by}: {muted.reason}{" "}
      {!isOfSite && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          disabled={isBusy}
          aria-label={`End the mute of ${target.name}`}
          onClick={() => void run(() => unmute(muted))}
        >
          End mute
        </Anchor>
      )}
    </span>
  );
}
