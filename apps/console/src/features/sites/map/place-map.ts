import type { Place } from "@suncrew/domain/sites/site-place.ts";
import { circleMarker, control, divIcon, layerGroup, marker as createMarker } from "leaflet";
import type { LatLng, Marker } from "leaflet";
import { isMotionUnwanted, MAX_ZOOM, MapGround } from "./map-ground.ts";
import type { GroundColours } from "./map-ground.ts";

const DOT_PX = 4;
/** Nearer than the first picture; without tiles a coast is still in sight of most places. */
const CLOSE_ZOOM = 6;
const REVEAL_PX = 40;
const PIN_PX = { width: 28, height: 36 } as const;
const PIN =
  '<svg viewBox="0 0 28 36" width="28" height="36" aria-hidden="true"><path d="M14 35C10 27 2 22.5 2 13.6a12 12 0 0 1 24 0C26 22.5 18 27 14 35Z"/><circle cx="14" cy="13.5" r="4.5"/></svg>';

export interface PlaceMapParts {
  readonly container: HTMLElement;
  /** Class of the pin's element; its `data-taken` says that another site is there. */
  readonly pinClass: string;
  /** A place was pressed, or the pin was let go there: decimal degrees. */
  readonly onPick: (place: Place) => void;
}

/** A map on which a place is chosen, with the sites that there are as faint dots. */
export class PlaceMap {
  readonly #ground: MapGround;
  readonly #parts: PlaceMapParts;
  readonly #others = layerGroup();
  #pin: Marker | null = null;

  constructor(parts: PlaceMapParts) {
    this.#parts = parts;
    // A place is chosen to some metres, so one may look close also where only dots and the scale are to be seen.
    this.#ground = new MapGround(parts.container, MAX_ZOOM);
    this.#ground.leaflet.doubleClickZoom.disable();
    this.#ground.leaflet.on("click", ({ latlng }) => this.#pick(latlng));
    this.#others.addTo(this.#ground.leaflet);
    control.scale({ imperial: false }).addTo(this.#ground.leaflet);
  }

  paintGround(colours: GroundColours): void {
    this.#ground.paint(colours);
  }

  showTiles(url: string | null): void {
    this.#ground.showTiles(url);
  }

  showOthers(places: readonly Place[], colour: string): void {
    this.#others.clearLayers();
    for (const { latitude, longitude } of places) {
      circleMarker([latitude, longitude], {
        radius: DOT_PX,
        stroke: false,
        fillColor: colour,
        fillOpacity: 0.55,
        interactive: false,
      }).addTo(this.#others);
    }
  }

  /** Shows the chosen place; null takes the pin away. */
  showPlace(place: Place | null, isTaken: boolean): void {
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

  /** For a site that is edited: begins near it. */
  lookAt({ latitude, longitude }: Place): void {
    this.#ground.leaflet.setView([latitude, longitude], CLOSE_ZOOM, { animate: false });
  }

  fit(): void {
    this.#ground.fit();
  }

  close(): void {
    this.#ground.close();
  }

  #addPin({ latitude, longitude }: Place): Marker {
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
