import {
  type LatLngBounds,
  latLngBounds,
  type LatLngTuple,
  type Map as LeafletMap,
  popup as createPopup,
} from "leaflet";
import { CENTRE, type GroundColours, INDIA, isMotionUnwanted, MapGround, ZOOM } from "./map-ground.ts";
import { clustersOf, type MarkedState, rankOf, worstOf } from "./site-clusters.ts";
import { type MarkerPaint, SiteMarker } from "./site-marker.ts";

/** Without tiles there is nothing to see closer. */
const MAX_ZOOM_OUTLINE = 11;
/** A site is at least this far inside the view: beside the degrees, the scale and the edge. */
const REVEAL_PX = 32;
/** Markers are made this far outside the view, as a fraction of it, so that they are there while it is dragged. */
const NEAR = 0.5;

interface MarkedSite extends MarkedState {
  readonly id: number;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}

export type PaintOf = (state: MarkedState) => MarkerPaint;

interface SiteMapParts {
  readonly container: HTMLElement;
  /** The popup's content is filled by its creator. */
  readonly popupContent: HTMLElement;
  readonly onSelect: (siteId: number) => void;
  /** The sites that the popup is about; none once it has closed. */
  readonly onPopup: (siteIds: readonly number[]) => void;
}

/** The sites that one marker stands for, and where it is. */
interface MarkerPlace {
  readonly key: string;
  readonly ids: readonly number[];
  readonly at: LatLngTuple;
}

interface Marked extends MarkerPlace {
  readonly marker: SiteMarker;
  rank: number;
}

/** Our own thin wrapper of the map: sites, ground and tiles in, a selection out. */
export class SiteMap {
  readonly #ground: MapGround;
  readonly #parts: SiteMapParts;
  /** All markers of this zoom; null once they are to be arranged again. */
  #places: readonly MarkerPlace[] | null = null;
  #zoom = ZOOM;
  /** Those in view or near it. */
  #marked: ReadonlyMap<string, Marked> = new Map();
  /** The key of the marker that the popup belongs to. */
  #popupKey: string | null = null;
  readonly #popup = createPopup({ minWidth: 200, maxWidth: 280, autoPanPadding: [12, 12] });
  #sites: ReadonlyMap<number, MarkedSite> = new Map();
  #selectedId: number | null = null;
  #paintOf: PaintOf | null = null;
  /** Until somebody moves the map, it shows every site. */
  #isTouched = false;

