import { latLngBounds, point, popup as createPopup } from "leaflet";
import type { LatLngTuple, Map as LeafletMap } from "leaflet";
import { INDIA, isMotionUnwanted, MapGround } from "./map-ground.ts";
import type { GroundColours } from "./map-ground.ts";
import { SiteMarker } from "./site-marker.ts";
import type { MarkerPaint } from "./site-marker.ts";

/** Without tiles there is nothing to see closer. */
const MAX_ZOOM_OUTLINE = 9;
/** A selected site is at least this far inside of the picture. */
const REVEAL_PX = 28;

export interface MarkedSite {
  readonly id: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly paint: MarkerPaint;
  /** Something is wrong there. */
  readonly needsSomebody: boolean;
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
  readonly #ground: MapGround;
  readonly #parts: SiteMapParts;
  readonly #markers = new Map<number, SiteMarker>();
  /** Where somebody is needed. */
  #needy: readonly LatLngTuple[] = [];
  /** Until somebody moves the map, it shows these. */
  #isTouched = false;

  constructor(parts: SiteMapParts) {
    this.#parts = parts;
    this.#ground = new MapGround(parts.container, MAX_ZOOM_OUTLINE);
    this.#ground.leaflet.on("popupclose", () => parts.onPopup(null));
    for (const deed of ["pointerdown", "wheel", "keydown"]) {
      parts.container.addEventListener(deed, () => (this.#isTouched = true), { passive: true, once: true });
    }
  }

  /** For the buttons beside the picture. */
  get leaflet(): LeafletMap {
    return this.#ground.leaflet;
  }

  paintGround(colours: GroundColours): void {
    this.#ground.paint(colours);
  }

  showTiles(url: string | null): void {
    this.#ground.showTiles(url);
  }

  showSites(sites: readonly MarkedSite[], selectedId: number | null): void {
    const gone = new Set(this.#markers.keys());
    const isFirst = gone.size === 0;
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
    this.#needy = sites.flatMap((site) => (site.needsSomebody ? [[site.latitude, site.longitude]] : []));
    if (isFirst) this.#showNeedy();
  }

  /** Brings a site into the picture where it is outside of it. */
  reveal(siteId: number): void {
    const marker = this.#markers.get(siteId);
    if (marker === undefined) return;
    this.#ground.leaflet.panInside(marker.getLatLng(), {
      padding: [REVEAL_PX, REVEAL_PX],
      animate: !isMotionUnwanted(),
    });
  }

  /** The popup's content has changed its size. */
  fitPopup(): void {
    this.#ground.leaflet.eachLayer((layer) => layer.getPopup()?.update());
  }

  closePopup(): void {
    this.#ground.leaflet.closePopup();
  }

  fit(): void {
    this.#ground.fit();
    this.#showNeedy();
  }

  /**
   * §9: centred on India at zoom 5; from there the picture is moved, and where it is too small from further away, until it
   * has every site in India that needs somebody.
   */
  #showNeedy(): void {
    const places = this.#needy.filter((place) => INDIA.contains(place));
    if (this.#isTouched || places.length === 0) return;
    const { leaflet } = this.#ground;
    const bounds = latLngBounds(places);
    const padding: [number, number] = [REVEAL_PX, REVEAL_PX];
    const isFitting = leaflet.getBoundsZoom(bounds, false, point(2 * REVEAL_PX, 2 * REVEAL_PX)) >= leaflet.getZoom();
    if (!isFitting) leaflet.fitBounds(bounds, { padding, animate: false });
    else
      for (const end of [bounds.getSouthWest(), bounds.getNorthEast()])
        leaflet.panInside(end, { padding, animate: false });
  }

  close(): void {
    this.#ground.close();
  }

  #addMarker(site: MarkedSite): SiteMarker {
    const marker = new SiteMarker([site.latitude, site.longitude], site.paint, {});
    marker.bindPopup(
      createPopup({ minWidth: 200, maxWidth: 280, autoPanPadding: [12, 12] }).setContent(this.#parts.popupContent),
    );
    marker.on("click", () => this.#parts.onSelect(site.id));
    marker.on("popupopen", () => this.#parts.onPopup(site.id));
    marker.addTo(this.#ground.leaflet);
    this.#markers.set(site.id, marker);
    return marker;
  }
}
