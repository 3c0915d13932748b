import type { ReactNode } from "react";
import shared from "./shared.module.css";
import classes from "./page-layout.module.css";

export interface PageLayoutProps {
  readonly title: string;
  /** True if the page shows no heading line of its own; a screen reader still reads it. */
  readonly titleHidden?: boolean;
  /** Buttons at the right of the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page under the navigation bar: its one first heading, its actions, its content. */
export function PageLayout({ title, titleHidden = false, actions, children }: PageLayoutProps) {
  return (
    <div className={classes["page"]}>
      <div className={titleHidden ? shared["visuallyHidden"] : classes["head"]}>
        <h1 className={classes["title"]}>{title}</h1>
        {actions}
      </div>
      {children}
    </div>
  );
}
