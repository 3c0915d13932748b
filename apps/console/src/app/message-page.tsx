import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { BrandMark } from "../ui/brand-mark.tsx";
import classes from "./message-page.module.css";

export interface MessagePageProps {
  readonly title: string;
  readonly message: string;
  /** The ways on. */
  readonly children: ReactNode;
}

/** A page that has one thing to say, and ways on. */
export function MessagePage({ title, message, children }: MessagePageProps) {
  useDocumentTitle(`${title} - Suncrew`);
  return (
    <div className={classes["page"]} role="main">
      <span className={classes["mark"]}>
        <BrandMark sizePx={64} />
      </span>
      <h1 className={classes["title"]}>{title}</h1>
      <p className={classes["message"]}>{message}</p>
      <div className={classes["ways"]}>{children}</div>
    </div>
  );
}
