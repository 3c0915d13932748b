import { latLngBounds, type LatLngTuple, type Map as LeafletMap, popup as createPopup } from "leaflet";
import { CENTRE, type GroundColours, INDIA, isMotionUnwanted, MapGround, ZOOM } from "./map-ground.ts";
import { clustersOf, type MarkedState, rankOf, worstOf } from "./site-clusters.ts";
import { type MarkerPaint, SiteMarker } from "./site-marker.ts";

/** Without tiles there is nothing to see closer. */
const MAX_ZOOM_OUTLINE = 11;
/** A site is at least this far inside the view: beside the degrees, the scale and the edge. */
const REVEAL_PX = 32;

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

/** A marker on the map, and the sites that it stands for. */
interface Marked {
  readonly marker: SiteMarker;
  readonly ids: readonly number[];
  readonly at: LatLngTuple;
  rank: number;
}

/** Our own thin wrapper of the map: sites, ground and tiles in, a selection out. */
export class SiteMap {
  readonly #ground: MapGround;
  readonly #parts: SiteMapParts;
  /** By the sites that they stand for. */
  #marked: ReadonlyMap<string, Marked> = new Map();
  #sites: ReadonlyMap<number, MarkedSite> = new Map();
  #selectedId: number | null = null;
  #paintOf: PaintOf | null = null;
  /** Until somebody moves the map, it shows every site. */
  #isTouched = false;

  constructor(parts: SiteMapParts) {
    this.#parts = parts;
    this.#ground = new MapGround(parts.container, MAX_ZOOM_OUTLINE);
    this.#ground.leaflet.on("popupclose", () => parts.onPopup([]));
    this.#ground.leaflet.on("zoomend", () => this.#arrange());
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
    else this.#arrange();
    if (former.size === 0) this.#showAll();
  }

  /** Pans to a site if it is outside the view. */
  reveal(siteId: number): void {
    const site = this.#sites.get(siteId);
    if (site === undefined) return;
    this.#ground.leaflet.panInside([site.latitude, site.longitude], {
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
    const everywhere = [...this.#sites.values()].map(({ latitude, longitude }): LatLngTuple => [latitude, longitude]);
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

  /** Markers for the sites at this zoom. The selected site keeps its own. */
  #arrange(): void {
    const { leaflet } = this.#ground;
    const zoom = leaflet.getZoom();
    const selected = this.#selectedId === null ? undefined : this.#sites.get(this.#selectedId);
    const placeOf = ({ id, latitude, longitude }: MarkedSite) => {
      const { x, y } = leaflet.project([latitude, longitude], zoom);
      return { id, x, y };
    };
    const others = [...this.#sites.values()].filter((site) => site !== selected).map(placeOf);
    const former = this.#marked;
    const marked = new Map<string, Marked>();
    const keep = (ids: readonly number[], at: LatLngTuple) => {
      const key = `${ids.join()} ${at.join()}`;
      marked.set(key, former.get(key) ?? this.#mark(ids, at));
    };
    for (const { ids, x, y } of clustersOf(others, selected === undefined ? null : placeOf(selected))) {
      const [only] = ids.length === 1 ? ids.map((id) => this.#sites.get(id)) : [];
      const { lat, lng } = leaflet.unproject([x, y], zoom);
      keep(ids, only === undefined ? [lat, lng] : [only.latitude, only.longitude]);
    }
    if (selected !== undefined) keep([selected.id], [selected.latitude, selected.longitude]);
    for (const [key, { marker }] of former) if (!marked.has(key)) marker.remove();
    this.#marked = marked;
    this.#paint();
    this.#ground.names.showMarkers(
      this.#byRank()
        .toReversed()
        .map(({ marker, ids, at }) => {
          const name = ids.length === 1 ? this.#sites.get(ids[0] ?? -1)?.name : undefined;
          return { at, name: name ?? null, ...marker.size };
        }),
    );
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

  #mark(ids: readonly number[], at: LatLngTuple): Marked {
    const { leaflet } = this.#ground;
    const states = ids.flatMap((id) => this.#sites.get(id) ?? []);
    if (this.#paintOf === null) throw new Error("Markers are painted before they are made.");
    const marker = new SiteMarker(at, ids.length, this.#paintOf(worstOf(states)));
    const popup = createPopup({ minWidth: 200, maxWidth: 280, autoPanPadding: [12, 12] });
    popup.setContent(this.#parts.popupContent);
    marker.on("popupopen", () => this.#parts.onPopup(ids));
    const [first] = ids;
    if (ids.length === 1 && first !== undefined) {
      marker.bindPopup(popup).on("click", () => this.#parts.onSelect(first));
    } else {
      const around = latLngBounds(states.map(({ latitude, longitude }) => [latitude, longitude]));
      marker.on("click", () => {
        // Until they come apart; sites at one place are listed.
        if (leaflet.getZoom() < leaflet.getMaxZoom() && !isOnePlace(around)) this.#approach(around);
        else marker.unbindPopup().bindPopup(popup).openPopup();
      });
    }
    marker.addTo(leaflet);
    return { marker, ids, at, rank: -1 };
  }

  #approach(around: ReturnType<typeof latLngBounds>): void {
    const { leaflet } = this.#ground;
    const fitting = leaflet.getBoundsZoom(around.pad(0.2));
    const zoom = Math.min(leaflet.getMaxZoom(), Math.max(fitting, leaflet.getZoom() + 1));
    leaflet.setView(around.getCenter(), zoom, { animate: !isMotionUnwanted() });
  }
}

function isOnePlace(bounds: ReturnType<typeof latLngBounds>): boolean {
  return bounds.getSouthWest().equals(bounds.getNorthEast());
}

function isSamePlace(one: MarkedSite, other: MarkedSite | undefined): boolean {
  return (
    other !== undefined &&
    one.latitude === other.latitude &&
    one.longitude === other.longitude &&
    one.name === other.name
  );
}
