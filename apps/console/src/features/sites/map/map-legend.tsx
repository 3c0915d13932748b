import type { Ref } from "react";
import { StatusIcon } from "../../../ui/status-icon.tsx";
import { mayBeMovingLook, siteStatusLook } from "../site-meaning.ts";
import type { IconPaths } from "./site-marker.ts";
import classes from "./map-legend.module.css";

const LOOKS = [...Object.values(siteStatusLook), mayBeMovingLook];

/** What the markers of the map mean, by the looks that the lists and badges have. */
export function MapLegend({ ref }: { ref: Ref<HTMLUListElement> }) {
  return (
    <ul ref={ref} className={classes["legend"]} aria-label="Markers of the map">
      {LOOKS.map((look) => (
        <li key={look.label} data-label={look.label}>
          <StatusIcon look={look} size={14} />
          {look.label}
        </li>
      ))}
    </ul>
  );
}

/** The lines of the legend's icons by their words: the markers are drawn with them, so that both are always the same. */
export function iconPathsOf(legend: HTMLUListElement): ReadonlyMap<string, IconPaths> {
  return new Map(
    LOOKS.map(({ label }) => {
      const paths = legend.querySelectorAll<SVGPathElement>(`[data-label="${label}"] path`);
      return [label, [...paths].map((path) => path.getAttribute("d") ?? "")];
    }),
  );
}
