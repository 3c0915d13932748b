import { EmptyState } from "../../ui/empty-state.tsx";

export interface ContactPointListProps {
  /** Only the contact points of whoever is signed in, as on the Profile page. */
  readonly isMine?: boolean;
}

/** Where people are reached: grouped by whose they are. */
export function ContactPointList({ isMine = false }: ContactPointListProps) {
  return <EmptyState title={isMine ? "You have no contact points yet." : "No contact points yet."} />;
}
