import { Button } from "@mantine/core";
import { isRouteErrorResponse, Link, useLocation, useRouteError } from "react-router";
import { paths } from "../platform/paths.ts";
import { MessagePage, UnexpectedError } from "./message-page.tsx";

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

/** What the router shows in place of a page that threw, or that could not be loaded. */
export function RouteError() {
  return <UnexpectedError message={messageOf(useRouteError())} />;
}

function messageOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`;
  return error instanceof Error ? error.message : String(error);
}
