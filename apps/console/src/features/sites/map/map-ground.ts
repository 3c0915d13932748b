import type { Feature, FeatureCollection } from "geojson";
import {
  control,
  geoJSON,
  type GeoJSON,
  latLngBounds,
  map as createMap,
  type Map as LeafletMap,
  tileLayer,
  type TileLayer,
} from "leaflet";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { whenIdle } from "../when-idle.ts";
import { Graticule } from "./graticule.ts";
import { MapCanvas } from "./map-canvas.ts";
import classes from "./map-ground.module.css";
import { NameLayer } from "./name-layer.ts";
import coarseUrl from "world-atlas/land-110m.json?url";
import fineUrl from "world-atlas/land-50m.json?url";

/** §9 Map default centre and zoom: India. */
export const CENTRE = { lat: 20.5937, lng: 78.9629 };
export const ZOOM = 5;
const MIN_ZOOM = 2;
export const MAX_ZOOM = 18;
/** India with its islands in the Arabian Sea, from the southern cape to the northern mountains. */
export const INDIA = latLngBounds([6.5, 68], [37.2, 97.5]);
/** The fine outline waits this long for an idle moment, in milliseconds. */
const FINE_LAND_MS = 10_000;
const LAND_PANE = "land";
/** Below the tiles, which are at 200. */
const LAND_LEVEL = "150";

/** Fractions of a zoom step, so that a country fills a small map too. Tiles are sharp at whole steps only. */
const ZOOM_SNAP = 0.25;
const TILE_ZOOM_SNAP = 1;

export interface GroundColours {
  readonly land: string;
  readonly coast: string;
  /** Lines of latitude and longitude. */
  readonly line: string;
}

/**
 * The base of a map: India first, sea and land with the lines and names that tell where one is, a scale, and tiles in
 * place of these if there are any.
 */
export class MapGround {
  readonly leaflet: LeafletMap;
  readonly names: NameLayer;
  readonly #graticule: Graticule;
  /** The maximum zoom if there are no tiles. */
  readonly #maxZoomOutline: number;
  #land: GeoJSON | null = null;
  #tiles: TileLayer | null = null;
  #tileUrl: string | null = null;
  #colours: GroundColours = { land: "", coast: "", line: "" };
  #callOff: (() => void) | null = null;
  #isOver = false;

  /** The map's own zoom buttons would cover what is there; `ZoomButtons` are beside the map. */
  constructor(container: HTMLElement, maxZoomOutline: number) {
    this.#maxZoomOutline = maxZoomOutline;
    this.leaflet = createMap(container, {
      center: CENTRE,
      zoom: ZOOM,
      minZoom: MIN_ZOOM,
      zoomSnap: ZOOM_SNAP,
      maxZoom: maxZoomOutline,
      renderer: new MapCanvas({ padding: 0.3, tolerance: 4 }),
      attributionControl: false,
      zoomControl: false,
      worldCopyJump: true,
    });
    container.classList.add(classes["ground"] ?? "");
    this.leaflet.createPane(LAND_PANE).style.zIndex = LAND_LEVEL;
    this.#graticule = new Graticule(this.leaflet);
    this.names = new NameLayer(this.leaflet);
    control.scale({ imperial: false, maxWidth: 90 }).addTo(this.leaflet);
    void this.#showLand();
  }

  /** Redraws the base's colours, such as after a change of theme. */
  paint(colours: GroundColours): void {
    this.#colours = colours;
    this.#land?.setStyle(this.#landStyle());
    this.#graticule.paint(colours.line);
  }

  /** Null if there are none or their service does not answer: then no tile is requested. */
  showTiles(url: string | null): void {
    if (url === this.#tileUrl) return;
    this.#tileUrl = url;
    this.#tiles?.remove();
    this.#tiles = url === null ? null : tileLayer(url, { maxZoom: MAX_ZOOM }).addTo(this.leaflet);
    this.leaflet.options.zoomSnap = url === null ? ZOOM_SNAP : TILE_ZOOM_SNAP;
    this.leaflet.setMaxZoom(url === null ? this.#maxZoomOutline : MAX_ZOOM);
    // Tiles have their own.
    this.names.showPlaces(url === null);
  }

  /** The container has changed its size. */
  fit(): void {
    this.leaflet.invalidateSize({ animate: false });
  }

  close(): void {
    this.#isOver = true;
    this.#callOff?.();
    this.#graticule.close();
    this.names.close();
    this.leaflet.off().remove();
  }

  #landStyle() {
    return { color: this.#colours.coast, weight: 1, fillColor: this.#colours.land, fillOpacity: 1 };
  }

  async #showLand(): Promise<void> {
    await this.#drawLand("coarse");
    if (this.#isOver) return;
    this.#callOff = whenIdle(() => void this.#drawLand("fine"), FINE_LAND_MS);
  }

  async #drawLand(detail: "coarse" | "fine"): Promise<void> {
    // Without the outline the sites are still there.
    const outline = await landOutline(detail).catch(() => null);
    if (this.#isOver || outline === null) return;
    const former = this.#land;
    const renderer = new MapCanvas({ pane: LAND_PANE, padding: 0.3 });
    this.#land = geoJSON(outline, {
      pane: LAND_PANE,
      interactive: false,
      style: () => ({ ...this.#landStyle(), renderer }),
    }).addTo(this.leaflet);
    former?.remove();
  }
}

export function isMotionUnwanted(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

type Land = Feature | FeatureCollection;
type LandTopology = Topology<{ land: GeometryCollection }>;

/** Land without political borders; `coarse` is small and comes first, `fine` when nothing else is to do. */
async function landOutline(detail: "coarse" | "fine"): Promise<Land> {
  const response = await fetch(detail === "coarse" ? coarseUrl : fineUrl);
  const topology: unknown = await response.json();
  if (!isLand(topology)) throw new Error("The land outline is not a topology.");
  return feature(topology, topology.objects.land);
}

/** The file is the console's own, so only its kind needs to be checked. */
function isLand(value: unknown): value is LandTopology {
  return typeof value === "object" && value !== null && "arcs" in value && "objects" in value;
}
