import { useMemo } from "react";
import { attributionParts } from "./attribution.ts";
import classes from "./site-map-view.module.css";

interface AttributionProps {
  /** That of the tiles; null if there are none, and so the names on the map are our own. */
  readonly tiles: string | null;
}

/** The attribution of tiles or names, at the map's edge. */
export function Attribution({ tiles }: AttributionProps) {
  const parts = useMemo(() => attributionParts(tiles ?? "Towns: GeoNames, CC BY 4.0"), [tiles]);
  return (
    <div className={classes["attribution"]} data-over={tiles === null ? "ground" : "tiles"}>
      {parts.map(({ text: words, href }) =>
        href === null ? (
          words
        ) : (
          <a key={href} href={href} target="_blank" rel="noreferrer">
            {words}
          </a>
        ),
      )}
    </div>
  );
}
