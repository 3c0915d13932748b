import { Anchor, Box, Skeleton, Stack } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconSearch } from "@tabler/icons-react";
import { Link } from "react-router";
import { firstContentShown } from "../../platform/first-content.ts";
import { paths } from "../../platform/paths.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./map-panel.module.css";
import { SiteList, SiteSearchBox, WorstFirstButton } from "./site-list.tsx";

/** The map loads after the robot cards. */
const SiteMapView = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./map/site-map-view.tsx")).SiteMapView;
  },
  {
    waiting: <Skeleton height="100%" radius="md" />,
    failed: (failure) => <FailedPart title="The map could not be loaded." failure={failure} />,
  },
);

export interface SiteChoice {
  readonly sites: readonly Site[];
  /** Those that match search and figure. */
  readonly found: readonly Site[];
  readonly selectedId: number | null;
  readonly search: string;
  readonly isWorstFirst: boolean;
  readonly onSelect: (siteId: number) => void;
  readonly onSearch: (words: string) => void;
  readonly onWorstFirst: (isOn: boolean) => void;
}

/** §2 Map panel: the map of India with its sites, and the All Sites list. */
export function MapPanel({ sites, found, selectedId, onSelect, ...tools }: SiteChoice) {
  return (
    <section
      className={`${shared["card"]} ${classes["panel"]}`}
      aria-labelledby="map-panel-title"
      style={{ height: "100%" }}
    >
      <Box component="h2" id="map-panel-title" fz={14} fw={650} lh="20px">
        India Site Overview
      </Box>
      <div className={classes["map"]}>
        <SiteMapView sites={found.length === 0 ? sites : found} selectedId={selectedId} onSelect={onSelect} />
      </div>
      <Stack gap={8} flex={1} mih={120}>
        <div className={classes["listHead"]}>
          <Box component="h3" fz={14} fw={650} lh="20px">
            All Sites
          </Box>
          <ListTools {...tools} />
        </div>
        <RobotsLink search={tools.search} />
        {found.length === 0 ? (
          <Box component="p" p={12} fz={13} c="dimmed" role="status">
            No sites match.
          </Box>
        ) : (
          <SiteList label="All Sites" sites={found} selectedId={selectedId} onSelect={onSelect} />
        )}
      </Stack>
    </section>
  );
}

/** In what order the sites are listed, and which. */
function ListTools({
  search,
  isWorstFirst,
  onSearch,
  onWorstFirst,
}: Pick<SiteChoice, "search" | "isWorstFirst" | "onSearch" | "onWorstFirst">) {
  return (
    <div className={classes["tools"]}>
      <WorstFirstButton isOn={isWorstFirst} onChange={onWorstFirst} />
      <SiteSearchBox value={search} onChange={onSearch} />
    </div>
  );
}

/** A search of sites that was meant for a robot goes on among the robots. */
function RobotsLink({ search }: { readonly search: string }) {
  const words = search.trim();
  if (words === "") return null;
  return (
    <Anchor component={Link} to={paths.robots({ q: words })} className={`${shared["touch"]} ${classes["robots"]}`}>
      <IconSearch size={16} aria-hidden />
      <span className={shared["truncate"]}>Find robots matching “{words}”</span>
    </Anchor>
  );
}

/** Half a row more shows that the list continues. */
const MAX_ROWS = 4.5;

/** §2 With the map hidden: site buttons and a Search sites box. */
export function SiteButtons({ found, selectedId, onSelect, ...tools }: Omit<SiteChoice, "sites">) {
  return (
    <section className={`${shared["card"]} ${classes["panel"]}`} aria-label="Sites">
      <ListTools {...tools} />
      <RobotsLink search={tools.search} />
      {found.length === 0 ? (
        <Box component="p" p={12} fz={13} c="dimmed" role="status">
          No sites match.
        </Box>
      ) : (
        <SiteList
          label="Site buttons"
          sites={found}
          selectedId={selectedId}
          onSelect={onSelect}
          framed
          maxRows={MAX_ROWS}
        />
      )}
    </section>
  );
}
