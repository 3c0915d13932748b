import type { Feature, FeatureCollection } from "geojson";
import {
  Canvas,
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
import coarseUrl from "world-atlas/land-110m.json?url";
import fineUrl from "world-atlas/land-50m.json?url";

/** §9 Map default centre and zoom: India. */
const CENTRE = [20.5937, 78.9629] as const;
const ZOOM = 5;
const MIN_ZOOM = 2;
export const MAX_ZOOM = 18;
/** India with its islands in the Arabian Sea, from the southern cape to the northern mountains. */
export const INDIA = latLngBounds([6.5, 68], [37.2, 97.5]);
/** The fine outline waits this long for an idle moment, in milliseconds. */
const FINE_LAND_MS = 10_000;
const LAND_PANE = "land";
/** Below the tiles, which are at 200. */
const LAND_LEVEL = "150";

export interface GroundColours {
  readonly land: string;
  readonly coast: string;
}

/** The base of a map: India first, the land's outline, and tiles if there are any. */
export class MapGround {
  readonly leaflet: LeafletMap;
  /** The maximum zoom if there are no tiles. */
  readonly #maxZoomOutline: number;
  #land: GeoJSON | null = null;
  #tiles: TileLayer | null = null;
  #tileUrl: string | null = null;
  #colours: GroundColours = { land: "", coast: "" };
  #callOff: (() => void) | null = null;
  #isOver = false;

  /** The map's own zoom buttons would cover what is there; `ZoomButtons` are beside the map. */
  constructor(container: HTMLElement, maxZoomOutline: number, { zoomSnap = 1, zoomControl = false } = {}) {
    this.#maxZoomOutline = maxZoomOutline;
    this.leaflet = createMap(container, {
      center: [...CENTRE],
      zoom: ZOOM,
      minZoom: MIN_ZOOM,
      zoomSnap,
      maxZoom: maxZoomOutline,
      renderer: new MapCanvas({ padding: 0.3, tolerance: 4 }),
      attributionControl: false,
      zoomControl,
      worldCopyJump: true,
    });
    this.leaflet.createPane(LAND_PANE).style.zIndex = LAND_LEVEL;
    void this.#showLand();
  }

  /** Redraws the base's colours, such as after a change of theme. */
  paint(colours: GroundColours): void {
    this.#colours = colours;
    this.#land?.setStyle(this.#landStyle());
  }

  /** Null if there are none or their service does not answer: then no tile is requested. */
  showTiles(url: string | null): void {
    if (url === this.#tileUrl) return;
    this.#tileUrl = url;
    this.#tiles?.remove();
    this.#tiles = url === null ? null : tileLayer(url, { maxZoom: MAX_ZOOM }).addTo(this.leaflet);
    this.leaflet.setMaxZoom(url === null ? this.#maxZoomOutline : MAX_ZOOM);
  }

  /** The container has changed its size. */
  fit(): void {
    this.leaflet.invalidateSize({ animate: false });
  }

  close(): void {
    this.#isOver = true;
    this.#callOff?.();
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

/** The library does not cancel a frame that it requested before it drew at once: that one may come after the end. */
export class MapCanvas extends Canvas {
  // oxlint-disable-next-line no-underscore-dangle -- so the library names it
  _redraw(): void {
    if (!("_ctx" in this)) return;
    const redraw: unknown = Reflect.get(Canvas.prototype, "_redraw");
    if (typeof redraw === "function") redraw.call(this);
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
