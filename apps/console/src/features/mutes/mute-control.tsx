import { ActionIcon, Anchor, VisuallyHidden } from "@mantine/core";
import { IconBell, IconBellOff } from "@tabler/icons-react";
import { useState } from "react";
import { DetailsPopover } from "../../ui/details-popover.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { Look } from "../../ui/look.ts";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import classes from "./mute-control.module.css";
import type { MuteDialogProps } from "./mute-dialog.tsx";
import { type MuteTarget, unmute, useMute } from "./mutes.ts";

const LazyMuteDialog = lazyDialog<MuteDialogProps>(
  ({ target }) => `Mute: ${target.name}`,
  async () => (await import("./mute-dialog.tsx")).MuteDialog,
);

const mutedLook: Look = { label: "Muted", tone: "plain", icon: IconBellOff };

/** The mute of the target itself, not that of its site. */
const useOwnMute = ({ siteId, robotId }: MuteTarget) => {
  const muted = useMute(siteId, robotId);
  return muted?.robot_id === robotId ? muted : null;
};

/** On a card, only while nobody is told of its alerts. */
export function MutedBadge({ siteId, robotId }: { readonly siteId: number; readonly robotId: number | null }) {
  return useMute(siteId, robotId) !== null && <StateBadge look={mutedLook} />;
}

/** In a site's row, only while the whole site is muted. */
export function MutedMark({ siteId }: { readonly siteId: number }) {
  if (useMute(siteId, null) === null) return null;
  return (
    <span className={classes["mark"]} title={mutedLook.label}>
      <StatusIcon look={mutedLook} size={14} />
      <VisuallyHidden>{mutedLook.label}, </VisuallyHidden>
    </span>
  );
}

/** Mutes the target, or changes how long and why it is muted. */
export function MuteDialog({ target, onClose }: { readonly target: MuteTarget; readonly onClose: () => void }) {
  const muted = useOwnMute(target);
  // What held as it was opened: another's change must not undo what is being typed.
  const [changed] = useState(muted);
  return <LazyMuteDialog target={target} changed={changed} onClose={onClose} />;
}

export interface MuteControlProps {
  readonly target: MuteTarget;
  /** Opens the dialog elsewhere, for a popover, which closes. */
  readonly onMute?: () => void;
  readonly onEnded?: () => void;
}

/** Mutes a robot or a site; or says until when it is muted, by whom and why, and changes or ends that. */
export function MuteControl({ target, onMute, onEnded }: MuteControlProps) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, run] = useBusy();
  const muted = useMute(target.siteId, target.robotId);
  const now = useNow();
  const open = onMute ?? (() => setOpen(true));
  const isOfSite = muted !== null && muted.robot_id === null && target.robotId !== null;
  const end = async () => {
    if (muted !== null && (await run(() => unmute(muted))) === true) onEnded?.();
  };
  return (
    <>
      {muted === null ? (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={open}>
          Mute messages
        </Anchor>
      ) : (
        <span className={classes["muted"]}>
          <IconBellOff size={14} aria-hidden className={classes["bell"]} /> {isOfSite ? "Muted with its site" : "Muted"}{" "}
          until {siteTimeText(new Date(muted.until), target.timezone, now)} by {muted.muted_by}: {muted.reason}{" "}
          {!isOfSite && (
            <span className={classes["actions"]}>
              <Anchor
                component="button"
                type="button"
                size="sm"
                aria-label={`Change the mute of ${target.name}`}
                onClick={open}
              >
                Change
              </Anchor>
              <Anchor
                component="button"
                type="button"
                size="sm"
                disabled={isBusy}
                aria-label={`End mute of ${target.name}`}
                onClick={() => void end()}
              >
                End mute
              </Anchor>
            </span>
          )}
        </span>
      )}
      {isOpen && <MuteDialog target={target} onClose={() => setOpen(false)} />}
    </>
  );
}

/** On a robot's card: mutes it, or shows until when it is muted. */
export function MuteButton({ target, onMute }: { readonly target: MuteTarget; readonly onMute: () => void }) {
  const isMuted = useMute(target.siteId, target.robotId) !== null;
  const Bell = isMuted ? IconBellOff : IconBell;
  return (
    <DetailsPopover
      label={`Mute of ${target.name}`}
      width={270}
      renderOpener={(handlers) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={isMuted ? "Muted" : "Mute"}
          title={isMuted ? "Muted" : "Mute messages"}
          {...(isMuted ? handlers : { onClick: onMute, "aria-haspopup": "dialog" })}
        >
          <Bell size={18} aria-hidden />
        </ActionIcon>
      )}
    >
      {(close) => (
        <MuteControl
          target={target}
          onMute={() => {
            close();
            onMute();
          }}
          onEnded={close}
        />
      )}
    </DetailsPopover>
  );
}
