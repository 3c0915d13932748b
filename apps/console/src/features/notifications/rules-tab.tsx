import { EmptyState } from "../../ui/empty-state.tsx";

/** Which alerts are told to whom, for Super Admins. */
export function RulesTab() {
  return <EmptyState title="No rules yet." />;
}
