import { IconStack2 } from "@tabler/icons-react";
import { EmptyState } from "../../ui/empty-state.tsx";

/** §2 Group Control tab. No group can be made yet, so it has its empty state alone. */
export function GroupControlTab() {
  return (
    <EmptyState
      title="No robot groups available, create groups in Site Management"
      icon={<IconStack2 size={32} stroke={1.5} />}
    />
  );
}
