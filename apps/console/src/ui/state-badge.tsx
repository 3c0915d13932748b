import { IconRefresh } from "@tabler/icons-react";
import type { Look } from "./look.ts";
import shared from "./shared.module.css";
import classes from "./state-badge.module.css";

export interface StateBadgeProps {
  readonly look: Look;
  /** Another label than the look's own, such as CHECKING... */
  readonly label?: string;
  /** True while it is being queried again: plain, with a spinning icon. */
  readonly checking?: boolean;
}

/** A state as icon, label and colour. */
export function StateBadge({ look, label, checking = false }: StateBadgeProps) {
  const Icon = checking ? IconRefresh : look.icon;
  return (
    <span className={classes["badge"]} data-tone={checking ? "plain" : look.tone}>
      {Icon !== undefined && (
        <Icon size={13} className={checking ? `${shared["turning"]} ${classes["turning"]}` : undefined} aria-hidden />
      )}
      {label ?? look.label}
    </span>
  );
}
