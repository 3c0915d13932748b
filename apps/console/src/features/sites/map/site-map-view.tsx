import { ActionIcon, Box, Group } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import type { Map as LeafletMap } from "leaflet";
import { type Ref, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import type { Look } from "../../../ui/look.ts";
import { StateBadge } from "../../../ui/state-badge.tsx";
import { StatusIcon } from "../../../ui/status-icon.tsx";
import { useTheme } from "../../../ui/theme/theme-choice.ts";
import { MayBeMovingBadge } from "../site-facts.tsx";
import { mayBeMovingLook, siteStatusLook } from "../site-looks.ts";
import { Attribution } from "./attribution-line.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./site-map-view.module.css";
import { type IconPaths, type MarkerPaint, SiteMap } from "./site-map.ts";
import { groundColours, useMap } from "./use-map.ts";

export interface SiteMapViewProps {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
}

/** The map with its markers and popup; what it shows is in the All Sites list for those who cannot see it. */
export function SiteMapView({ sites, selectedId, onSelect }: SiteMapViewProps) {
  const legend = useRef<HTMLUListElement>(null);
  const [popupContent] = useState(() => document.createElement("div"));
  const [popupId, setPopupId] = useState<number | null>(null);
  const select = useRef(onSelect);
  const theme = useTheme();
  useEffect(() => {
    select.current = onSelect;
  }, [onSelect]);
  const { container, map, attribution } = useMap(
    (element) =>
      new SiteMap({
        container: element,
        popupContent,
        onSelect: (siteId) => select.current(siteId),
        onPopup: setPopupId,
      }),
  );

  // The canvas takes colours, not variables: they are read again for each theme.
  const [paintOf, setPaintOf] = useState<PaintOf | null>(null);
  useEffect(() => {
    if (map === null || container.current === null || legend.current === null) return;
    const style = getComputedStyle(container.current);
    map.paintGround(groundColours(style));
    const paints = markerPaints(style, iconPathsOf(legend.current));
    setPaintOf(() => paints);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the theme stands for the colours read
  }, [container, map, theme]);

  useEffect(() => {
    if (map === null || paintOf === null) return;
    map.showSites(
      sites.map((site) => ({
        id: site.id,
        latitude: site.latitude,
        longitude: site.longitude,
        paint: paintOf(site),
        needsSomebody: site.status === "fault" || site.status === "warning",
      })),
      selectedId,
    );
  }, [map, paintOf, sites, selectedId]);

  useEffect(() => {
    if (selectedId !== null) map?.reveal(selectedId);
  }, [map, selectedId]);

  const popupSite = sites.find((site) => site.id === popupId);
  useLayoutEffect(() => {
    if (popupSite !== undefined) map?.fitPopup();
  }, [map, popupSite]);

  return (
    <div className={classes["view"]}>
      {map !== null && <ZoomButtons leaflet={map.leaflet} />}
      <div className={classes["frame"]}>
        <div
          ref={container}
          className={classes["map"]}
          role="region"
          aria-label="Map of sites. The All Sites list has the same sites."
        />
        {attribution !== null && <Attribution text={attribution} />}
        {popupSite !== undefined && createPortal(<SitePopup site={popupSite} />, popupContent)}
      </div>
      <MapLegend ref={legend} />
    </div>
  );
}

type PaintOf = (site: Site) => MarkerPaint;

/** Sites that look the same have the same paint, so that a thousand of them are compared at no cost. */
function markerPaints(style: CSSStyleDeclaration, icons: ReadonlyMap<string, IconPaths>): PaintOf {
  const colourOf = (look: Look) => style.getPropertyValue(`--sc-status-${look.tone}-dot`);
  const iconOf = (look: Look) => icons.get(look.label) ?? [];
  const [edge, ring] = [style.getPropertyValue("--sc-surface"), style.getPropertyValue("--sc-accent")];
  const alarm = { fill: colourOf(mayBeMovingLook), icon: iconOf(mayBeMovingLook) };
  const made = new Map<string, MarkerPaint>();
  return ({ status, may_be_moving_robots: mayBeMoving }) => {
    const key = `${status} ${mayBeMoving > 0}`;
    const look = siteStatusLook[status];
    const paint = made.get(key) ?? {
      fill: colourOf(look),
      edge,
      ring,
      icon: iconOf(look),
      alarm: mayBeMoving > 0 ? alarm : null,
    };
    made.set(key, paint);
    return paint;
  };
}

/** §2 Map panel: a popup shows site name, address, Robots active/total and a status badge. */
function SitePopup({ site }: { site: Site }) {
  return (
    <div className={classes["popup"]}>
      <Box component="p" fz={14} fw={650}>
        {site.name}
      </Box>
      <p className={classes["address"]}>{site.address}</p>
      <p>
        Robots: {site.active_robots}/{site.robot_count} active
      </p>
      <Group gap={4} align="stretch">
        <StateBadge look={siteStatusLook[site.status]} />
        <MayBeMovingBadge site={site} />
      </Group>
    </div>
  );
}

const LOOKS = [...Object.values(siteStatusLook), mayBeMovingLook];

/** The meaning of the map's markers, by the looks that the lists and badges have. */
export function MapLegend({ ref }: { ref: Ref<HTMLUListElement> }) {
  return (
    <ul ref={ref} className={`${shared["muted"]} ${classes["legend"]}`} aria-label="Markers of the map">
      {LOOKS.map((look) => (
        <li key={look.label} data-label={look.label}>
          <StatusIcon look={look} size={14} />
          {look.label}
        </li>
      ))}
    </ul>
  );
}

/**
 * The lines of the legend's icons by their labels: the markers are drawn with them, so that both are always the same.
 */
export function iconPathsOf(legend: HTMLUListElement): ReadonlyMap<string, IconPaths> {
  return new Map(
    LOOKS.map(({ label }) => {
      const paths = legend.querySelectorAll<SVGPathElement>(`[data-label="${label}"] path`);
      return [label, [...paths].map((path) => path.getAttribute("d") ?? "")];
    }),
  );
}

/** Beside the map, not over it: what lies under a button of the map can be neither seen nor pressed. */
export function ZoomButtons({ leaflet }: { leaflet: LeafletMap }) {
  const [at, setAt] = useState(() => zoomOf(leaflet));
  useEffect(() => {
    const follow = () => setAt(zoomOf(leaflet));
    leaflet.on("zoomend zoomlevelschange", follow);
    return () => void leaflet.off("zoomend zoomlevelschange", follow);
  }, [leaflet]);
  return (
    <div className={classes["buttons"]}>
      <DisabledReason reason={at.isNearest ? "The map shows no more than this." : null}>
        <ActionIcon variant="default" size={28} aria-label="Zoom in" onClick={() => leaflet.zoomIn()}>
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
      </DisabledReason>
      <DisabledReason reason={at.isFarthest ? "This is as far away as it goes." : null}>
        <ActionIcon variant="default" size={28} aria-label="Zoom out" onClick={() => leaflet.zoomOut()}>
          <IconMinus size={16} aria-hidden />
        </ActionIcon>
      </DisabledReason>
    </div>
  );
}

function zoomOf(leaflet: LeafletMap) {
  const zoom = leaflet.getZoom();
  return { isNearest: zoom >= leaflet.getMaxZoom(), isFarthest: zoom <= leaflet.getMinZoom() };
}
