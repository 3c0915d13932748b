import { DomUtil, latLng, type LatLng, type LatLngExpression, type Map as LeafletMap } from "leaflet";
import { type Box, placeLabels } from "./label-placement.ts";
import classes from "./map-ground.module.css";
import { type NamedPoint, SEAS, STATES, TOWNS } from "./map-names.ts";

const PANE = "names";
/** Above the tiles, which are at 200, and below the markers, which are at 400. */
const LEVEL = "390";
const DOT_PX = 2.5;
const TOWN_GAP_PX = 5;
const MARKER_GAP_PX = 3;
/** The degrees are at the upper and the right edge, scale and attribution at the lower one. */
const VIEW_INSET_PX = { top: 15, right: 36, bottom: 20, left: 3 };
/** A longer name of several words, other than a town's or a site's, is written in two lines. */
const LINE_LETTERS = 10;

/** A marker, which names must not cover, and its own name. */
export interface NamedMarker {
  readonly at: LatLngExpression;
  /** Half of its size in pixels. */
  readonly halfWidth: number;
  readonly halfHeight: number;
  /** Null for a marker without a name. */
  readonly name: string | null;
}

interface Named {
  readonly kind: "site" | "town" | "state" | "sea";
  readonly name: string;
  readonly at: LatLng;
  readonly gapPx: number | null;
}

interface Label {
  readonly element: HTMLElement;
  readonly width: number;
  readonly height: number;
}

/** Towns before states before seas, each with the zoom from which it is shown. */
const PLACES = [
  ...TOWNS.map((point) => placeOf("town", point)),
  ...STATES.map((point) => placeOf("state", point)),
  ...SEAS.map((point) => placeOf("sea", point)),
];

function placeOf(kind: Named["kind"], [name, latitude, longitude, minZoom]: NamedPoint): Named & { minZoom: number } {
  return { kind, name, at: latLng(latitude, longitude), minZoom, gapPx: kind === "town" ? TOWN_GAP_PX : null };
}

/** The names on a map, where there is room: of its markers, and unless tiles have them, of towns, states and seas. */
export class NameLayer {
  readonly #map: LeafletMap;
  readonly #pane: HTMLElement;
  /** Each is made and measured once. */
  readonly #labels = new Map<string, Label>();
  #markers: readonly NamedMarker[] = [];
  #hasPlaces = true;
  #frame = 0;

  constructor(map: LeafletMap) {
    this.#map = map;
    this.#pane = map.createPane(PANE);
    this.#pane.style.zIndex = LEVEL;
    this.#pane.ariaHidden = "true";
    map.on("moveend resize", this.#place);
    // Names keep their size, and so are elsewhere after it.
    map.on("zoomstart", this.#hide);
    this.#place();
  }

  /** Whether towns, states and seas are named. */
  showPlaces(hasPlaces: boolean): void {
    this.#hasPlaces = hasPlaces;
    this.#place();
  }

  /** The names of earlier markers go first. */
  showMarkers(markers: readonly NamedMarker[]): void {
    this.#markers = markers;
    this.#place();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#map.off("moveend resize", this.#place).off("zoomstart", this.#hide);
  }

  /** Once before the next picture, however much has changed. */
  readonly #place = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(this.#placeNow);
  };

  readonly #hide = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#pane.replaceChildren();
  };

  readonly #placeNow = (): void => {
    const bounds = this.#map.getBounds();
    const zoom = this.#map.getZoom();
    const markers = this.#markers.filter(({ at }) => bounds.contains(at));
    const named: readonly Named[] = [
      ...markers.flatMap(({ at, name, halfWidth }): Named[] =>
        name === null ? [] : [{ kind: "site", name, at: latLng(at), gapPx: halfWidth + MARKER_GAP_PX }],
      ),
      ...(this.#hasPlaces ? PLACES.filter(({ at, minZoom }) => minZoom <= zoom && bounds.contains(at)) : []),
    ];
    const labels = this.#labelsOf(named);
    const wishes = named.map(({ kind, at, gapPx }, index) => {
      const { width = 0, height = 0 } = labels[index] ?? {};
      const { x, y } = this.#map.latLngToContainerPoint(at);
      return { x, y, width, height, gapPx, dotPx: kind === "town" ? DOT_PX : 0 };
    });
    const { x: width, y: height } = this.#map.getSize();
    const { top, right, bottom, left } = VIEW_INSET_PX;
    const view = { left, top, right: width - right, bottom: height - bottom };
    const places = placeLabels(
      wishes,
      view,
      markers.map((marker) => this.#boxOf(marker)),
    );
    this.#pane.replaceChildren();
    for (const [index, { kind, at }] of named.entries()) {
      const [place, label] = [places[index] ?? null, labels[index]];
      if (place === null || label === undefined) continue;
      DomUtil.setPosition(label.element, this.#map.containerPointToLayerPoint([place.left, place.top]).round());
      this.#pane.append(label.element);
      if (kind === "town") this.#pane.append(this.#dotAt(at));
    }
  };

  /** New ones are measured together, so that the page is laid out once for all of them. */
  #labelsOf(named: readonly Named[]): readonly Label[] {
    const keyOf = ({ kind, name }: Named) => `${kind} ${name}`;
    const made = named.flatMap((one) => {
      if (this.#labels.has(keyOf(one))) return [];
      const element = document.createElement("div");
      element.className = classes["name"] ?? "";
      element.dataset["kind"] = one.kind;
      element.textContent = one.kind === "state" || one.kind === "sea" ? inLines(one.name) : one.name;
      return [{ key: keyOf(one), element }];
    });
    this.#pane.append(...made.map(({ element }) => element));
    for (const { key, element } of made) {
      this.#labels.set(key, { element, width: element.offsetWidth, height: element.offsetHeight });
    }
    return named.flatMap((one) => this.#labels.get(keyOf(one)) ?? []);
  }

  #dotAt(at: LatLng): HTMLElement {
    const dot = document.createElement("div");
    dot.className = classes["town"] ?? "";
    DomUtil.setPosition(dot, this.#map.latLngToLayerPoint(at).subtract([DOT_PX, DOT_PX]));
    return dot;
  }

  #boxOf({ at, halfWidth, halfHeight }: NamedMarker): Box {
    const { x, y } = this.#map.latLngToContainerPoint(at);
    return { left: x - halfWidth, top: y - halfHeight, right: x + halfWidth, bottom: y + halfHeight };
  }
}

/** Broken between two words, as near to the middle as possible. */
function inLines(name: string): string {
  if (name.length <= LINE_LETTERS) return name;
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index);
  const middle = spaces.toSorted((a, b) => Math.abs(a - name.length / 2) - Math.abs(b - name.length / 2))[0];
  return middle === undefined ? name : `${name.slice(0, middle)}\n${name.slice(middle + 1)}`;
}
