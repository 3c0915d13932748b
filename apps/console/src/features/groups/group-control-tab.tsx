import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconStack2 } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { VirtualGrid } from "../../ui/virtual-grid.tsx";
import type { SiteRobots } from "../robots/public.ts";
import { GroupCard } from "./group-card.tsx";
import { useSiteGroups } from "./group-calls.ts";
import { CARD_PX, CardSkeletons } from "./lazy-groups.tsx";

const MIN_CARD_PX = 560;
const keyOf = (group: Group) => group.id;

/** §2 Group Control tab: a card for each group of the site. */
export function GroupControlTab({ site, robots }: { readonly site: Site; readonly robots: SiteRobots }) {
  const { state, groups, retry, isRetrying } = useSiteGroups(site.id);
  if (state === "loading") return <CardSkeletons />;
  if (state === "failed") {
    return <FailedState title="The robot groups could not be loaded." onRetry={retry} retrying={isRetrying} />;
  }
  if (groups.length === 0) {
    return (
      <EmptyState
        title="No robot groups available, create groups in Site Management"
        icon={<IconStack2 size={32} stroke={1.5} />}
        action={
          <Button
            component={Link}
            to={paths.sites({ siteId: site.id, tab: "groups" })}
            variant="default"
            size="xs"
            mt={4}
          >
            Go to Site Management
          </Button>
        }
      />
    );
  }
  return (
    <VirtualGrid items={groups} keyOf={keyOf} minColumnPx={MIN_CARD_PX} estimatedRowPx={CARD_PX}>
      {(group) => <GroupCard group={group} site={site} siteRows={robots.rows} />}
    </VirtualGrid>
  );
}
