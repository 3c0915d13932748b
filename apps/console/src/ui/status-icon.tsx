import type { Look } from "./look.ts";
import classes from "./status-icon.module.css";

/** A look's icon in its colour, for where the label is beside it or given otherwise. */
export function StatusIcon({ look, size }: { readonly look: Look; readonly size: number }) {
  const Icon = look.icon;
  return (
    <span className={classes["icon"]} data-tone={look.tone}>
      {Icon !== undefined && <Icon size={size} aria-hidden />}
    </span>
  );
}
