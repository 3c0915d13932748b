import { canvas, geoJSON, map as createMap, popup as createPopup, tileLayer } from "leaflet";
import type { GeoJSON, Map as LeafletMap, TileLayer } from "leaflet";
import { whenIdle } from "../when-idle.ts";
import { landOutline } from "./land-outline.ts";
import { SiteMarker } from "./site-marker.ts";
import type { MarkerPaint } from "./site-marker.ts";

/** §9 Map default centre and zoom: India. */
const CENTRE = [20.5937, 78.9629] as const;
const ZOOM = 5;
const MIN_ZOOM = 2;
const MAX_ZOOM = 18;
/** Without tiles there is nothing to see closer. */
const MAX_ZOOM_OUTLINE = 9;
/** The fine outline waits this long for an idle moment, in milliseconds. */
const FINE_LAND_MS = 10_000;
/** A selected site is at least this far inside of the picture. */
const REVEAL_PX = 28;
const LAND_PANE = "land";
/** Under the tiles, which are at 200. */
const LAND_LEVEL = "150";

export interface MarkedSite {
  readonly id: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly paint: MarkerPaint;
}

export interface GroundColours {
  readonly land: string;
  readonly coast: string;
}

export interface SiteMapParts {
  readonly container: HTMLElement;
  /** The popup's content is filled by whoever made it. */
  readonly popupContent: HTMLElement;
  readonly onSelect: (siteId: number) => void;
  readonly onPopup: (siteId: number | null) => void;
}

/** Our own thin wrapper of the map: sites, ground and tiles in, a selection out. */
export class SiteMap {
  readonly #map: LeafletMap;
  readonly #parts: SiteMapParts;
  readonly #markers = new Map<number, SiteMarker>();
  #land: GeoJSON | null = null;
  #tiles: TileLayer | null = null;
  #tileUrl: string | null = null;
  #ground: GroundColours = { land: "", coast: "" };
  #callOff: (() => void) | null = null;
  #isOver = false;

  constructor(parts: SiteMapParts) {
    this.#parts = parts;
    this.#map = createMap(parts.container, {
      center: [...CENTRE],
      zoom: ZOOM,
      minZoom: MIN_ZOOM,
      maxZoom: MAX_ZOOM_OUTLINE,
      renderer: canvas({ padding: 0.3, tolerance: 4 }),
      attributionControl: false,
      worldCopyJump: true,
    });
    this.#map.createPane(LAND_PANE).style.zIndex = LAND_LEVEL;
    this.#map.on("popupclose", () => parts.onPopup(null));
    void this.#showLand();
  }

  /** Draws the ground's colours anew, as after a change of theme. */
  paintGround(colours: GroundColours): void {
    this.#ground = colours;
    this.#land?.setStyle(this.#landStyle());
  }

  /** Null where there are none or their service does not answer: then no tile is asked for. */
  showTiles(url: string | null): void {
    if (url === this.#tileUrl) return;
    this.#tileUrl = url;
    this.#tiles?.remove();
    this.#tiles = url === null ? null : tileLayer(url, { maxZoom: MAX_ZOOM }).addTo(this.#map);
    this.#map.setMaxZoom(url === null ? MAX_ZOOM_OUTLINE : MAX_ZOOM);
  }

  showSites(sites: readonly MarkedSite[], selectedId: number | null): void {
    const gone = new Set(this.#markers.keys());
    for (const site of sites) {
      gone.delete(site.id);
      const marker = this.#markers.get(site.id) ?? this.#addMarker(site);
      if (!marker.getLatLng().equals([site.latitude, site.longitude])) {
        marker.setLatLng([site.latitude, site.longitude]);
      }
      marker.show(site.paint, site.id === selectedId);
    }
    for (const id of gone) {
      this.#markers.get(id)?.remove();
      this.#markers.delete(id);
    }
  }

  /** Brings a site into the picture where it is outside of it. */
  reveal(siteId: number): void {
    const marker = this.#markers.get(siteId);
    if (marker === undefined) return;
    this.#map.panInside(marker.getLatLng(), { padding: [REVEAL_PX, REVEAL_PX], animate: !isMotionUnwanted() });
  }

  /** The popup's content has changed its size. */
  fitPopup(): void {
    this.#map.eachLayer((layer) => layer.getPopup()?.update());
  }

  closePopup(): void {
    this.#map.closePopup();
  }

  /** The container has changed its size. */
  fit(): void {
    this.#map.invalidateSize({ animate: false });
  }

  close(): void {
    this.#isOver = true;
    this.#callOff?.();
    this.#map.off().remove();
  }

  #addMarker(site: MarkedSite): SiteMarker {
    const marker = new SiteMarker([site.latitude, site.longitude], site.paint, {});
    marker.bindPopup(
      createPopup({ minWidth: 200, maxWidth: 280, autoPanPadding: [12, 12] }).setContent(this.#parts.popupContent),
    );
    marker.on("click", () => this.#parts.onSelect(site.id));
    marker.on("popupopen", () => this.#parts.onPopup(site.id));
    marker.addTo(this.#map);
    this.#markers.set(site.id, marker);
    return marker;
  }

  #landStyle() {
    return { color: this.#ground.coast, weight: 1, fillColor: this.#ground.land, fillOpacity: 1 };
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
    const renderer = canvas({ pane: LAND_PANE, padding: 0.3 });
    this.#land = geoJSON(outline, {
      pane: LAND_PANE,
      interactive: false,
      style: () => ({ ...this.#landStyle(), renderer }),
    }).addTo(this.#map);
    former?.remove();
  }
}

function isMotionUnwanted(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
