import type { Look } from "./look.ts";
import classes from "./status-icon.module.css";

/** A look's icon in its colour, for where the word stands beside it or is told otherwise. */
export function StatusIcon({ look, size }: { readonly look: Look; readonly size: number }) {
  const Icon = look.icon;
  return (
    <span className={classes["icon"]} data-tone={look.tone}>
      {Icon !== undefined && <Icon size={size} aria-hidden />}
    </span>
  );
}
