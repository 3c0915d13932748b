import { EmptyState } from "../../ui/empty-state.tsx";

/** Who can be told together or by turns, for Super Admins. */
export function TeamsTab() {
  return <EmptyState title="No teams yet." />;
}
