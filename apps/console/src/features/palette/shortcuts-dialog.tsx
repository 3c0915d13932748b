import { Switch } from "@mantine/core";
import "@mantine/core/styles/Switch.layer.css";
import type { ReactNode } from "react";
import { GO_KEY, keyText, SHORTCUTS, switchSingleKeys, useSingleKeys } from "../../platform/shortcuts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { GoPage } from "./palette.tsx";
import classes from "./palette-dialog.module.css";

interface ShortcutsDialogProps {
  readonly pages: readonly GoPage[];
  readonly onClose: () => void;
}

/** Every shortcut, and the switch for those of a single key. */
export function ShortcutsDialog({ pages, onClose }: ShortcutsDialogProps) {
  const isOn = useSingleKeys();
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts" fullScreenBelow="36em">
      <dl className={classes["keys"]}>
        {Object.values(SHORTCUTS).map(({ keys, does }) => (
          <Shortcut key={does} does={does}>
            {keys.map((key, nth) => (
              <span key={key} data-off={(!isOn && key.length === 1) || undefined}>
                {nth > 0 && "or "}
                <kbd>{keyText(key)}</kbd>
              </span>
            ))}
          </Shortcut>
        ))}
        {pages.map(({ label, key }) => (
          <Shortcut key={label} does={`Go to ${label}`}>
            <span data-off={!isOn || undefined}>
              <kbd>{keyText(GO_KEY)}</kbd> then <kbd>{keyText(key)}</kbd>
            </span>
          </Shortcut>
        ))}
      </dl>
      <p className={classes["note"]}>No key starts a robot. A Stop by key acts at once, as every Stop does.</p>
      <Switch
        label="Shortcuts of a single key"
        description="Off, only those with another key held down work."
        checked={isOn}
        onChange={({ currentTarget }) => switchSingleKeys(currentTarget.checked)}
      />
    </Dialog>
  );
}

function Shortcut({ does, children }: { readonly does: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{does}</dt>
      <dd>{children}</dd>
    </div>
  );
}
