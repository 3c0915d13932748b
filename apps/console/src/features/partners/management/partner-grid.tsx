import { Skeleton, VisuallyHidden } from "@mantine/core";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { IconBuildingStore } from "@tabler/icons-react";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { VirtualGrid } from "../../../ui/virtual-grid.tsx";
import { PartnerCard } from "./partner-card.tsx";
import type { OpenDialog } from "./partner-dialogs.tsx";
import classes from "./partners-page.module.css";

const MIN_CARD_PX = 340;
const CARD_PX = 268;
const keyOf = (partner: Partner) => partner.id;

export interface PartnerGridProps {
  readonly partners: readonly Partner[];
  readonly found: readonly Partner[];
  readonly onOpen: (open: OpenDialog) => void;
}

/** The cards of those found, or why there is none. */
export function PartnerGrid({ partners, found, onOpen }: PartnerGridProps) {
  if (found.length === 0) {
    return (
      <div className={classes["panel"]}>
        <EmptyState
          title={partners.length === 0 ? "No maintenance partners found." : "No partners match your search criteria."}
          icon={<IconBuildingStore size={32} stroke={1.5} />}
        />
      </div>
    );
  }
  return (
    <section aria-label="Partners">
      <VisuallyHidden component="h2">Partners</VisuallyHidden>
      <VirtualGrid items={found} keyOf={keyOf} minColumnPx={MIN_CARD_PX} estimatedRowPx={CARD_PX}>
        {(partner) => <PartnerCard partner={partner} onOpen={onOpen} />}
      </VirtualGrid>
    </section>
  );
}

/** In place of the cards while they are loaded. */
export function PartnerCardSkeletons() {
  return (
    <div role="status" aria-label="Loading partners" className={classes["skeletons"]}>
      {[1, 2, 3, 4, 5, 6].map((key) => (
        <Skeleton key={key} height={CARD_PX} radius="md" />
      ))}
    </div>
  );
}
