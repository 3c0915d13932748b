import { Box, Group, UnstyledButton } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { type Ref, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Look } from "../../../ui/look.ts";
import { StateBadge } from "../../../ui/state-badge.tsx";
import { StatusIcon } from "../../../ui/status-icon.tsx";
import { useTheme } from "../../../ui/theme/theme-choice.ts";
import { MayBeMovingBadge } from "../site-facts.tsx";
import { mayBeMovingLook, siteStatusLook } from "../site-looks.ts";
import { Attribution } from "./attribution-line.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./site-map-view.module.css";
import { MapButtons } from "./map-buttons.tsx";
import { type PaintOf, SiteMap } from "./site-map.ts";
import type { IconPaths, MarkerPaint } from "./site-marker.ts";
import { groundColours, useMap } from "./use-map.ts";

/** Of sites at one place, the popup lists this many. */
const MAX_CHOICES = 8;

export interface SiteMapViewProps {
  readonly sites: readonly Site[];
  readonly selectedId: number | null;
  readonly onSelect: (siteId: number) => void;
}

/** The map with its markers and popup; what it shows is in the All Sites list for those who cannot see it. */
export function SiteMapView({ sites, selectedId, onSelect }: SiteMapViewProps) {
  const legend = useRef<HTMLUListElement>(null);
  const [popupContent] = useState(() => document.createElement("div"));
  const [popupIds, setPopupIds] = useState<readonly number[]>([]);
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
        onPopup: setPopupIds,
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
        name: site.name,
        latitude: site.latitude,
        longitude: site.longitude,
        status: site.status,
        mayBeMoving: site.may_be_moving_robots > 0,
      })),
      selectedId,
      paintOf,
    );
  }, [map, paintOf, sites, selectedId]);

  useEffect(() => {
    if (selectedId !== null) map?.reveal(selectedId);
  }, [map, selectedId]);

  const popupSites = useMemo(
    () => (popupIds.length === 0 ? [] : sites.filter((site) => popupIds.includes(site.id))),
    [popupIds, sites],
  );
  useLayoutEffect(() => {
    if (popupSites.length > 0) map?.fitPopup();
  }, [map, popupSites]);

  return (
    <div className={classes["view"]}>
      <div className={classes["buttons"]}>
        {map !== null && <MapButtons leaflet={map.leaflet} onReset={() => map.reset()} />}
      </div>
      <div className={classes["frame"]}>
        <div
          ref={container}
          className={classes["map"]}
          role="region"
          aria-label="Map of sites. The All Sites list has the same sites."
        />
        <Attribution tiles={attribution} />
        {popupSites.length > 0 && createPortal(<Popup sites={popupSites} onSelect={onSelect} />, popupContent)}
      </div>
      <MapLegend ref={legend} />
    </div>
  );
}

/** Markers that look the same have the same paint, so that a thousand of them are compared at no cost. */
function markerPaints(style: CSSStyleDeclaration, icons: ReadonlyMap<string, IconPaths>): PaintOf {
  const colourOf = (look: Look) => style.getPropertyValue(`--sc-status-${look.tone}-dot`);
  const iconOf = (look: Look) => icons.get(look.label) ?? [];
  const [edge, ring] = [style.getPropertyValue("--sc-surface"), style.getPropertyValue("--sc-accent")];
  const alarm = { fill: colourOf(mayBeMovingLook), icon: iconOf(mayBeMovingLook) };
  const font = `600 12px ${style.fontFamily}`;
  const made = new Map<string, MarkerPaint>();
  return ({ status, mayBeMoving }) => {
    const key = `${status} ${mayBeMoving}`;
    const look = siteStatusLook[status];
    const paint = made.get(key) ?? {
      fill: colourOf(look),
      soft: style.getPropertyValue(`--sc-status-${look.tone}-soft`),
      text: style.getPropertyValue(`--sc-status-${look.tone}-fg`),
      font,
      edge,
      ring,
      icon: iconOf(look),
      alarm: mayBeMoving ? alarm : null,
    };
    made.set(key, paint);
    return paint;
  };
}

function Popup({ sites, onSelect }: Pick<SiteMapViewProps, "sites" | "onSelect">) {
  const [only, ...others] = sites;
  if (only !== undefined && others.length === 0) return <SitePopup site={only} />;
  return (
    <div className={classes["popup"]}>
      <p>{sites.length.toLocaleString("en-GB")} sites at this place</p>
      <ul className={classes["choices"]}>
        {sites.slice(0, MAX_CHOICES).map((site) => (
          <li key={site.id}>
            <UnstyledButton className={classes["choice"]} onClick={() => onSelect(site.id)}>
              <StatusIcon look={siteStatusLook[site.status]} size={14} />
              {site.name}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {sites.length > MAX_CHOICES && (
        <p className={classes["address"]}>{sites.length - MAX_CHOICES} more are in the All Sites list.</p>
      )}
    </div>
  );
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
        Robots: {site.active_robots.toLocaleString("en-GB")}/{site.robot_count.toLocaleString("en-GB")} active
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
