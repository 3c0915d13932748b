import "leaflet/dist/leaflet.css";
import { useEffect, useRef, useState } from "react";
import { useServerConfig } from "../../../platform/server-config.ts";

interface FittedMap {
  showTiles(url: string | null): void;
  fit(): void;
  close(): void;
}

/** A map created by `make`, once, in the element that `container` is attached to; it follows the element's size. */
export function useMap<M extends FittedMap>(make: (container: HTMLDivElement) => M) {
  const container = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<M | null>(null);
  const [first] = useState(() => make);
  const tiles = useServerConfig()?.map_tiles ?? null;
  const tileUrl = tiles?.available === true ? tiles.url : null;

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const made = first(element);
    const sized = new ResizeObserver(() => made.fit());
    sized.observe(element);
    setMap(made);
    return () => {
      sized.disconnect();
      setMap(null);
      made.close();
    };
  }, [first]);
  useEffect(() => map?.showTiles(tileUrl), [map, tileUrl]);
  return { container, map, attribution: tileUrl === null ? null : (tiles?.attribution ?? null) };
}

/** The colours of the base, which the canvas needs as values. */
export function groundColours(style: CSSStyleDeclaration) {
  return {
    land: style.getPropertyValue("--sc-map-land"),
    coast: style.getPropertyValue("--sc-map-coast"),
    line: style.getPropertyValue("--sc-map-line"),
  };
}
