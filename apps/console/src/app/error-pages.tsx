import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { isRouteErrorResponse, Link, useLocation, useRouteError } from "react-router";
import { paths } from "../platform/paths.ts";
import { BrandMark } from "../ui/brand-mark.tsx";
import classes from "./message-page.module.css";

interface MessagePageProps {
  readonly title: string;
  readonly message: string;
  /** The ways on. */
  readonly children: ReactNode;
}

/** A page that has one thing to say, and ways on. */
function MessagePage({ title, message, children }: MessagePageProps) {
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

/** §2 Routes: any other path. */
export function NotFoundPage() {
  const { pathname } = useLocation();
  return (
    <MessagePage title="Oops! Page not found" message={`There is nothing at ${pathname}`}>
      <Button component={Link} to={paths.signIn()}>
        Return to Home
      </Button>
    </MessagePage>
  );
}

/** §8: the screen for an error that nothing else has caught, with its message. */
export function RouteError() {
  const message = messageOf(useRouteError());
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

function messageOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`;
  return error instanceof Error ? error.message : String(error);
}
