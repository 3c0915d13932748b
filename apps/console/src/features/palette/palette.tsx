import { UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { firstContentShown } from "../../platform/first-content.ts";
import { keyText, SHORTCUTS } from "../../platform/shortcuts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import classes from "./palette.module.css";

/** The dialogs and the listener for keys load after the first robots. */
const PaletteParts = lazyPart<PaletteProps>(
  async () => {
    await firstContentShown();
    return (await import("./palette-parts.tsx")).PaletteParts;
  },
  {
    failed: (failure, { opened, onOpen }) =>
      opened !== null && (
        <Dialog title="Search" onClose={() => onOpen(null)}>
          <FailedPart title="This dialog could not be loaded." failure={failure} />
        </Dialog>
      ),
  },
);

/** A page that the user may open. */
export interface GoPage {
  readonly label: string;
  readonly to: string;
  /** Opens it when pressed after G. */
  readonly key: string;
}

export type Opened = "search" | "shortcuts" | null;

export interface PaletteProps {
  readonly pages: readonly GoPage[];
  readonly opened: Opened;
  readonly onOpen: (opened: Opened) => void;
}

/** The command palette's button, and the keys that work on every page. */
export function Palette(props: PaletteProps) {
  return (
    <>
      <UnstyledButton
        className={classes["button"]}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title={`Search, and jump to anything (${keyText(SHORTCUTS.search.keys[0])})`}
        onClick={() => props.onOpen("search")}
      >
        <IconSearch size={16} aria-hidden />
        <span className={classes["label"]}>Search</span>
        <kbd className={classes["kbd"]} aria-hidden>
          {keyText(SHORTCUTS.search.keys[0])}
        </kbd>
      </UnstyledButton>
      <PaletteParts {...props} />
    </>
  );
}
