import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { paths } from "../platform/paths.ts";
import { BrandMark } from "../ui/brand-mark.tsx";
import classes from "./message-page.module.css";

export interface MessagePageProps {
  readonly title: string;
  readonly message: string;
  /** Links or buttons that lead on. */
  readonly children: ReactNode;
}

/** A page with one message, and ways on. */
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

/** §8: the screen for an uncaught error, with its message. Needs no router: that may be what is missing. */
export function UnexpectedError({ message }: { readonly message: string }) {
  return (
    <MessagePage title="Unexpected Application Error!" message={message}>
      <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => location.reload()}>
        Reload
      </Button>
      <Button component="a" href={paths.signIn()} variant="default">
        Return to Home
      </Button>
    </MessagePage>
  );
}
