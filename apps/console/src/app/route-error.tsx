import { useRouteError } from "react-router";
import { FailedState } from "../ui/failed-state.tsx";

/** §8: the screen for an error that nothing else has caught. */
export function RouteError() {
  const error = useRouteError();
  const message = error instanceof Error ? error.message : String(error);
  return (
    <main>
      <FailedState title="Unexpected Application Error!" message={message} onRetry={() => location.reload()} />
    </main>
  );
}
