import type { Coordinates } from "@suncrew/domain/sites/site-duplicates.ts";
import { circleMarker, divIcon, latLngBounds, layerGroup, marker as createMarker } from "leaflet";
import type { LatLng, Map as LeafletMap, Marker } from "leaflet";
import { type GroundColours, INDIA, isMotionUnwanted, MapGround, MAX_ZOOM } from "./map-ground.ts";

const DOT_PX = 4;
/** The initial zoom is limited: with only an outline, a coast or a neighbour is still visible from most places. */
const CLOSE_ZOOM = 7;
/** The nearest other sites are this fraction of the way to the edge. */
const NEIGHBOUR_MARGIN = 1.3;
/** This many neighbours help to see where one is. */
const NEIGHBOURS = 2;
const REVEAL_PX = 40;
const PIN_PX = { width: 28, height: 36 } as const;
const PIN =
  '<svg viewBox="0 0 28 36" width="28" height="36" aria-hidden="true"><path d="M14 35C10 27 2 22.5 2 13.6a12 12 0 0 1 24 0C26 22.5 18 27 14 35Z"/><circle cx="14" cy="13.5" r="4.5"/></svg>';

export interface PlaceMapParts {
  readonly container: HTMLElement;
  /** Class of the pin's element; its `data-taken` says that another site is there. */
  readonly pinClass: string;
  /** Class of the names of other sites. */
  readonly nameClass: string;
  /** A location was pressed, or the pin was dropped there: decimal degrees. */
  readonly onPick: (place: Coordinates) => void;
}

/** Another site, by its name. */
export interface NamedPlace extends Coordinates {
  readonly name: string;
}

/** A map on which a location is chosen, with the existing sites as faint dots. */
export class PlaceMap {
  readonly #ground: MapGround;
  readonly #parts: PlaceMapParts;
  readonly #others = layerGroup();
  /** What is shown until somebody moves the map; its size may change while the dialog opens. */
  #first: () => void = () => this.#ground.leaflet.fitBounds(INDIA, { animate: false });
  #isTouched = false;
  #pin: Marker | null = null;

  constructor(parts: PlaceMapParts) {
    this.#parts = parts;
    // A location is chosen to some metres, so zooming in is possible even where only dots and the scale are visible.
    this.#ground = new MapGround(parts.container, MAX_ZOOM);
    for (const event of ["pointerdown", "wheel", "keydown"]) {
      parts.container.addEventListener(event, () => (this.#isTouched = true), { passive: true });
    }
    this.#first();
    this.#ground.leaflet.doubleClickZoom.disable();
    this.#ground.leaflet.on("click", ({ latlng }) => this.#pick(latlng));
    this.#others.addTo(this.#ground.leaflet);
  }

  /** For the buttons beside the map. */
  get leaflet(): LeafletMap {
    return this.#ground.leaflet;
  }

  /** Shows again what it showed at first. */
  reset(): void {
    this.#isTouched = false;
    this.#first();
  }

  paintGround(colours: GroundColours): void {
    this.#ground.paint(colours);
  }

  showTiles(url: string | null): void {
    this.#ground.showTiles(url);
  }

  /** The other sites as dots; a name appears under the pointer. Pressing a dot picks its location. */
  showOthers(places: readonly NamedPlace[], colour: string): void {
    this.#others.clearLayers();
    for (const { latitude, longitude, name } of places) {
      // As an element: a string would be parsed as markup.
      const words = document.createElement("span");
      words.textContent = name;
      const dot = circleMarker([latitude, longitude], {
        radius: DOT_PX,
        stroke: false,
        fillColor: colour,
        fillOpacity: 0.55,
      });
      dot.bindTooltip(words, { className: this.#parts.nameClass, direction: "top", offset: [0, -DOT_PX] });
      dot.addTo(this.#others);
    }
    this.#ground.names.showMarkers(
      places.map(({ latitude, longitude }) => ({
        at: [latitude, longitude],
        halfWidth: DOT_PX,
        halfHeight: DOT_PX,
        name: null,
      })),
    );
  }

  /** Shows the chosen location; null removes the pin. */
  showPlace(place: Coordinates | null, isTaken: boolean): void {
    if (place === null) {
      this.#pin?.remove();
      this.#pin = null;
      return;
    }
    const { leaflet } = this.#ground;
    const isFirst = this.#pin === null;
    this.#pin ??= this.#addPin(place);
    this.#pin.setLatLng([place.latitude, place.longitude]);
    this.#pin.getElement()?.toggleAttribute("data-taken", isTaken);
    const isInSight = leaflet.getBounds().contains(this.#pin.getLatLng());
    if (isFirst && !isInSight) leaflet.setView(this.#pin.getLatLng(), leaflet.getZoom(), { animate: false });
    leaflet.panInside(this.#pin.getLatLng(), { padding: [REVEAL_PX, REVEAL_PX], animate: !isMotionUnwanted() });
  }

  /** For a site being edited: centres on it, zoomed out as far as needed to see its neighbours. */
  lookAt(place: Coordinates, others: readonly Coordinates[]): void {
    const { leaflet } = this.#ground;
    const { latitude, longitude } = place;
    this.#first = () => {
      const far = spanTo(place, others);
      const around = latLngBounds([latitude - far, longitude - far], [latitude + far, longitude + far]);
      const zoom = far === 0 ? CLOSE_ZOOM : Math.min(CLOSE_ZOOM, leaflet.getBoundsZoom(around));
      leaflet.setView([latitude, longitude], Math.max(leaflet.getBoundsZoom(INDIA), zoom), { animate: false });
    };
    this.#first();
  }

  fit(): void {
    this.#ground.fit();
    if (!this.#isTouched) this.#first();
  }

  close(): void {
    this.#ground.close();
  }

  #addPin({ latitude, longitude }: Coordinates): Marker {
    const icon = divIcon({
      html: PIN,
      className: this.#parts.pinClass,
      iconSize: [PIN_PX.width, PIN_PX.height],
      iconAnchor: [PIN_PX.width / 2, PIN_PX.height - 1],
    });
    // The number fields are there for the keyboard; a pin in the tab order would do nothing.
    const pin = createMarker([latitude, longitude], { icon, draggable: true, keyboard: false, autoPan: true });
    pin.on("dragend", () => this.#pick(pin.getLatLng()));
    return pin.addTo(this.#ground.leaflet);
  }

  #pick(at: LatLng): void {
    const { lat: latitude, lng: longitude } = at.wrap();
    this.#parts.onPick({ latitude: Math.max(-90, Math.min(90, latitude)), longitude });
  }
}

/** Degrees from a location to the farther of its nearest neighbours, with a margin; 0 if it has none. */
function spanTo(place: Coordinates, others: readonly Coordinates[]): number {
  const distances = others.map(({ latitude, longitude }) =>
    Math.max(Math.abs(latitude - place.latitude), Math.abs(longitude - place.longitude)),
  );
  return (
    (distances
      .toSorted((a, b) => a - b)
      .slice(0, NEIGHBOURS)
      .at(-1) ?? 0) * NEIGHBOUR_MARGIN
  );
}
