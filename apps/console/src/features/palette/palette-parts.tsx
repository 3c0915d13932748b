import { useWindowEvent } from "@mantine/hooks";
import { useRef } from "react";
import { useNavigate } from "react-router";
import { GO_KEY, isShortcut, shortcutKeyOf } from "../../platform/shortcuts.ts";
import { useReturnFocus } from "../../ui/dialog.tsx";
import type { PaletteProps } from "./palette.tsx";
import { PaletteDialog } from "./palette-dialog.tsx";
import { ShortcutsDialog } from "./shortcuts-dialog.tsx";

/** Listens for the keys that work on every page, and shows the dialog that is open. */
export function PaletteParts(props: PaletteProps) {
  useKeys(props);
  return props.opened !== null && <OpenDialog {...props} />;
}

/** One dialog may replace the other; the focus returns to where it was before the first. */
function OpenDialog({ pages, opened, onOpen }: PaletteProps) {
  useReturnFocus();
  const close = () => onOpen(null);
  return opened === "search" ? (
    <PaletteDialog pages={pages} onShortcuts={() => onOpen("shortcuts")} onClose={close} />
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
    // Before a robot's card: the second key of two is not S.
    { capture: true },
  );
}
