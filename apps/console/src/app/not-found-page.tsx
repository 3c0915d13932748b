import { Button } from "@mantine/core";
import { Link, useLocation } from "react-router";
import { paths } from "../platform/paths.ts";
import { MessagePage } from "./message-page.tsx";

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
