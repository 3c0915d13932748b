import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { isRouteErrorResponse, useRouteError } from "react-router";
import { paths } from "../platform/paths.ts";
import { MessagePage } from "./message-page.tsx";

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
