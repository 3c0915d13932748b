import type { ReactNode } from "react";
import classes from "./state-panel.module.css";

export interface EmptyStateProps {
  /** The specification's text. */
  readonly title: string;
  readonly message?: string;
  readonly icon?: ReactNode;
  /** A next step, such as a button. */
  readonly action?: ReactNode;
}

/** Shown in place of a list or a detail that has nothing to show. */
export function EmptyState({ title, message, icon, action }: EmptyStateProps) {
  return (
    <div className={classes["panel"]}>
      {icon !== undefined && (
        <span className={classes["icon"]} aria-hidden>
          {icon}
        </span>
      )}
      <p className={classes["title"]}>{title}</p>
      {message !== undefined && <p className={classes["message"]}>{message}</p>}
      {action}
    </div>
  );
}
