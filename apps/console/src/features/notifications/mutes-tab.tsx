import { EmptyState } from "../../ui/empty-state.tsx";

/** What nobody is told of, and until when. */
export function MutesTab() {
  return <EmptyState title="Nothing is muted." />;
}
