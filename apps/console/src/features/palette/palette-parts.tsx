import { useWindowEvent } from "@mantine/hooks";
import { useRef } from "react";
import { useNavigate } from "react-router";
import { GO_KEY, isShortcut, shortcutKeyOf } from "../../platform/shortcuts.ts";
import { useReturnFocus } from "../../ui/dialog.tsx";
import { useStopSite } from "../groups/public.ts";
import { PaletteDialog } from "./palette-dialog.tsx";
import type { Doing } from "./palette-entries.ts";
import type { PaletteProps } from "./palette.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";

/** Listens for the keys that work on every page, and shows the dialog that is open. */
export function PaletteParts(props: PaletteProps) {
  useKeys(props);
  const [stopSite, stopSiteDialog] = useStopSite();
  return (
    <>
      {props.opened !== null && <OpenDialog {...props} onStopSite={stopSite} />}
      {stopSiteDialog}
    </>
  );
}

/** One dialog may replace the other; the focus returns to where it was before the first. */
function OpenDialog({ pages, opened, onOpen, onStopSite }: PaletteProps & Pick<Doing, "onStopSite">) {
  useReturnFocus();
  const close = () => onOpen(null);
  return opened === "search" ? (
    <PaletteDialog pages={pages} onShortcuts={() => onOpen("shortcuts")} onStopSite={onStopSite} onClose={close} />
  ) : (
    <ShortcutsDialog pages={pages} onClose={close} />
  );
}

/** How long G waits for the second key. */
const GO_WITHIN_MS = 1_500;

function useKeys({ pages, onOpen }: PaletteProps): void {
  const navigate = useNavigate();
  const goAt = useRef(-Infinity);
  useWindowEvent(
    "keydown",
    (event) => {
      const isSecond = event.timeStamp - goAt.current < GO_WITHIN_MS;
      goAt.current = -Infinity;
      const key = shortcutKeyOf(event);
      const page = isSecond ? pages.find((one) => one.key === key) : undefined;
      if (page !== undefined) void navigate(page.to);
      else if (isShortcut(event, "search")) onOpen("search");
      else if (isShortcut(event, "help")) onOpen("shortcuts");
      else {
        if (key === GO_KEY) goAt.current = event.timeStamp;
        return;
      }
      event.preventDefault();
    },
    // Before the page: the second key of two is for the shell. It is never S, which always stops.
    { capture: true },
  );
}
