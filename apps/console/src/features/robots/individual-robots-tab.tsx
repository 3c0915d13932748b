import { Skeleton } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { IconRobot } from "@tabler/icons-react";
import { useFirstContent } from "../../platform/first-content.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { VirtualGrid } from "../../ui/virtual-grid.tsx";
import { RobotCard } from "./robot-card.tsx";
import type { SiteRobots } from "./use-robots.ts";

const MIN_CARD_PX = 300;
const CARD_PX = 196;
const keyOf = (row: RobotWithSettings) => row.robot_id;

/** §2 Individual Robots tab: a card for each robot of the site. */
export function IndividualRobotsTab({ robots }: { readonly robots: SiteRobots }) {
  if (robots.state === "loading") return <CardSkeletons />;
  if (robots.state === "failed") {
    return <FailedState title="The robots could not be loaded." onRetry={robots.retry} retrying={robots.isRetrying} />;
  }
  if (robots.rows.length === 0) {
    return <EmptyState title="No robots assigned to this site yet." icon={<IconRobot size={32} stroke={1.5} />} />;
  }
  return (
    <VirtualGrid items={robots.rows} keyOf={keyOf} minColumnPx={MIN_CARD_PX} estimatedRowPx={CARD_PX}>
      {(row) => (
        <>
          <RobotCard row={row} onRefresh={robots.refresh} withNights />
          <FirstContent />
        </>
      )}
    </VirtualGrid>
  );
}

/** A card is there: the grid renders them only once it has measured its place. */
function FirstContent() {
  useFirstContent(true);
  return null;
}

function CardSkeletons() {
  return (
    <div
      role="status"
      aria-label="Loading robots"
      style={{
        display: "grid",
        gap: 12,
        gridTemplateColumns: `repeat(auto-fill, minmax(min(100%, ${MIN_CARD_PX}px), 1fr))`,
      }}
    >
      {[1, 2, 3, 4].map((key) => (
        <Skeleton key={key} height={CARD_PX} radius="md" />
      ))}
    </div>
  );
}
