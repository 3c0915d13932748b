import { EmptyState } from "../../ui/empty-state.tsx";

/** The messages that were sent, or are to be sent. */
export function DeliveriesTab() {
  return <EmptyState title="Nothing has been sent." />;
}