  constructor(parts: SiteMapParts) {
    this.#parts = parts;
    this.#ground = new MapGround(parts.container, MAX_ZOOM_OUTLINE);
    this.#popup.setContent(parts.popupContent);
    this.#ground.leaflet.on("popupclose", () => {
      this.#popupKey = null;
      parts.onPopup([]);
    });
    this.#ground.leaflet.on("moveend", () => this.#showMarkers());
    for (const event of ["pointerdown", "wheel", "keydown"]) {
      parts.container.addEventListener(event, () => (this.#isTouched = true), { passive: true });
    }
  }

  /** For the buttons beside the map. */
  get leaflet(): LeafletMap {
    return this.#ground.leaflet;
  }

  paintGround(colours: GroundColours): void {
    this.#ground.paint(colours);
  }

  showTiles(url: string | null): void {
    this.#ground.showTiles(url);
  }

  /** Only another set of sites, or other places of them, arranges the markers again; a new state only repaints them. */
  showSites(sites: readonly MarkedSite[], selectedId: number | null, paintOf: PaintOf): void {
    const former = this.#sites;
    const isSame =
      this.#selectedId === selectedId &&
      former.size === sites.length &&
      sites.every((site) => isSamePlace(site, former.get(site.id)));
    this.#sites = new Map(sites.map((site) => [site.id, site]));
    this.#selectedId = selectedId;
    this.#paintOf = paintOf;
    if (isSame) this.#paint();
    else {
      this.#places = null;
      this.#showMarkers();
    }
    if (former.size === 0) this.#showAll();
  }

  /** Pans to a site if it is outside the view. */
  reveal(siteId: number): void {
    const site = this.#sites.get(siteId);
    if (site === undefined) return;
    this.#ground.leaflet.panInside(placeOf(site), {
      padding: [REVEAL_PX, REVEAL_PX],
      animate: !isMotionUnwanted(),
    });
  }

  /** The popup's content has changed its size. */
  fitPopup(): void {
    this.#popup.update();
  }

  fit(): void {
    this.#ground.fit();
    this.#showAll();
  }

  /** Shows again what it showed at first. */
  reset(): void {
    this.#isTouched = false;
    this.#showAll();
  }

  /**
   * §9: centred on India at zoom 5; fitted to its sites if one of them would be hidden. A site abroad would make all of
   * India small, so it counts only if there is none in India.
   */
  #showAll(): void {
    if (this.#isTouched) return;
    const { leaflet } = this.#ground;
    leaflet.setView(CENTRE, ZOOM, { animate: false });
    const everywhere = [...this.#sites.values()].map(placeOf);
    const inIndia = everywhere.filter((place) => INDIA.contains(place));
    const places = inIndia.length === 0 ? everywhere : inIndia;
    const { x: width, y: height } = leaflet.getSize();
    const isHidden = places.some((place) => {
      const { x, y } = leaflet.latLngToContainerPoint(place);
      return x < REVEAL_PX || y < REVEAL_PX || x > width - REVEAL_PX || y > height - REVEAL_PX;
    });
    if (!isHidden) return;
    leaflet.fitBounds(latLngBounds(places), { padding: [REVEAL_PX, REVEAL_PX], maxZoom: ZOOM, animate: false });
  }

  close(): void {
    this.#ground.close();
  }

  /** Makes the markers that are in view or near it, and removes the others. */
  #showMarkers(): void {
    const { leaflet } = this.#ground;
    if (this.#paintOf === null) return;
    if (this.#places === null || leaflet.getZoom() !== this.#zoom) this.#places = this.#arranged();
    this.#zoom = leaflet.getZoom();
    const near = leaflet.getBounds().pad(NEAR);
    const former = this.#marked;
    const marked = new Map<string, Marked>();
    for (const place of this.#places) {
      if (near.contains(place.at)) marked.set(place.key, former.get(place.key) ?? this.#mark(place, this.#paintOf));
    }
    for (const [key, { marker }] of former) if (!marked.has(key)) marker.remove();
    this.#marked = marked;
    if (this.#popupKey !== null && !marked.has(this.#popupKey)) leaflet.closePopup();
    this.#paint();
    this.#ground.names.showMarkers(
      this.#byRank()
        .toReversed()
        .map(({ marker, ids, at }) => {
          const [only] = ids.length === 1 ? ids : [];
          const name = only === undefined ? null : (this.#sites.get(only)?.name ?? null);
          return { at, name, ...marker.size };
        }),
    );
  }

  /** Which sites share a marker at this zoom. The selected site keeps its own. */
  #arranged(): readonly MarkerPlace[] {
    const { leaflet } = this.#ground;
    const zoom = leaflet.getZoom();
    const pointOf = ({ id, latitude, longitude }: MarkedSite) => {
      const { x, y } = leaflet.project([latitude, longitude], zoom);
      return { id, x, y };
    };
    const selected = this.#selectedId === null ? undefined : this.#sites.get(this.#selectedId);
    const others = [...this.#sites.values()].filter((site) => site !== selected);
    const clusters = clustersOf(others.map(pointOf), selected === undefined ? null : pointOf(selected));
    const places = clusters.map(({ ids, x, y }) => {
      const { lat, lng } = leaflet.unproject([x, y], zoom);
      return { ids, at: [lat, lng] satisfies LatLngTuple };
    });
    const own = selected === undefined ? [] : [{ ids: [selected.id], at: placeOf(selected) }];
    return [...places, ...own].map(({ ids, at }) => {
      // A site's own marker stays the same at every zoom, and so does its popup.
      const [only] = ids.length === 1 ? ids.flatMap((id) => this.#sites.get(id) ?? []) : [];
      const exact = only === undefined ? at : placeOf(only);
      return { ids, at: exact, key: `${ids.join()} ${exact.join()}` };
    });
  }

  #paint(): void {
    if (this.#paintOf === null) return;
    let isInOrder = true;
    for (const one of this.#marked.values()) {
      const states = one.ids.flatMap((id) => this.#sites.get(id) ?? []);
      const state = worstOf(states);
      const isSelected = one.ids.length === 1 && one.ids[0] === this.#selectedId;
      one.marker.show(this.#paintOf(state), isSelected);
      const rank = isSelected ? Infinity : rankOf(state);
      if (rank !== one.rank) isInOrder = false;
      one.rank = rank;
    }
    // Worse ones are drawn above better ones, and the selected one above all.
    if (!isInOrder) for (const { marker } of this.#byRank()) marker.bringToFront();
  }

  #byRank(): readonly Marked[] {
    return [...this.#marked.values()].toSorted((a, b) => a.rank - b.rank);
  }

  #mark(place: MarkerPlace, paintOf: PaintOf): Marked {
    const { ids, at } = place;
    const { leaflet } = this.#ground;
    const sites = ids.flatMap((id) => this.#sites.get(id) ?? []);
    const marker = new SiteMarker(at, ids.length, paintOf(worstOf(sites)));
    const [first] = ids;
    const around = latLngBounds(sites.map(placeOf));
    marker.on("click", () => {
      // Nearer until they come apart; sites at one place are listed.
      const isApart = ids.length > 1 && !around.getSouthWest().equals(around.getNorthEast());
      if (isApart && leaflet.getZoom() < leaflet.getMaxZoom()) {
        this.#approach(around);
        return;
      }
      if (ids.length === 1 && first !== undefined) this.#parts.onSelect(first);
      leaflet.openPopup(this.#popup.setLatLng(at));
      this.#popupKey = place.key;
      this.#parts.onPopup(ids);
    });
    marker.addTo(leaflet);
    return { ...place, marker, rank: -1 };
  }

  #approach(around: LatLngBounds): void {
    const { leaflet } = this.#ground;
    const fitting = leaflet.getBoundsZoom(around.pad(0.2));
    const zoom = Math.min(leaflet.getMaxZoom(), Math.max(fitting, leaflet.getZoom() + 1));
    leaflet.setView(around.getCenter(), zoom, { animate: !isMotionUnwanted() });
  }
}

function placeOf({ latitude, longitude }: MarkedSite): LatLngTuple {
  return [latitude, longitude];
}

function isSamePlace(one: MarkedSite, other: MarkedSite | undefined): boolean {
  return (
    other !== undefined &&
    one.latitude === other.latitude &&
    one.longitude === other.longitude &&
    one.name === other.name
  );
}
